"""The dtype in which sums over many steps and probabilities are computed."""

from typing import Any

import keras


def at_least_float32(dtype: Any) -> str:
    """float64 for float64, and float32 for all other dtypes, with mixed precision too."""
    return "float64" if keras.backend.standardize_dtype(dtype) == "float64" else "float32"
