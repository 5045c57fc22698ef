"""The one way past Keras, for what is neither an input nor an output of a call.

Keras calls the layers of a model, and `compute_loss` after `call`, and passes only inputs, outputs
and losses between them. All other values go through this module:

* `report` and `record` pass values from a layer to its caller;
* `ThreadValue` passes a value from a caller to the layers inside, or from one method of a model to
  another.

Both are local to a thread, because a strategy of TensorFlow traces each replica in its own thread.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from keras.src.backend.common import symbolic_scope


class ThreadValue(threading.local):
    """A value that is local to each thread, and that Keras does not track as an attribute.

    Args:
        value: the initial value in every thread. Defaults to `None`.

    Attributes:
        value: the value in this thread.

    Example:

    >>> level = keras_adaptive.reporting.ThreadValue(1)
    >>> with level.holding(2):
    ...     inside = level.value
    >>> inside, level.value
    (2, 1)
    """

    def __init__(self, value: Any = None):
        self.value = value

    @contextlib.contextmanager
    def holding(self, value: Any) -> Iterator[None]:
        """A context inside of which this thread has another `value`."""
        before, self.value = self.value, value
        try:
            yield
        finally:
            self.value = before


# The kind and the list of each `record` that is open, and whether Keras was building something by
# symbols when it was opened: what layers report then is of no use to those opened before.
_open = ThreadValue(())


@contextlib.contextmanager
def record(kind: str) -> Iterator[list]:
    """Collects what the layers called inside the context `report` of one kind.

    Contexts nest; each entry goes to every open one of its kind. Tensors of a trace must not be
    used after that trace, so read the list where the layers were called.

    Args:
        kind: which reports to collect.

    Yields:
        A list of entries, in the order of the calls.

    Example:

    >>> with keras_adaptive.reporting.record("ponder") as entries:
    ...     keras_adaptive.reporting.report("ponder", "an entry")
    ...     keras_adaptive.reporting.report("saturation_cost", "another")
    >>> entries
    ['an entry']
    """
    entries: list[Any] = []
    with _open.holding((*_open.value, (kind, entries, symbolic_scope.in_symbolic_scope()))):
        yield entries


def report(kind: str, entry: Any) -> None:
    """Adds an entry to every open `record` of its kind.

    Args:
        kind: what is reported.
        entry: what to add.
    """
    for its_kind, entries, is_symbolic in _open.value:
        if its_kind == kind and is_symbolic == symbolic_scope.in_symbolic_scope():
            entries.append(entry)
