"""Work that may take long: it says so, and Ctrl-C stops it at once, whatever computes it."""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...checkpoints.signals import Terminated

# Seconds until the first message that work continues; the next comes after twice as many.
FIRST = 10.0
# Inputs of at least so many positions are estimated.
LONG = 2000
# By two parts of them, so long at most that nobody waits for the estimate.
PARTS = (500, 1000)


def interruptible(function: Callable[[], Any]) -> Any:
    """What a function returns, which Ctrl-C need not wait for.

    A backend computes without a look at signals, so the function runs in a thread of its own. While
    it does, standard error says now and then how long it has taken.

    Args:
        function: without arguments. What it has begun when Ctrl-C comes is left undone.

    Returns:
        What `function` returns.

    Raises:
        KeyboardInterrupt: Ctrl-C, or SIGTERM.
        BaseException: what `function` raised.

    Example:

    >>> interruptible(lambda: 1 + 2)
    3
    """
    found: dict[str, Any] = {}
    done = threading.Event()

    def work():
        try:
            found["result"] = function()
        except BaseException as error:
            found["error"] = error
        finally:
            done.set()

    began, pause = time.monotonic(), FIRST
    threading.Thread(target=work, daemon=True).start()
    try:
        # Short enough for Ctrl-C on every system.
        while not done.wait(0.2):
            passed = time.monotonic() - began
            if passed >= pause:
                note(f"working, {in_words(passed)} so far; Ctrl-C stops")
                pause *= 2
    except KeyboardInterrupt as stop:
        atexit.register(leave, done, 143 if isinstance(stop, Terminated) else 130)
        raise
    if "error" in found:
        raise found["error"]
    return found["result"]


def leave(done: threading.Event, code: int) -> None:
    """End the process, whose work would be waited for, unless it is done."""
    if not done.is_set():
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)


class Estimated:
    """A probe that first says how long a long input will take.

    Args:
        probe: of a model, called with inputs (batch, time, …).
        power: the time grows as this power of the length.
    """

    def __init__(self, probe: Callable[[np.ndarray], Any], power: int = 1):
        self.probe, self.power = probe, power

    def __call__(self, inputs: np.ndarray) -> Any:
        """What the probe says."""
        length = inputs.shape[1]
        if length >= LONG:
            note(f"{length:,} positions take about {in_words(self.estimate(inputs))}; Ctrl-C stops")
        return self.probe(inputs)

    def estimate(self, inputs: np.ndarray) -> float:
        """About how many seconds inputs take: those of two parts without what both of them cost."""
        short, long = (self.seconds(inputs[:, :part]) for part in PARTS)
        low, high, whole = (size**self.power for size in (*PARTS, inputs.shape[1]))
        # Where the two say nothing, being measured badly, a part of the longer one grows.
        return long + max(long - short, long / 4) / (high - low) * (whole - high)

    def seconds(self, inputs: np.ndarray) -> float:
        """How long the probe takes for inputs, once its functions are traced."""
        self.probe(inputs)
        began = time.monotonic()
        self.probe(inputs)
        return time.monotonic() - began


def in_words(seconds: float) -> str:
    """A time in words.

    >>> in_words(0.4), in_words(75), in_words(60), in_words(8000)
    ('1 second', '75 seconds', '60 seconds', '2.2 hours')
    """
    if seconds < 120:
        count = max(round(seconds), 1)
        return f"{count} second" if count == 1 else f"{count} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def note(text: str) -> None:
    """Tell the person, not the program that reads the answer."""
    print(text, file=sys.stderr, flush=True)
