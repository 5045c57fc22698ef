"""The sequence loss of Graves (2016): summed over time, averaged over the batch."""

from typing import Any

import keras
from keras import ops

from . import arguments
from .summed_loss import SummedLoss, sparse_cross_entropy
from .types import Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class SequenceLoss(SummedLoss):
    """Cross-entropy of a whole sequence: the sum over its time steps (and simultaneous outputs).

    Keras's own losses average over time, so that τ would mean something else for every length.
    This one is the paper's L in `L + τ P`, averaged over the batch. Time steps without a target
    get a `sample_weight` of 0.

    The last axis of the predictions says which cross-entropy is meant: size 1 is the probability
    of class 1 (binary), a larger one a distribution over classes (categorical).

    Args:
        from_logits: whether predictions are logits instead of probabilities. Defaults to `False`.
        per_target: whether to divide the loss of each batch by the number of targets in it, or the
            sum of their weights, instead of by the number of sequences. Defaults to `False`.
        label_smoothing: float in [0, 1), the share of each target that is spread evenly over all
            classes, as in Keras's own losses. Defaults to `0`.
        name: name of the loss. Defaults to `"sequence_loss"`.
        dtype: of the computation, as in Keras's own losses. Defaults to `keras.config.floatx()`.

    Call arguments:
        y_true: integer targets, `(batch, time)` or `(batch, time, outputs)`; a last axis of 1 may
            follow.
        y_pred: `(batch, time, 1)`, `(batch, time, classes)` or `(batch, time, outputs, classes)`.
        sample_weight: `(batch, time)`, `(batch,)` or a scalar.

    Returns:
        A scalar.

    Example:

    >>> loss = SequenceLoss()
    >>> round(float(loss(np.ones((2, 3)), np.full((2, 3, 1), 0.5))), 4)
    2.0794

    Source: Graves (2016), arXiv:1603.08983, Equation 12 and section 3 (for addition "the joint
    cross-entropy of all 6 targets").
    """

    def __init__(
        self,
        from_logits: bool = False,
        per_target: bool = False,
        name: str | None = "sequence_loss",
        label_smoothing: float = 0.0,
        dtype: Any = None,
    ):
        name = arguments.text("name", name, none=True)
        super().__init__(per_target, name=name, dtype=dtype)
        self._given = {} if dtype is None else {"dtype": self.dtype}
        self.from_logits = arguments.boolean("from_logits", from_logits)
        self.label_smoothing = arguments.number(
            "label_smoothing", label_smoothing, least=0, below=1
        )

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """The cross-entropy of each time step, `(batch, time)`."""
        y_true = arguments.targets_of(y_true, ops.ndim(y_pred) - 1)
        if y_pred.shape[-1] == 1:
            y_pred = ops.squeeze(y_pred, -1)
            values = ops.binary_crossentropy(
                self._smoothed(ops.cast(y_true, y_pred.dtype), 2), y_pred, self.from_logits
            )
        elif self.label_smoothing:
            classes = y_pred.shape[-1]
            targets = ops.one_hot(ops.cast(y_true, "int32"), classes, dtype=y_pred.dtype)
            values = ops.categorical_crossentropy(
                self._smoothed(targets, classes), y_pred, self.from_logits
            )
        else:
            values = sparse_cross_entropy(ops.cast(y_true, "int32"), y_pred, self.from_logits)
        return ops.sum(values, axis=tuple(range(2, ops.ndim(values))))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this loss again."""
        return {
            "from_logits": self.from_logits,
            "per_target": self.per_target,
            "name": self.name,
            "label_smoothing": self.label_smoothing,
            **self._given,
        }

    def _smoothed(self, targets, classes):
        """Probabilities of the targets, a share of which is spread evenly over all classes."""
        return targets * (1.0 - self.label_smoothing) + self.label_smoothing / classes
