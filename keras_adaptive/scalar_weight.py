"""Numbers that a layer or a model keeps in variables beside its weights."""

from typing import Any

import keras
from keras import ops


def add_scalar(owner: Any, name: str, value: float, **options: Any) -> keras.Variable:
    """Adds a float32 number to a layer or a model; it is saved, and no gradient changes it.

    Args:
        owner: a layer or a model.
        name: of the variable.
        value: at the start.
        **options: of `keras.layers.Layer.add_weight`.
    """
    return owner.add_weight(
        shape=(),
        initializer=keras.initializers.Constant(value),
        trainable=False,
        dtype="float32",
        autocast=False,
        name=name,
        **options,
    )


def number_in(variable: keras.Variable) -> float:
    """The value of such a variable.

    Raises:
        RuntimeError: on JAX, within an epoch of `fit`, where Keras takes the values away.
    """
    return float(ops.convert_to_numpy(_value_of(variable)))


def set_number(variable: keras.Variable, value: float) -> None:
    """Assigns a value to such a variable.

    Raises:
        RuntimeError: as `number_in`, where the value would be lost.
    """
    _value_of(variable)
    variable.assign(value)


def _value_of(variable):
    try:
        return variable.value
    except TypeError as error:
        raise RuntimeError(
            f"The variable '{variable.name}' has no value within an epoch: on JAX, Keras gives it "
            "back at the end of the epoch. In a callback, call `self.model.jax_state_sync()` "
            "before it is read or set."
        ) from error
