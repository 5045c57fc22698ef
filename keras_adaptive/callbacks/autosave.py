"""Saving at the ends of epochs: when enough time has passed, on a signal, and at the end."""

import contextlib
import time
from collections.abc import Callable
from typing import Any, Self

import keras

from .. import arguments
from ..checkpoints.signals import StopRequest, deferred_signals


class Autosave(keras.callbacks.Callback):
    """Calls a function that saves a training, at the ends of epochs.

    It is called when `seconds` have passed since the last time, when training was asked to stop
    (`model.stop_training`), and at the end of `fit`. Within a `with` block, Ctrl-C and SIGTERM are
    answered at the end of the epoch: the function is called, and only then
    `KeyboardInterrupt` is raised (for SIGTERM its subclass `checkpoints.Terminated`). A second
    signal stops at once, unless it comes while the function saves.

    `Checkpoint` saves the model and resumes it, too. Put either after the other callbacks.

    Args:
        save: a function without arguments.
        seconds: float >= 0, the least time between two calls. Defaults to `20.0`.
        steps: a function that returns the number of steps taken, for the message after a signal.
            Defaults to `None`: the number of updates by the optimizer.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> x, y = np.ones((4, 2)), np.ones((4, 1))
    >>> with Autosave(lambda: print("saved"), seconds=0) as autosave:
    ...     _ = model.fit(x, y, epochs=2, verbose=0, callbacks=[autosave])
    saved
    saved
    """

    def __init__(
        self,
        save: Callable[[], Any],
        seconds: float = 20.0,
        steps: Callable[[], int] | None = None,
    ):
        super().__init__()
        self.save = arguments.function("save", save)
        self.seconds = arguments.number("seconds", seconds, least=0)
        self.steps = None if steps is None else arguments.function("steps", steps)
        self.request = StopRequest()
        self._saved_at = time.monotonic()
        self._is_saved = True
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Defers signals until the block ends."""
        self.request = self._open.enter_context(deferred_signals())
        return self

    def __exit__(self, *error: Any) -> None:
        """Lets signals go where they went before; raises the error of one without an answer."""
        self._open.close()
        if error[:1] in ((), (None,)) and self.request.pending:
            self.request.check("stopped; the state is saved")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes that there is something to save."""
        self._is_saved = False

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, if it is time to, and raises the error of a signal."""
        due = time.monotonic() - self._saved_at >= self.seconds
        if due or self.request.signal is not None or self.model.stop_training:
            self.save_now()
        self.stop_if_requested()

    def on_train_end(self, logs: Any = None) -> None:
        """Saves what the last epoch has not saved."""
        if not self._is_saved:
            self.save_now()
        self.stop_if_requested()

    def save_now(self) -> None:
        """Calls the function; a second signal has no effect meanwhile."""
        with self.request.ignored_while_saving():
            self.save()
        self._saved_at, self._is_saved = time.monotonic(), True

    def stop_if_requested(self) -> None:
        """Raises `KeyboardInterrupt` if there was a signal."""
        steps = int(self.model.optimizer.iterations) if self.steps is None else self.steps()
        self.request.check(f"stopped after {steps} steps; the state is saved")
