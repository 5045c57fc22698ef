"""How layers that ponder tell the model around them how long they did."""

import contextlib
import threading
from typing import Any, NamedTuple

from keras import ops


class Entry(NamedTuple):
    """What one layer reports of one call.

    Attributes:
        layer: the layer that pondered.
        steps: N, `(batch, …)`, zero where nothing was to be pondered.
        remainder: R, of the same shape.
        time_penalty: scalar, the τ that this call was charged; 0 where ponder costs nothing.
    """

    layer: Any
    steps: Any
    remainder: Any
    time_penalty: Any

    @property
    def cost(self):
        """τ · mean over the batch of the sum over all other axes of N + R (Equations 10-12)."""
        ponder = self.steps + self.remainder
        total = ops.mean(ops.sum(ponder, axis=tuple(range(1, ops.ndim(ponder)))))
        return ops.cast(self.time_penalty, total.dtype) * total

    @property
    def present(self):
        """How many inputs were pondered: those that no mask excludes."""
        return ops.sum(ops.cast(self.steps > 0, self.steps.dtype))

    @property
    def mean_steps(self):
        """Mean of N over the inputs that were pondered."""
        return ops.sum(self.steps) / ops.maximum(self.present, 1.0)

    @property
    def mean_ponder(self):
        """Mean of ρ = N + R over the inputs that were pondered."""
        return ops.sum(self.steps + self.remainder) / ops.maximum(self.present, 1.0)


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
        # Not `remove`, which would take any list that is equal.
        _open.logs = [log for log in _open.logs if log is not entries]


def report(layer, steps, remainder, time_penalty=0.0):
    """Tells every open `record` how long `layer` pondered.

    Args:
        layer: the layer that pondered; its `name` tells the metrics apart.
        steps: N, `(batch, …)`.
        remainder: R, of the same shape.
        time_penalty: scalar, the τ that the layer charges; its `add_loss` should be the
            entry's `cost`.

    Returns:
        The `Entry`.
    """
    entry = Entry(layer, steps, remainder, time_penalty)
    for entries in _open.logs:
        entries.append(entry)
    return entry
