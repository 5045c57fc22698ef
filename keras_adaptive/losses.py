"""The sequence loss of Graves (2016): summed over time, averaged over the batch."""

from typing import Any

import keras
from keras import ops

from . import arguments
from .distributed import share_of
from .empty_batch import mean_over_rows
from .masks import attached_mask
from .types import Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class SequenceLoss(keras.losses.Loss):
    """Cross-entropy of a whole sequence: the sum over its time steps (and simultaneous outputs).

    Keras's own losses average over time, so that τ would mean something else for every length.
    This one is the paper's L in `L + τ P`, averaged over the batch. Time steps without a target
    get a `sample_weight` of 0.

    The last axis of the predictions says which cross-entropy is meant: size 1 is the probability
    of class 1 (binary), a larger one a distribution over classes (categorical).

    Args:
        from_logits: whether predictions are logits instead of probabilities. Defaults to `False`.
        per_target: whether to divide the loss of each batch by the number of targets in it instead
            of by the number of sequences. Defaults to `False`.
        label_smoothing: float in [0, 1), the share of each target that is spread evenly over all
            classes, as in Keras's own losses. Defaults to `0`.
        name: name of the loss. Defaults to `"sequence_loss"`.

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
    ):
        super().__init__(name=arguments.text("name", name, none=True))
        self.from_logits = arguments.boolean("from_logits", from_logits)
        self.per_target = arguments.boolean("per_target", per_target)
        self.label_smoothing = arguments.number(
            "label_smoothing", label_smoothing, least=0, below=1
        )

    def __call__(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> Tensor:
        """The loss; a mask of `y_pred` and `sample_weight` say which time steps count."""
        # Keras's own reductions divide by the number of time steps, masked ones in or out, so
        # that padding a batch would change the loss.
        mask = attached_mask(y_pred)
        y_pred = ops.convert_to_tensor(y_pred, dtype=self.dtype)
        y_true = ops.convert_to_tensor(y_true)
        axes = min(ops.ndim(y_pred) - 1, 2)
        if ops.ndim(y_true) < axes:
            arguments.targets_of(y_true, axes)
        counted = ops.ones(ops.shape(y_true)[:axes], y_pred.dtype)
        for weights in (mask, sample_weight):
            if weights is not None:
                counted = counted * _as_rows(ops.cast(weights, y_pred.dtype), axes)
        # What stands where there is no target, such as -1, may be no class.
        there = ops.not_equal(counted, 0)
        for _ in range(ops.ndim(y_true) - axes):
            there = there[..., None]
        values = self.call(ops.where(there, y_true, ops.zeros_like(y_true)), y_pred)
        values = values * counted
        if self.per_target:
            return share_of(ops.sum(values) / ops.maximum(ops.sum(counted), 1.0))
        return share_of(mean_over_rows(values))

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
            values = _sparse(ops.cast(y_true, "int32"), y_pred, self.from_logits)
        return ops.sum(values, axis=tuple(range(2, ops.ndim(values))))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this loss again."""
        return {
            "from_logits": self.from_logits,
            "per_target": self.per_target,
            "name": self.name,
            "label_smoothing": self.label_smoothing,
        }

    def _smoothed(self, targets, classes):
        """Probabilities of the targets, a share of which is spread evenly over all classes."""
        return targets * (1.0 - self.label_smoothing) + self.label_smoothing / classes


def _sparse(targets, outputs, from_logits):
    """The cross-entropy of each target, of the shape of `targets`."""
    shape = ops.shape(targets)
    if keras.config.backend() == "torch":
        # Of more axes, torch has no gradient in the layout that Keras gives them.
        targets = ops.reshape(targets, (-1,))
        outputs = ops.reshape(outputs, (-1, outputs.shape[-1]))
    values = ops.sparse_categorical_crossentropy(targets, outputs, from_logits=from_logits)
    return ops.reshape(values, shape)


def _as_rows(weights, axes):
    """Weights `(batch,)`, or with a further axis of 1, that broadcast to as many axes."""
    for _ in range(axes - ops.ndim(weights) if ops.ndim(weights) else 0):
        weights = ops.expand_dims(weights, -1)
    for _ in range(ops.ndim(weights) - axes):
        weights = ops.squeeze(weights, -1)
    return weights
