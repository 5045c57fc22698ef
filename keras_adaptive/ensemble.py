"""Ensembles: several trained models that answer as one."""

from collections.abc import Iterable

import keras
import numpy as np

from . import arguments


def average_outputs(models: Iterable[keras.Model], name: str = "ensemble") -> keras.Model:
    """One model that answers with the mean of the outputs of several.

    The members are copied, so that the ensemble can be trained, saved and exported as any model,
    and the given models stay as they are. Their outputs should be probabilities, not logits.

    Args:
        models: two or more built `keras.Model`s, Functional, Sequential or of a subclass that can
            be made from its config, that take the same inputs and give outputs of the same shape.
        name: name of the model; those of its members are `<name>_0`, `<name>_1`, and so on.
            Defaults to `"ensemble"`.

    Returns:
        A Functional `keras.Model`, not compiled.

    Raises:
        ValueError: if there are fewer than two models, or one has no symbolic inputs, or they
            differ in inputs or outputs.

    Example:

    >>> def network():
    ...     return keras.Sequential(
    ...         [keras.Input((3,)), keras.layers.Dense(2, activation="softmax")]
    ...     )
    >>> first, second = network(), network()
    >>> model = average_outputs([first, second])
    >>> x = np.ones((1, 3))
    >>> mean = (first.predict(x, verbose=0) + second.predict(x, verbose=0)) / 2
    >>> bool(np.allclose(model.predict(x, verbose=0), mean))
    True

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 4: "ensembling a few models, just
    by averaging their outputs, helps to generalize".
    """
    name = arguments.text("name", name)
    models = list(models) if np.iterable(models) else [models]
    if len(models) < 2 or not all(isinstance(model, keras.Model) for model in models):
        arguments.refuse("models", models, "two Keras models or more")
    for model in models[1:]:
        if _interface(model) != _interface(models[0]):
            raise ValueError(
                "Argument `models` must be models of the same inputs and outputs. Received: "
                f"{_interface(models[0])} and {_interface(model)}"
            )
    inputs = keras.tree.map_structure(
        lambda x: keras.Input(batch_shape=x.shape, dtype=x.dtype, name=x.name),
        _symbols(models[0])[0],
    )
    outputs = [_copy(model, f"{name}_{i}")(inputs) for i, model in enumerate(models)]
    mean = keras.tree.map_structure(lambda *each: keras.layers.Average()(each), *outputs)
    return keras.Model(inputs, mean, name=name)


def _symbols(model):
    """The symbolic inputs and outputs, in their structures."""
    try:
        if isinstance(model, keras.Sequential):
            return model.inputs[0], model.outputs[0]
        return model.input, model.output
    except AttributeError:
        arguments.refuse("models", model, "built models, Functional or Sequential")


def _interface(model):
    """Shapes and dtypes of inputs and outputs, in their structures."""
    return keras.tree.map_structure(
        lambda x: (tuple(x.shape), keras.backend.standardize_dtype(x.dtype)), _symbols(model)
    )


def _copy(model, name):
    copy = type(model).from_config({**model.get_config(), "name": name})
    # Copies of the arrays: JAX's training frees those that it was given.
    copy.set_weights([np.array(weight) for weight in model.get_weights()])
    return copy
