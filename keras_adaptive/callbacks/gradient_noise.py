"""Gradient noise that fades with the mistakes."""

from typing import Any

import keras

from .. import arguments
from ..optimizers import GradientNoise


class UpdateWrongFraction(keras.callbacks.Callback):
    """Tells `optimizers.GradientNoise` after each epoch what share of the outputs was wrong.

    Args:
        metric: name of the share in the logs. Defaults to `"sequence_error"`.

    Raises:
        ValueError: in training, if the model's optimizer is not a `GradientNoise` (or one in a
            `LossScaleOptimizer`), or the logs have no such metric.

    Example:

    >>> model = keras.Sequential([keras.Input((None, 3)), keras.layers.Dense(2)])
    >>> model.compile(
    ...     keras_adaptive.optimizers.GradientNoise("adam", scale=0.1),
    ...     keras_adaptive.losses.SequenceLoss(from_logits=True),
    ...     weighted_metrics=[keras_adaptive.metrics.SequenceError()],
    ... )
    >>> x, y = np.random.normal(size=(8, 5, 3)), np.zeros((8, 5))
    >>> history = model.fit(x, y, verbose=0, callbacks=[UpdateWrongFraction()])
    >>> float(model.optimizer.wrong_fraction) == history.history["sequence_error"][0]
    True

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3: noise is multiplied "by the
    fraction of non-fully-correct outputs".
    """

    def __init__(self, metric: str = "sequence_error"):
        super().__init__()
        self.metric = arguments.text("metric", metric)

    def on_train_begin(self, logs: Any = None) -> None:
        """Looks for the optimizer."""
        self._optimizer()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Sets the fraction."""
        if self.metric not in logs:
            raise ValueError(
                f"Argument `metric` must be a metric of the training, one of {sorted(logs)}. "
                f"Received: {self.metric!r}"
            )
        self._optimizer().wrong_fraction.assign(float(logs[self.metric]))

    def _optimizer(self):
        optimizer = self.model.optimizer
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            optimizer = optimizer.inner_optimizer
        if not isinstance(optimizer, GradientNoise):
            raise ValueError(
                "UpdateWrongFraction needs a model that was compiled with a GradientNoise "
                f"optimizer. Received: {type(optimizer).__name__}"
            )
        return optimizer
