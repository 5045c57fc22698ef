"""How HAM tells the model around it which decisions it took."""

from typing import Any, NamedTuple

from ..log import Log


class Entry(NamedTuple):
    """What one HAM layer reports of one call, L being the tree's levels.

    Attributes:
        layer: the layer.
        path: int32 `(batch, accesses, L)`, 1 for right.
        right_probability: `(batch, accesses, L)`, of going right at the nodes of the path.
        query: `(batch, accesses, l)`, what SEARCH was asked with: h_LSTM before the access, or x_t.
        mask: boolean `(batch, m)`, which outputs the length of the example's input allows.
    """

    layer: Any
    path: Any
    right_probability: Any
    query: Any
    mask: Any


_log = Log()


def record():
    """Collects what the HAM layers called inside the context report.

    Tensors of a trace must not be used after that trace.

    Returns:
        A context manager that gives a list of `Entry`, in the order of the calls.
    """
    return _log.record()


def report(*entry):
    """Tells every open `record` the fields of an `Entry`."""
    _log.report(Entry(*entry))
