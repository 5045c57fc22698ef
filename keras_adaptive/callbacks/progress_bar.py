"""One bar for a whole training."""

import heapq
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import keras

from .. import arguments

# The updates in which training and validation are compiled.
COMPILED = 2
# Seconds between two updates: a terminal shows one moving line, a log file gets a line a minute.
INTERVALS = {True: 0.2, False: 60.0}


class Bar(keras.utils.Progbar):
    """Keras's progress bar, with an estimate that leaves out what is not going to happen again.

    That is compilation, and what was trained before the training was resumed. The bar appears when
    there is an estimate.

    Args:
        target: the last step.
        start: the step that the training begins at.
        **settings: as in `keras.utils.Progbar`.
    """

    def __init__(self, target: int | None, start: int = 0, **settings: Any):
        super().__init__(target, **settings)
        self.step, self.at = start, time.monotonic()
        self.steps, self.seconds = 0, 0.0
        # (seconds, steps) of the slowest updates.
        self.slowest: list[tuple[float, int]] = []

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Draws the bar at a step."""
        now = time.monotonic()
        steps, seconds = current - self.step, now - self.at
        if steps > 0:
            self.steps, self.seconds = self.steps + steps, self.seconds + seconds
            self.step, self.at = current, now
            heapq.heappush(self.slowest, (seconds, steps))
            if len(self.slowest) > COMPILED:
                heapq.heappop(self.slowest)
        if finalize or self.steps > sum(steps for _, steps in self.slowest):
            super().update(current, values, finalize)

    def _estimate_step_duration(self, current, now):
        seconds, steps = self.seconds, self.steps
        left = steps - sum(steps for _, steps in self.slowest)
        if left > 0:
            seconds, steps = seconds - sum(seconds for seconds, _ in self.slowest), left
        return seconds / max(steps, 1)


class ProgressBar(keras.callbacks.Callback):
    """One progress bar for all epochs, whose estimate of the time left leaves out compilation.

    Keras draws a bar for each epoch, and its estimate counts the first step, in which the model is
    compiled. Give `verbose=0` to `fit`. On a terminal it is one moving line; in a log file, a line
    a minute.

    Args:
        steps: integer >= 1, of all calls of `fit` together. Defaults to `None`: of each call,
            what its `epochs` have.
        start: integer >= 0, the step that training begins at. Defaults to `None`: that of the
            first epoch.
        values: a function from the logs to a dict of what the bar shows. Defaults to `None`: all
            logs.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    ```python
    model.fit(x, y, epochs=100, verbose=0, callbacks=[ProgressBar()])
    ```
    """

    def __init__(
        self,
        steps: int | None = None,
        start: int | None = None,
        values: Callable[[Mapping[str, Any]], Mapping[str, float]] | None = None,
    ):
        super().__init__()
        self.steps = None if steps is None else arguments.integer("steps", steps, least=1)
        self.start = None if start is None else arguments.integer("start", start, least=0)
        self.values = dict if values is None else arguments.function("values", values)
        self.bar: Bar | None = None
        self.step = self._began = 0
        self._shown: dict[str, float] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins a new bar, unless several calls of `fit` share one of `steps`."""
        if self.steps is None:
            self.bar = None

    def _target(self):
        if self.steps is not None:
            return self.steps
        steps, epochs = self.params.get("steps"), self.params.get("epochs")
        return steps * epochs if steps and epochs else None

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes where the epoch begins."""
        if self.bar is None:
            of_epochs = epoch * (self.params.get("steps") or 0)
            self.step = of_epochs if self.start is None else self.start
            interval = INTERVALS[sys.stdout.isatty()]
            # All logs are means over the epoch already.
            self.bar = Bar(self._target(), self.step, interval=interval, stateless_metrics=())
        self.bar.target = self._target()
        self._began = self.step

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Draws the bar."""
        steps = self.params.get("steps") or batch + 1
        self.step = self._began + min(batch + 1, steps)
        self._shown = {name: float(value) for name, value in self.values(logs or {}).items()}
        self._draw(finalize=False)

    def on_train_end(self, logs: Any = None) -> None:
        """Draws the bar for the last time, if the training is at its end."""
        target = self._target()
        if target is not None and self.step >= target:
            self._draw(finalize=True)

    def _draw(self, finalize):
        if self.bar is not None:
            self.bar.update(self.step, list(self._shown.items()), finalize=finalize)
