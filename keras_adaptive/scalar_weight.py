"""Numbers that a layer or a model keeps in variables beside its weights."""

from typing import Any

import keras


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
