"""How HAM passes its decisions to the model that contains it."""

from typing import Any, NamedTuple

from ..log import Log


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


_log = Log()


def record():
    """Collects the reports of HAM layers that are called inside the context.

    Tensors of a trace must not be used after that trace.

    Returns:
        A context manager whose value is a list of `Entry`, in the order of the calls.
    """
    return _log.record()


def report(*entry):
    """Adds an `Entry` of these fields to every open `record`."""
    _log.report(Entry(*entry))
