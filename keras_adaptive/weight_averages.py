"""Moving averages of the weights, for validation during a training and for its result."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import keras
import numpy as np

from . import arguments
from .optimizers import GradientNoise, RelativeClipAdamax
from .types import Tensor


class _Averaging:
    """A mixin for optimizers whose averages stay beside the weights when `fit` ends."""

    def finalize_variable_values(self, var_list: Any) -> None:
        """Leaves the weights as they are."""


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AveragingAdam(_Averaging, keras.optimizers.Adam):
    """Adam with moving averages of the weights, which are not assigned at the end of `fit`.

    Keras's own optimizers replace the weights by their averages when `fit` ends, so a training of
    several calls would continue from the averages. Here `use_averages` does that when it is called.

    Args:
        **kwargs: those of `keras.optimizers.Adam`; `use_ema=True` keeps averages, and
            `ema_momentum` is their momentum.

    Example:

    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> model.compile(AveragingAdam(use_ema=True, ema_momentum=0.9), "mse")
    >>> _ = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    >>> with averaged_weights(model):
    ...     loss = model.evaluate(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    >>> use_averages(model)
    """


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AveragingRelativeClipAdamax(_Averaging, RelativeClipAdamax):
    """`RelativeClipAdamax` with moving averages of the weights, as in `AveragingAdam`.

    Args:
        *args: those of `RelativeClipAdamax`.
        **kwargs: those of `RelativeClipAdamax`; `use_ema=True` keeps averages, and `ema_momentum`
            is their momentum.

    Example:

    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> model.compile(AveragingRelativeClipAdamax(use_ema=True, ema_momentum=0.9), "mse")
    >>> _ = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    >>> use_averages(model)
    """


@contextlib.contextmanager
def averaged_weights(model: keras.Model) -> Iterator[None]:
    """A context in which a compiled model has the averages of its weights, if they are kept."""
    variables = [variable for variable, _ in averages_of(_compiled(model))]
    weights = [np.array(variable) for variable in variables]
    use_averages(model)
    try:
        yield
    finally:
        _assign(zip(variables, weights, strict=True))


def use_averages(model: keras.Model) -> None:
    """Sets the weights of a compiled model to their averages, if its optimizer keeps them."""
    _assign(averages_of(_compiled(model)))


def averages_of(model: keras.layers.Layer) -> list[tuple[keras.Variable, keras.Variable]]:
    """The weights of which the optimizer of a model keeps averages, each with its average.

    Some may be frozen by now. There are none before the first step, or without an optimizer.
    """
    arguments.instance("model", model, keras.layers.Layer, "a Keras model or layer")
    if getattr(model, "optimizer", None) is None:
        return []
    optimizer = _innermost(model.optimizer)
    if not (optimizer.use_ema and optimizer.built and int(optimizer.iterations) > 0):
        return []
    averages = optimizer._model_variables_moving_average
    return list(zip(optimizer._trainable_variables, averages, strict=True))


def _compiled(model):
    arguments.instance("model", model, keras.Model, "a compiled Keras model")
    if getattr(model, "optimizer", None) is None:
        arguments.refuse("model", model, "a compiled Keras model")
    return model


def _innermost(optimizer):
    """What updates the weights, inside a `LossScaleOptimizer` or a `GradientNoise`."""
    if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
        return _innermost(optimizer.inner_optimizer)
    return _innermost(optimizer.optimizer) if isinstance(optimizer, GradientNoise) else optimizer


def _assign(pairs: Iterable[tuple[keras.Variable, Tensor]]) -> None:
    """Sets variables to copies of values: JAX donates each buffer only once."""
    for variable, value in pairs:
        variable.assign(np.array(value))
