"""Reading and replacing rows of a matrix, in the fastest way of each backend."""

import keras
from keras import ops

from ..types import Tensor


def take(rows: Tensor, indices: Tensor) -> Tensor:
    """The rows with these indices, which are distinct and in range: `(k, width)`."""
    if keras.config.backend() == "jax":
        return rows.at[indices].get(mode="promise_in_bounds", unique_indices=True)
    return ops.take(rows, indices, axis=0)


def replace(rows: Tensor, indices: Tensor, values: Tensor) -> Tensor:
    """The matrix with `values` `(k, width)` in these rows; the indices are distinct."""
    if keras.config.backend() == "jax":
        # For distinct indices JAX needs no sorting in the gradient.
        place = rows.at[indices]
        return place.set(values, mode="promise_in_bounds", unique_indices=True)
    return ops.scatter_update(rows, indices[:, None], values)


def look_up(rows: Tensor, indices: Tensor) -> Tensor:
    """The rows with these indices of any shape, in range: `(…, width)`. Without a gradient."""
    if keras.config.backend() == "jax":
        return rows.at[indices].get(mode="promise_in_bounds")
    return ops.take(rows, indices, axis=0)
