"""Reading and replacing rows of a matrix, as each backend does it without detours."""

import keras
from keras import ops


def take(rows, indices):
    """The rows with these indices, which differ from each other and exist: `(k, width)`."""
    if keras.config.backend() == "jax":
        return rows.at[indices].get(mode="promise_in_bounds", unique_indices=True)
    return ops.take(rows, indices, axis=0)


def replace(rows, indices, values):
    """The matrix with `values` `(k, width)` in these rows; the indices differ from each other."""
    if keras.config.backend() == "jax":
        # Knowing that they differ, JAX needs no sorting for the gradient.
        place = rows.at[indices]
        return place.set(values, mode="promise_in_bounds", unique_indices=True)
    return ops.scatter_update(rows, indices[:, None], values)


def look_up(rows, indices):
    """The rows with these indices of any shape, which exist: `(…, width)`. For no gradient."""
    if keras.config.backend() == "jax":
        return rows.at[indices].get(mode="promise_in_bounds")
    return ops.take(rows, indices, axis=0)
