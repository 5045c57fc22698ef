"""Parameter sharing relaxation: train r parameter sets that a loss pulls together into one.

A layer that repeats a step with shared weights learns more easily if the weights are not shared at
first: step t uses the set t mod r. A term of the loss pulls the sets towards their mean, harder
and harder, until they are averaged and training continues with a single set.

What a layer does for this:

* its property `relaxed_variables` lists its variables of which the first axis counts the r sets;
* its `build` calls `add_variables(self, sets=r, pull=...)`, which creates two variables that are
  saved with it: `relaxation_pull`, and `relaxation_sets`, the number of sets in use, r at first
  and 1 once they are averaged;
* its `call` uses the set `set_at(self, step)` at each step, and calls `self.add_loss(cost(self))`;
* with r = 1 it does none of this, and its variables have no such axis; `get_config` gives r as
  `relaxation`.

To train a model with such layers, call `raise_pull` during training and `average` at its end, or
use `callbacks.RaiseRelaxationPull`. An averaged layer has the outputs, gradients and updates of a
layer with one set: from then on only the first set is used and trained. `shared` makes a plain
model of it.

Example:

>>> class Loop(keras.layers.Layer):
...     def build(self, shape):
...         self.kernel = self.add_weight(shape=(6, shape[-1], shape[-1]))
...         relaxation.add_variables(self, sets=6, pull=5e-4)
...
...     @property
...     def relaxed_variables(self):
...         return [self.kernel]
...
...     def call(self, x):
...         self.add_loss(relaxation.cost(self))
...         for step in range(20):
...             x = keras.ops.tanh(x @ self.kernel[relaxation.set_at(self, step)])
...         return x
>>> relaxation = keras_adaptive.relaxation
>>> model = keras.Sequential([keras.Input((3,)), Loop()])
>>> model.compile("adam", "mse")
>>> relaxation.raise_pull(model, factor=1.2)
>>> round(relaxation.pull(model), 6)
0.0006
>>> relaxation.average(model)
>>> relaxation.is_averaged(model)
True

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3.2.
"""

from collections.abc import Iterable

import keras
import numpy as np
from keras import ops

from . import arguments
from .dtypes import at_least_float32
from .types import Tensor
from .weight_averages import averages_of


def add_variables(layer: keras.layers.Layer, sets: int, pull: float) -> None:
    """Creates the variables of a layer's relaxation; call it in `build`.

    Args:
        layer: a `keras.layers.Layer`, which gets the attributes `relaxation_pull` (float32) and
            `relaxation_sets` (int32), both not trainable.
        sets: integer >= 2, r.
        pull: float >= 0, the first relaxation pull.

    Raises:
        ValueError: if an argument is out of its range.
    """
    arguments.instance("layer", layer, keras.layers.Layer, "a Keras layer")
    sets = arguments.integer("sets", sets, least=2)
    pull = arguments.number("pull", pull, least=0)
    layer.relaxation_pull = layer.add_weight(
        shape=(),
        initializer=keras.initializers.Constant(pull),
        dtype="float32",
        trainable=False,
        autocast=False,
        name="relaxation_pull",
    )
    layer.relaxation_sets = layer.add_weight(
        shape=(),
        initializer=keras.initializers.Constant(sets),
        dtype="int32",
        trainable=False,
        name="relaxation_sets",
    )


def set_at(layer: keras.layers.Layer, step: Tensor) -> Tensor:
    """The number of the parameter set that step `step` (counted from 0) uses.

    Args:
        layer: a relaxed layer.
        step: integer or integer tensor.

    Returns:
        An int32 tensor, `step` mod r; 0 when the sets have been averaged.
    """
    return ops.cast(step, "int32") % ops.convert_to_tensor(layer.relaxation_sets)


def distance(variables: Iterable[Tensor]) -> Tensor:
    """How far parameter sets are apart: the sum of squares of their distance to their mean.

    Args:
        variables: variables or tensors `(r, ...)`.

    Returns:
        A scalar, float32 or float64.

    Example:

    >>> float(distance([np.array([[1.0, 5.0], [3.0, 5.0]])]))
    2.0
    """
    total = 0.0
    for variable in variables:
        variable = ops.convert_to_tensor(variable)
        apart = ops.square(variable - ops.mean(variable, axis=0, keepdims=True))
        total = total + ops.cast(ops.sum(apart), at_least_float32(variable.dtype))
    return total


def cost(layer: keras.layers.Layer) -> Tensor:
    """The term of the loss: the pull times the distance; 0 when the sets have been averaged.

    Args:
        layer: a relaxed layer.

    Returns:
        A scalar, float32 or float64.
    """
    apart = distance(layer.relaxed_variables)
    in_use = ops.convert_to_tensor(layer.relaxation_sets) > 1
    weight = ops.where(in_use, ops.convert_to_tensor(layer.relaxation_pull), 0.0)
    return ops.cast(weight, apart.dtype) * apart


def relaxed_layers(model: keras.layers.Layer) -> list[keras.layers.Layer]:
    """The relaxed layers of a model, however deep inside.

    Args:
        model: a `keras.Model` or `keras.layers.Layer`.

    Returns:
        A list of layers that have called `add_variables`.
    """
    arguments.instance("model", model, keras.layers.Layer, "a Keras model or layer")
    layers = model._flatten_layers()
    return [layer for layer in layers if getattr(layer, "relaxation_pull", None) is not None]


def pull(model: keras.layers.Layer) -> float:
    """The relaxation pull as a float, the largest if the layers of the model differ."""
    return max(float(layer.relaxation_pull) for layer in _relaxed(model))


def is_averaged(model: keras.layers.Layer) -> bool:
    """Whether the parameter sets of all relaxed layers have been averaged."""
    return all(int(layer.relaxation_sets) == 1 for layer in _relaxed(model))


def raise_pull(model: keras.layers.Layer, factor: float) -> None:
    """Multiplies the pull of all relaxed layers of a model.

    Args:
        model: a model with relaxed layers.
        factor: float >= 1, the paper's relaxation pull factor.

    Raises:
        ValueError: if `factor` is out of its range, or the model has no relaxed layer.
    """
    factor = arguments.number("factor", factor, least=1)
    for layer in _relaxed(model):
        layer.relaxation_pull.assign(factor * float(layer.relaxation_pull))


def average(model: keras.layers.Layer) -> None:
    """Sets all parameter sets of a model to their mean, and lets it use only the first of them.

    From then on the layers compute what layers with one set would, and train like them. The moving
    averages of the weights that an optimizer with `use_ema=True` keeps are set to their mean over
    the sets, too. Does nothing to layers that are averaged already.

    Args:
        model: a model with relaxed layers.

    Raises:
        ValueError: if the model has no relaxed layer.
    """
    averages = {id(variable): kept for variable, kept in averages_of(model)}
    for layer in _relaxed(model):
        if int(layer.relaxation_sets) == 1:
            continue
        for variable in layer.relaxed_variables:
            _average_sets(variable)
            if id(variable) in averages:
                _average_sets(averages[id(variable)])
        layer.relaxation_sets.assign(1)


def _average_sets(variable):
    mean = ops.mean(ops.convert_to_tensor(variable), axis=0, keepdims=True)
    variable.assign(ops.broadcast_to(mean, variable.shape))


def shared(model: keras.Model) -> keras.Model:
    """The plain model with one parameter set that an averaged model has become.

    Args:
        model: an averaged Functional or Sequential model, or of your own class that can be
            made from its config. Its relaxed layers have `relaxation` in their configs.

    Returns:
        A new model of the same class, not compiled, that computes the same.

    Raises:
        ValueError: if the model has no relaxed layer, or is not averaged.
    """
    if not is_averaged(model):
        raise ValueError("Argument `model` still uses several parameter sets: call average first.")
    plain = type(model).from_config(_with_one_set(model.get_config()))
    layers = relaxed_layers(model)
    own = [v for layer in layers for v in (layer.relaxation_pull, layer.relaxation_sets)]
    relaxed = {id(variable) for layer in layers for variable in layer.relaxed_variables}
    # Both models have their variables in the same order; paths depend on how a model was built.
    learned = [v for v in model.variables if all(v is not shared for shared in own)]
    for old, new in zip(learned, plain.variables, strict=True):
        # A copy: JAX's training frees the arrays that it was given.
        value = np.array(ops.convert_to_numpy(old))
        new.assign(value[0] if id(old) in relaxed else value)
    return plain


def _relaxed(model):
    layers = relaxed_layers(model)
    if not layers:
        raise ValueError(
            f"Argument `model` has no layer with relaxed parameters. Received: {model}"
        )
    return layers


def _with_one_set(config):
    if isinstance(config, dict):
        changed = {key: _with_one_set(value) for key, value in config.items()}
        return {**changed, "relaxation": 1} if "relaxation" in changed else changed
    if isinstance(config, (list, tuple)):
        return type(config)(_with_one_set(value) for value in config)
    return config
