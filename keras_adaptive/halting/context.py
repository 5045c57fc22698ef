"""Contexts: settings that override those of the rules for all loops inside a `with` block.

A traced function keeps the settings of the context in which it was traced. So each context gives
its backend a key: a function that was traced under another key is traced again, and no function is
traced twice under the same key.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from keras import ops

from .. import backend
from ..reporting import ThreadValue


class Context(NamedTuple):
    """The settings of a context.

    Attributes:
        max_ponder: replaces that of rules with `has_limits`; `None` keeps each rule's own.
        epsilon: replaces that of `ACT` rules; `None` keeps each rule's own.
        seconds: time limit of each call of a layer; `None` sets no limit.
        compact: whether rows that have halted are dropped from the batch.
    """

    max_ponder: Any = None
    epsilon: Any = None
    seconds: Any = None
    compact: bool = False

    @property
    def key(self) -> Any:
        """What distinguishes functions traced in this context; `None` for the default context."""
        plain = all(value is usual for value, usual in zip(self, PLAIN))
        return None if plain else tuple(map(_Same, self))


class _Same:
    """A value as part of a key: numbers are compared by value, tensors by identity."""

    def __init__(self, value):
        self.value = value
        self.parts = id(value) if ops.is_tensor(value) else (type(value), value)

    def __eq__(self, other):
        return isinstance(other, _Same) and self.parts == other.parts

    def __hash__(self):
        return hash(self.parts)


PLAIN = Context()


_here = ThreadValue(PLAIN)
# Whether the time of the current rule is up, boolean `(batch,)`; `None` without a limit.
time_is_up = ThreadValue(None)
# The contexts that are open in all threads, in the order in which they were entered.
_open: list[Context] = []


def current() -> Context:
    """The current `Context`."""
    if _here.value is PLAIN and _open and backend.runs_for_another_thread():
        return _open[-1]
    return _here.value


def key() -> Any:
    """The key of the current context."""
    return current().key


@contextlib.contextmanager
def override(**values: Any) -> Iterator[None]:
    """Overrides `values` of the current `Context` in all calls of this thread inside."""
    now = current()._replace(**values)
    _open.append(now)
    try:
        with _here.holding(now), backend.retraced(now.key, key):
            yield
    finally:
        # The same object, not an equal one of another thread.
        del _open[max(i for i, entry in enumerate(_open) if entry is now)]
