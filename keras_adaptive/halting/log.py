"""How layers that ponder tell the model around them how long they did."""

import contextlib
import threading
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """What one layer reports of one call.

    Attributes:
        layer: the layer that pondered.
        steps: N, `(batch, …)`, zero where nothing was to be pondered.
        remainder: R, of the same shape.
    """

    layer: Any
    steps: Any
    remainder: Any


class _Open(threading.local):
    def __init__(self):
        self.logs = []


_open = _Open()


@contextlib.contextmanager
def record():
    """Collects what the layers called inside the context `report`.

    Contexts nest; each entry goes to every open one. Tensors of a trace must not be used after
    that trace, so read the list where the layers were called.

    Yields:
        A list of `Entry`, in the order of the calls.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4))
    >>> with record() as entries:
    ...     _ = layer(np.ones((2, 3, 5), "float32"))
    >>> [entry.steps.shape for entry in entries] == [(2, 3)]
    True
    """
    entries = []
    _open.logs.append(entries)
    try:
        yield entries
    finally:
        _open.logs.remove(entries)


def report(layer, steps, remainder):
    """Tells every open `record` how long `layer` pondered.

    Args:
        layer: the layer that pondered; its `name` tells the metrics apart.
        steps: N, `(batch, …)`.
        remainder: R, of the same shape.
    """
    for entries in _open.logs:
        entries.append(Entry(layer, steps, remainder))
