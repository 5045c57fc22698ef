"""Losses of sequences that are summed over time, whatever is masked or weighted."""

from typing import Any

import keras
from keras import ops

from . import arguments
from .distributed import share_of
from .empty_batch import mean_over_rows
from .masks import attached_mask
from .types import Tensor


class SummedLoss(keras.losses.Loss):
    """What losses have in common that sum over time steps, and average over the batch.

    `call` says the loss of each time step, `(batch, time)`.

    Args:
        per_target: whether to divide by the number of targets, or the sum of their weights,
            instead of the number of sequences.
        **kwargs: `name` and `dtype`, of `keras.losses.Loss`.
    """

    def __init__(self, per_target: bool = False, **kwargs: Any):
        super().__init__(**kwargs)
        self.per_target = arguments.boolean("per_target", per_target)

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
        for name, weights in {"mask": mask, "sample_weight": sample_weight}.items():
            if weights is not None:
                weights = ops.cast(weights, y_pred.dtype)
                counted = counted * _as_rows(name, weights, tuple(y_true.shape[:axes]))
        # What stands where there is no target, such as -1, may be no class.
        there = ops.not_equal(counted, 0)
        for _ in range(ops.ndim(y_true) - axes):
            there = there[..., None]
        values = self.call(ops.where(there, y_true, ops.zeros_like(y_true)), y_pred)
        values = values * counted
        if self.per_target:
            total = ops.sum(counted)
            return share_of(ops.sum(values) / ops.where(total > 0, total, 1.0))
        return share_of(mean_over_rows(values))


def sparse_cross_entropy(targets: Tensor, outputs: Tensor, from_logits: bool = False) -> Tensor:
    """The cross-entropy of each target, integers, of the shape of `targets`."""
    shape = ops.shape(targets)
    if keras.config.backend() == "torch":
        # Of more axes, torch has no gradient in the layout that Keras gives them.
        targets = ops.reshape(targets, (-1,))
        outputs = ops.reshape(outputs, (-1, outputs.shape[-1]))
    values = ops.sparse_categorical_crossentropy(targets, outputs, from_logits=from_logits)
    return ops.reshape(values, shape)


def _as_rows(name, weights, shape):
    """Weights `(batch,)`, or with a further axis of 1, that broadcast to a shape."""
    axes, given = len(shape), tuple(weights.shape)
    if any(map(_differ, given, (*shape, 1))) or len(given) > axes + 1:
        raise ValueError(
            f"Argument `{name}` must be of shape (batch,) or of that of the targets without their "
            f"outputs, {shape}. Received: shape={given}"
        )
    for _ in range(axes - ops.ndim(weights) if ops.ndim(weights) else 0):
        weights = ops.expand_dims(weights, -1)
    for _ in range(ops.ndim(weights) - axes):
        weights = ops.squeeze(weights, -1)
    return weights


def _differ(given, wanted):
    """Whether an axis neither has the wanted size nor is spread over it."""
    return given not in (None, 1, wanted) and wanted is not None
