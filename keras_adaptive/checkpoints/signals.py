"""Ctrl-C and SIGTERM, which clusters send before they kill: there is time to save first."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType


class Terminated(KeyboardInterrupt):
    """The process was sent SIGTERM."""


ERRORS: dict[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}


class StopRequest:
    """Notes the first signal, so that there is time to save; the second one stops at once.

    Attributes:
        signal: the number of the signal, None while there was none.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._saving = self._raised = False

    def note(self, number: int, frame: FrameType | None = None) -> None:
        """Handles a signal."""
        if self.signal is not None and not self._saving:
            raise ERRORS[number]("stopped at once; the last checkpoint is kept")
        if self.signal is None:
            # Python's own streams cannot be written to from here: one may be in the middle of it.
            with contextlib.suppress(OSError):
                os.write(2, b"\nfinishing the epoch and saving; a second signal stops at once\n")
            self.signal = number

    def obey(self, number: int, frame: FrameType | None = None) -> None:
        """Handles a signal by its error."""
        self.signal = number
        raise ERRORS[number]("terminated" if number == signal.SIGTERM else "interrupted")

    @contextlib.contextmanager
    def ignored_while_saving(self) -> Iterator[None]:
        """While the block saves something, a second signal has no effect."""
        self._saving = True
        try:
            yield
        finally:
            self._saving = False

    @property
    def pending(self) -> bool:
        """Whether there was a signal whose error has not been raised."""
        return self.signal is not None and not self._raised

    def check(self, text: str) -> None:
        """Raises the error of the signal, with this text, if there was one."""
        if self.signal is not None:
            self._raised = True
            raise ERRORS[self.signal](text)


@contextlib.contextmanager
def deferred_signals() -> Iterator[StopRequest]:
    """Notes SIGINT and SIGTERM while the block runs, instead of raising an error at once.

    Of two blocks, one in the other, both know of a signal that the inner one did not answer.

    Yields:
        A `StopRequest`.

    Example:

    >>> with deferred_signals() as request:
    ...     signal.raise_signal(signal.SIGTERM)
    >>> request.signal == signal.SIGTERM
    True
    """
    request = StopRequest()
    outer = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if isinstance(outer, StopRequest):
        # A library has caught the error and gone on.
        request.signal = outer.signal
    with handled(request.note, ERRORS):
        yield request
    if isinstance(outer, StopRequest) and outer.signal is None and request.pending:
        outer.signal = request.signal


@contextlib.contextmanager
def terminable() -> Iterator[StopRequest]:
    """SIGINT and SIGTERM raise their errors at once, so that files are closed and removed.

    Yields:
        A `StopRequest`, which tells of the signal where a library has caught the error and raised
        another.
    """
    request, before = StopRequest(), sys.unraisablehook

    def again(lost):
        # Python ignores errors of a callback of its garbage collection, such as JAX has one.
        if isinstance(lost.exc_value, KeyboardInterrupt) and request.signal is not None:
            threading.Timer(0.01, os.kill, (os.getpid(), request.signal)).start()
        else:
            before(lost)

    sys.unraisablehook = again
    try:
        with handled(request.obey, ERRORS):
            yield request
    finally:
        sys.unraisablehook = before


@contextlib.contextmanager
def handled(
    handler: Callable[[int, FrameType | None], None], signals: Iterable[int]
) -> Iterator[None]:
    """Sends signals to `handler` while the block runs; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)
