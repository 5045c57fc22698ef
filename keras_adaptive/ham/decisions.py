"""Decisions between left and right: how HAM reports them, their log-probability and entropy."""

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from keras import ops

from .. import reporting
from ..types import Tensor


class Entry(NamedTuple):
    """What a HAM layer reports of a call; L is the number of levels of the tree.

    Attributes:
        layer: the layer.
        path: int32 `(batch, accesses, L)`, 1 for right.
        right_probability: `(batch, accesses, L)`, of going right at the nodes of the path.
        query: `(batch, accesses, l)`, the query of SEARCH: h_LSTM before the access, or x_t.
        mask: boolean `(batch, m)`, which outputs the length of the example's input allows.
    """

    layer: Any
    path: Any
    right_probability: Any
    query: Any
    mask: Any


def record() -> AbstractContextManager[list[Entry]]:
    """Collects the reports of HAM layers that are called inside the context.

    Tensors of a trace must not be used after that trace.

    Returns:
        A context manager whose value is a list of `Entry`, in the order of the calls.
    """
    return reporting.record("decisions")


def log_probability(path: Tensor, right_probability: Tensor) -> Tensor:
    """log p of each turn: `path` is 1 for right, `right_probability` is p of a right turn.

    >>> [round(float(x), 3) for x in log_probability(np.array([1, 0]), np.array([0.5, 0.2]))]
    [-0.693, -0.223]
    """
    p = ops.convert_to_tensor(right_probability)
    return _log(ops.where(ops.equal(path, 1), p, 1.0 - p))


def entropy(right_probability: Tensor) -> Tensor:
    """H(p) of each turn, in nats.

    >>> [round(float(x), 3) for x in entropy(np.array([0.5, 1.0]))]
    [0.693, 0.0]
    """
    p = ops.convert_to_tensor(right_probability)
    return -p * _log(p) - (1.0 - p) * _log(1.0 - p)


def _log(p):
    """log p, with a finite slope at 0."""
    return ops.log(ops.maximum(p, 1e-30))
