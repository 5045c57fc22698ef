"""A curriculum for plain `fit`."""

from collections.abc import Mapping
from typing import Any

import keras

from .. import arguments


class AdvanceCurriculum(keras.callbacks.Callback):
    """Moves to the next level of a curriculum when the model has learned the current one.

    After each epoch the model sits an exam: fresh examples of the level, without dropout. If at
    least the share `threshold` of the answers is right from the first symbol to the last, the next
    epoch has the next level. The last level stays.

    The logs get `curriculum_length` (the longest length of the epoch's level), `curriculum_error`
    (the exam's), `curriculum_passed` (1 or 0), and `curriculum_at_end` (1 if the next epoch has the
    last level).

    Save `get_state` with the model; with `set_state` a new callback continues with the same batches
    and levels.

    Args:
        feed: a `curriculum.Feed`, that `fit` is also given. Each epoch is one pass over it.
        threshold: float in (0, 1], share of fully right answers. Defaults to `0.9`.
        exam_batches: integer >= 1, batches of an exam. Defaults to `4`.
        metric: name of the error among the model's metrics. Defaults to `"sequence_error"`.

    Raises:
        ValueError: if an argument is out of its range; in training, if the model has no such
            metric.

    Example:

    >>> from keras_adaptive import curriculum
    >>> sample = keras_adaptive.datasets.task("neural_gpu_copy").sample
    >>> regime = curriculum.OneByOne(("min_length", "length"), start=2, stop=41)
    >>> feed = curriculum.Feed(sample, regime, batch_size=8, batches=2)
    >>> model = keras.Sequential([keras.layers.Embedding(3, 4), keras.layers.Dense(3)])
    >>> loss = keras_adaptive.losses.SequenceLoss(from_logits=True)
    >>> error = keras_adaptive.metrics.SequenceError()
    >>> model.compile("adam", loss, weighted_metrics=[error])
    >>> callback = AdvanceCurriculum(feed, threshold=0.9, exam_batches=1)
    >>> data = feed.for_fit()
    >>> history = model.fit(data, shuffle=False, verbose=0, callbacks=[callback]).history
    >>> history["curriculum_length"]
    [2]
    >>> callback.get_state()
    {'level': 0, 'step': 2}

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3 ("Curriculum learning"), after
    Zaremba & Sutskever (2015), arXiv:1410.4615.
    """

    def __init__(
        self,
        feed: Any,
        threshold: float = 0.9,
        exam_batches: int = 4,
        metric: str = "sequence_error",
    ):
        super().__init__()
        if isinstance(feed, type) or not all(hasattr(feed, x) for x in ("regime", "exam")):
            arguments.refuse("feed", feed, "a `curriculum.Feed`")
        self.feed = feed
        self.threshold = arguments.number("threshold", threshold, above=0, most=1)
        self.exam_batches = arguments.integer("exam_batches", exam_batches, least=1)
        self.metric = arguments.text("metric", metric)
        self.level = 0
        self.step = 0

    def get_state(self) -> dict[str, int]:
        """Level and number of batches so far, as a dict of integers."""
        return {"level": self.level, "step": self.step}

    def set_state(self, state: Mapping[str, int]) -> None:
        """Continues where `get_state` was called.

        Raises:
            ValueError: if the curriculum has no such level.
        """
        levels = len(self.feed.regime.lengths)
        if not 0 <= state["level"] < levels:
            raise ValueError(
                f"Argument `state` must have a level from 0 to {levels - 1}. Received: {state!r}"
            )
        self.level = state["level"]
        self.step = state["step"]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the level and the first batch of the feed."""
        self.feed.level = self.level
        self.feed.start = self.step

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Holds the exam."""
        self.step += len(self.feed)
        lengths = self.feed.regime.lengths
        error = self._error()
        # An error in float32 is a little off.
        passed = 1.0 - error >= self.threshold - 1e-6
        logs["curriculum_length"] = lengths[self.level]
        if passed:
            self.level = min(self.level + 1, len(lengths) - 1)
        logs["curriculum_error"] = error
        logs["curriculum_passed"] = float(passed)
        logs["curriculum_at_end"] = float(self.level == len(lengths) - 1)

    def _error(self):
        exam = self.feed.exam(self.exam_batches, start=self.step)
        logs = self.model.evaluate(exam.for_fit(), verbose=0, return_dict=True)
        if self.metric not in logs:
            raise ValueError(
                f"Argument `metric` must be a metric of the model, one of {sorted(logs)}. "
                f"Received: {self.metric!r}"
            )
        return float(logs[self.metric])
