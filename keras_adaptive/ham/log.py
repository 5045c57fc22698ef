"""How HAM tells the model around it which decisions it took."""

import contextlib
import threading
from typing import Any, NamedTuple


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


class _Open(threading.local):
    def __init__(self):
        self.logs = []


_open = _Open()


@contextlib.contextmanager
def record():
    """Collects what the HAM layers called inside the context report.

    Tensors of a trace must not be used after that trace.

    Yields:
        A list of `Entry`, in the order of the calls.
    """
    entries = []
    _open.logs.append(entries)
    try:
        yield entries
    finally:
        # Not `remove`, which would take any list that is equal.
        _open.logs = [log for log in _open.logs if log is not entries]


def report(*entry):
    """Tells every open `record` the fields of an `Entry`."""
    for entries in _open.logs:
        entries.append(Entry(*entry))
