"""The dtype in which sums over many steps and probabilities are computed."""

from typing import Any

import keras
from keras import ops

from .types import Tensor


def at_least_float32(dtype: Any) -> str:
    """float64 for float64, and float32 for all other dtypes, with mixed precision too."""
    return "float64" if keras.backend.standardize_dtype(dtype) == "float64" else "float32"


def as_added(loss: Tensor) -> Tensor:
    """A loss for `add_loss`: Keras adds it to the model's, which have 16 bits if `floatx` has."""
    floatx = keras.config.floatx()
    return ops.cast(loss, floatx) if floatx in ("float16", "bfloat16") else loss
