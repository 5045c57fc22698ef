"""Exporting models: SavedModel endpoints that stop early, and models without training state."""

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras

from . import arguments, halting
from .masks import drop_mask

_LIMITS = ((), ("max_ponder",), ("max_ponder", "epsilon"))


def add_endpoints(
    archive: Any,
    function: Callable[[Any], Any],
    shape: Sequence[int | None],
    dtype: str = "float32",
    limits: Iterable[str] = (),
) -> None:
    """Gives a SavedModel endpoints that compute each row no longer than it thinks.

    `model.export(folder)` of Keras makes an endpoint for the outputs alone, in which a batch thinks
    as long as its slowest row. The endpoint `serve` (also `serving_default`) drops the rows that
    have halted, and returns whatever `function` does; `serve_with_limits` takes the limits as
    scalars after the inputs.

    Args:
        archive: a `keras.export.ExportArchive` that tracks the model.
        function: what is served: a model, or a function of its inputs. As TensorFlow demands of
            endpoints, it returns a tensor, a list of tensors, or a dict of them.
        shape: of the inputs, `None` where it is free.
        dtype: of the inputs. Defaults to `"float32"`.
        limits: names of the limits of `serve_with_limits`: `("max_ponder",)`, an int32, or
            `("max_ponder", "epsilon")`, with a float32. Defaults to `()`: there is no such
            endpoint.

    Raises:
        ValueError: if `limits` are others.

    Example:

    >>> import tempfile
    >>> import tensorflow as tf
    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.GRUCell(4), max_ponder=20)
    >>> model = keras.Sequential([keras.Input((None, 3)), layer])
    >>> archive = keras.export.ExportArchive()
    >>> archive.track(model)
    >>> add_endpoints(archive, model, (None, None, 3), limits=("max_ponder", "epsilon"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     archive.write_out(folder, verbose=False)
    ...     served = tf.saved_model.load(folder)
    ...     x = tf.ones((2, 5, 3))
    ...     served.serve(x).shape, served.serve_with_limits(x, 1, 0.01).shape
    (TensorShape([2, 4]), TensorShape([2, 4]))
    """
    arguments.function("function", function)
    limits = tuple(limits)
    if limits not in _LIMITS:
        arguments.refuse("limits", limits, '("max_ponder",) or ("max_ponder", "epsilon")')
    # Only exports need TensorFlow.
    import tensorflow as tf

    serve, limited = _endpoints(function, "epsilon" in limits)
    signature = [tf.TensorSpec(tuple(shape), dtype, name="inputs")]
    archive.add_endpoint("serve", serve, input_signature=signature)
    if limits:
        kinds = {"max_ponder": "int32", "epsilon": "float32"}
        signature += [tf.TensorSpec((), kinds[name], name=name) for name in limits]
        archive.add_endpoint("serve_with_limits", limited, input_signature=signature)


def _endpoints(function, with_epsilon):
    """The functions of both endpoints."""

    def serve(inputs):
        # A batch costs what its rows think, not its size times the longest thought.
        with halting.compaction():
            return function(inputs)

    def with_steps(inputs, max_ponder):
        with halting.limits(max_ponder=max_ponder):
            return serve(inputs)

    def with_both(inputs, max_ponder, epsilon):
        with halting.limits(max_ponder=max_ponder, epsilon=epsilon):
            return serve(inputs)

    return serve, with_both if with_epsilon else with_steps


def uncompiled(model: keras.Model) -> keras.Model:
    """A model with the same weights, without optimizer, loss and metrics, to be saved.

    Args:
        model: a built `keras.Model`, functional or of a class with a config.

    Returns:
        A model of the same class. A functional one shares its layers with `model`; others have
        layers of their own.

    Raises:
        TypeError, ValueError: if `model` is no built model.

    Example:

    >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    >>> model.compile("adam", "mse")
    >>> new = uncompiled(model)
    >>> new.compiled, bool((new.get_weights()[0] == model.get_weights()[0]).all())
    (False, True)
    """
    arguments.instance("model", model, keras.Model, "a built Keras model")
    if not model.built:
        arguments.refuse("model", model, "a built Keras model")
    parameters = inspect.signature(type(model).__init__).parameters.values()
    # Functional models take inputs and outputs; models that build their layers take a config.
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters):
        # Further arguments of the class, such as the weights of its loss.
        names = [
            parameter.name for parameter in parameters if parameter.kind == parameter.KEYWORD_ONLY
        ]
        config = model.get_config() if names else {}
        own = {name: config[name] for name in names}
        return type(model)(model.input, model.output, name=model.name, **own)
    new = type(model).from_config(model.get_config())
    if not new.built:
        new.build()
    new.set_weights(model.get_weights())
    return new


def load_uncompiled(path: str | os.PathLike) -> keras.Model:
    """A model that was saved as `uncompiled` returns it.

    Its layers that do not know masks, such as Keras's `EinsumDense`, take inputs with a mask
    without Keras's warning that the mask ends there, see `masks.drop_mask`.

    Args:
        path: a `.keras` file, in which no Python code is run.

    Returns:
        The model.

    Raises:
        ValueError: the file is no such file, or runs Python code.

    Example:

    >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    >>> uncompiled(model).save("model.keras")
    >>> load_uncompiled("model.keras").predict(np.ones((1, 3)), verbose=0).shape
    (1, 2)
    """
    path = arguments.path("path", path)
    with warnings.catch_warnings():
        # The model is made anew, and its layers meet the masks once.
        warnings.filterwarnings("ignore", message=".*destroy the mask", category=UserWarning)
        model = keras.saving.load_model(path, compile=False, safe_mode=True)
    for layer in model.layers:
        if not layer.supports_masking:
            drop_mask(layer)
    return model
