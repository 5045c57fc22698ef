"""Calls that take long: messages while they run, an estimate before, and Ctrl-C at any time."""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from . import arguments
from .checkpoints.signals import Terminated
from .types import Tensor

# Seconds until the first message that work continues; the next comes after twice as many.
FIRST = 10.0
# The time is estimated for inputs of at least this many positions.
LONG = 2000
# Lengths of the two parts that are timed, short enough for a quick estimate.
PARTS = (500, 1000)


def interruptible(function: Callable[[], Any]) -> Any:
    """Calls a function so that Ctrl-C need not wait for it.

    Backends do not check for signals while they compute, so the function runs in its own thread.
    Meanwhile, messages on standard error say how long it has been running.

    Args:
        function: without arguments; it is not completed after Ctrl-C. Contexts such as
            `halting.limits` belong to a thread, so it has to enter them itself.

    Returns:
        What `function` returns.

    Raises:
        KeyboardInterrupt: Ctrl-C, or SIGTERM.
        BaseException: an error of `function`.

    Example:

    >>> interruptible(lambda: 1 + 2)
    3
    """
    arguments.function("function", function)
    outcome: dict[str, Any] = {}
    done = threading.Event()

    def work():
        try:
            outcome["result"] = function()
        except BaseException as error:
            outcome["error"] = error
        finally:
            done.set()

    began, pause = time.monotonic(), FIRST
    threading.Thread(target=work, daemon=True).start()
    try:
        # Short enough for Ctrl-C on every system.
        while not done.wait(0.2):
            passed = time.monotonic() - began
            if passed >= pause:
                _note(f"working, {in_words(passed)} so far; Ctrl-C stops")
                pause *= 2
    except KeyboardInterrupt as stop:
        atexit.register(_leave, done, 143 if isinstance(stop, Terminated) else 130)
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def _leave(done: threading.Event, code: int) -> None:
    """Ends the process without waiting for unfinished work."""
    if not done.is_set():
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)


class Estimated:
    """A model or another function of inputs that prints how long a long input will take.

    The estimate comes before the computation, from the times of two short parts of the input.

    Args:
        probe: a function of inputs `(batch, time, …)`.
        power: the time grows as this power of the length. Defaults to `1`.

    Example:

    >>> int(Estimated(np.sum)(np.ones((1, 3))))
    3
    """

    def __init__(self, probe: Callable[[Tensor], Any], power: int = 1):
        self.probe = arguments.function("probe", probe)
        self.power = arguments.integer("power", power, least=1)

    def __call__(self, inputs: Tensor) -> Any:
        """What the function returns."""
        length = inputs.shape[1]
        if length >= LONG:
            duration = in_words(self.estimate(inputs))
            _note(f"{length:,} positions take about {duration}; Ctrl-C stops")
        return self.probe(inputs)

    def estimate(self, inputs: Tensor) -> float:
        """An estimate in seconds, extrapolated from the times of two parts."""
        short, long = (self.seconds(inputs[:, :part]) for part in PARTS)
        low, high, full = (size**self.power for size in (*PARTS, inputs.shape[1]))
        # If noise hides the difference, a quarter of the longer time is taken as growing.
        return long + max(long - short, long / 4) / (high - low) * (full - high)

    def seconds(self, inputs: Tensor) -> float:
        """The time of a call, after its functions are traced."""
        self.probe(inputs)
        began = time.monotonic()
        self.probe(inputs)
        return time.monotonic() - began


def in_words(seconds: float) -> str:
    """A duration in words.

    Args:
        seconds: float >= 0.

    >>> in_words(0.4), in_words(75), in_words(60), in_words(8000)
    ('1 second', '75 seconds', '60 seconds', '2.2 hours')
    """
    seconds = arguments.number("seconds", seconds, least=0)
    if seconds < 120:
        count = max(round(seconds), 1)
        return f"{count} second" if count == 1 else f"{count} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _note(text: str) -> None:
    """Prints a message to standard error."""
    print(text, file=sys.stderr, flush=True)
