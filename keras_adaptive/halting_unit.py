"""The halting unit of recurrent layers: the chance to stop, from what a cell has put out."""

from typing import Any

import keras
from keras import ops

from .dtypes import at_least_float32
from .types import Tensor


class HaltingUnit(keras.layers.Dense):
    """h = σ(W s + b), Equation 5 of Graves (2016), of which s is the cell's output.

    Args:
        bias: float, b at first.
        dtype: compute dtype of the layer; halting has at least float32.

    Call arguments:
        output: `(batch, units)`, or an image `(batch, …, channels)`, whose mean is taken.

    Returns:
        `(batch, 1)`.
    """

    def __init__(self, bias: float, dtype: Any):
        super().__init__(
            1,
            activation="sigmoid",
            bias_initializer=keras.initializers.Constant(bias),
            dtype=at_least_float32(dtype),
            name="halting_unit",
        )

    def call(self, output: Tensor) -> Tensor:
        """The activations h."""
        inner = tuple(range(1, ops.ndim(output) - 1))
        return super().call(ops.mean(output, axis=inner) if inner else output)
