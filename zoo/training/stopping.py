"""Ctrl-C and SIGTERM, which clusters send before they kill: what was reached is saved first."""

import contextlib
import os
import signal
import threading


class Terminated(KeyboardInterrupt):
    """The process was sent SIGTERM."""


ERRORS = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}


class Stop:
    """Notes the first signal, so that there is time to save; the second one stops at once."""

    def __init__(self):
        self.signal = None
        self.saving = False

    def note(self, number, frame):
        """What is done at a signal."""
        if self.signal is not None and not self.saving:
            raise ERRORS[number]("stopped at once; the last checkpoint is kept")
        if self.signal is None:
            # Python's own streams cannot be written to from here: one may be in the middle of it.
            with contextlib.suppress(OSError):
                os.write(2, b"\nfinishing the chunk and saving; a second signal stops at once\n")
        self.signal = number if self.signal is None else self.signal

    @contextlib.contextmanager
    def held(self):
        """While something is saved, a second signal is of no effect."""
        self.saving = True
        try:
            yield
        finally:
            self.saving = False

    def check(self, text):
        """Raise the error of the signal, with this text, if there was one."""
        if self.signal is not None:
            raise ERRORS[self.signal](text)


@contextlib.contextmanager
def noted():
    """A `Stop` that the signals go to while the block runs."""
    stop = Stop()
    with handled(stop.note, ERRORS):
        yield stop


@contextlib.contextmanager
def terminable():
    """SIGTERM raises `Terminated` while the block runs, so that files are closed and removed."""

    def stop(number, frame):
        raise Terminated("terminated")

    with handled(stop, [signal.SIGTERM]):
        yield


@contextlib.contextmanager
def handled(handler, signals):
    """Let signals go to `handler` while the block runs; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)
