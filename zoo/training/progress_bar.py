"""The bar of a training."""

import heapq
import time

import keras

# The updates in which training and validation are compiled.
COMPILED = 2


class ProgressBar(keras.utils.Progbar):
    """Keras's progress bar, with an estimate that leaves out what is not going to happen again.

    That is compilation, and what was trained before the training was resumed. The bar appears when
    there is an estimate.

    Args:
        target: the last step.
        start: the step that the training begins at.
        **settings: as of `keras.utils.Progbar`.
    """

    def __init__(self, target, start=0, **settings):
        super().__init__(target, **settings)
        self.step, self.at = start, time.monotonic()
        self.steps, self.seconds = 0, 0.0
        # (seconds, steps) of the slowest updates.
        self.slowest = []

    def update(self, current, values=None, finalize=None):
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
