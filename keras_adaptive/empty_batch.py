"""Batches without rows, on which eager kernels of TensorFlow fail and Keras's additions too."""

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from keras import ops, tree

from . import arguments
from .types import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def accepts_empty_batch(call: Callable[P, R]) -> Callable[P, R]:
    """Lets the `call` of a layer take a batch without rows: it runs on a masked row, and drops it.

    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.LSTMCell(4))
    >>> layer(np.ones((0, 3, 5))).shape == (0, 4)
    True
    """
    signature = inspect.signature(call)

    @functools.wraps(call)
    def wrapped(*args, **kwargs):
        given = dict(signature.bind(*args, **kwargs).arguments)
        _, (name, inputs), *_ = given.items()
        shape = arguments.one_tensor(name, inputs).shape
        if len(shape) < 2 or shape[0] != 0 or None in shape[1:]:
            return call(*args, **kwargs)
        given = {name: tree.map_structure(_one_row, value) for name, value in given.items()}
        given["mask"] = ops.zeros((1, shape[1]), "bool")
        return tree.map_structure(lambda x: x[:0], call(**given))

    return wrapped


def mean_over_rows(values: Tensor) -> Tensor:
    """The sum of all values divided by the number of rows; of no rows 0, not NaN.

    One of several devices may have no example of the last batch.

    >>> float(mean_over_rows(np.array([2.0, 4.0]))), float(mean_over_rows(np.zeros(0)))
    (3.0, 0.0)
    """
    rows = ops.maximum(ops.shape(values)[0], 1)
    return ops.sum(values) / ops.cast(rows, values.dtype)


def _one_row(x):
    if getattr(x, "shape", None) is None or len(x.shape) == 0 or x.shape[0] != 0:
        return x
    return ops.zeros((1, *x.shape[1:]), x.dtype)
