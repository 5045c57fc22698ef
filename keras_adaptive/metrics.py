"""The papers' scores: wrong sequences, wrong symbols, and bits for each character."""

import math
from typing import Any

import keras
from keras import ops

from . import arguments
from .masks import attached_mask
from .types import Tensor


def symbol_errors(targets: Tensor, outputs: Tensor, weights: Tensor | None = None) -> Tensor:
    """Which symbols are wrong.

    Args:
        targets: integers, `(batch, time)` or `(batch, time, outputs)`; a last axis of 1 may follow.
        outputs: probabilities, `(batch, time, 1)` (of class 1; right from 0.5 on),
            `(batch, time, classes)` or `(batch, time, outputs, classes)`.
        weights: `(batch, time)` or `(batch,)`, zero where there is no target; all count by default.

    Returns:
        Boolean, of the shape of `targets`. What has no target is never wrong.

    Raises:
        ValueError: if `targets` have another rank.

    Example:

    >>> symbol_errors(np.array([[1, 0]]), np.array([[[0.9], [0.7]]])) # doctest: +ELLIPSIS
    <...[False,  True]...>
    """
    targets = ops.convert_to_tensor(targets)
    outputs = ops.convert_to_tensor(outputs)
    if outputs.shape[-1] == 1:
        answers = ops.squeeze(outputs, -1) >= 0.5
    else:
        answers = ops.argmax(outputs, axis=-1)
    targets = arguments.targets_of(targets, ops.ndim(answers))
    wrong = ops.not_equal(ops.cast(answers, "int32"), ops.cast(targets, "int32"))
    if weights is not None:
        wrong = ops.logical_and(wrong, _present(weights, wrong))
    return wrong


def _present(weights, symbols):
    """Where a target is, as booleans that broadcast to the symbols."""
    present = ops.cast(weights, "float32") > 0
    for _ in range(ops.ndim(symbols) - ops.ndim(present)):
        present = ops.expand_dims(present, -1)
    return present


def sequence_errors(targets: Tensor, outputs: Tensor, weights: Tensor | None = None) -> Tensor:
    """Which sequences contain a mistake.

    The one scoring function of the package: the Keras metric, the command line and the model cards
    all use it.

    Args:
        targets, outputs, weights: as in `symbol_errors`.

    Returns:
        Boolean `(batch,)`. A sequence without any target is never wrong: see `has_target`.

    Example:

    >>> sequence_errors(np.array([[1, 0], [1, 1]]), np.array([[[0.9], [0.2]], [[0.9], [0.4]]]))
    ... # doctest: +ELLIPSIS
    <...[False,  True]...>

    Source: Graves (2016), arXiv:1603.08983, section 3: "the fraction of examples where any mistakes
    were made in the complete output sequence".
    """
    wrong = symbol_errors(targets, outputs, weights)
    return ops.any(wrong, axis=tuple(range(1, ops.ndim(wrong))))


def has_target(weights: Tensor) -> Tensor:
    """Which sequences have a target at all: boolean `(batch,)` from weights `(batch, time)`.

    >>> has_target(np.array([[0, 1], [0, 0]])).shape
    TensorShape([2])
    """
    present = ops.cast(weights, "float32") > 0
    return present if ops.ndim(present) == 1 else ops.any(present, axis=1)


def _counting(outputs, weights):
    """The weights of a batch, zero also where a mask is attached to the outputs; or None."""
    mask = attached_mask(outputs)
    if mask is None or weights is None:
        return weights if mask is None else mask
    return ops.logical_and(_present(mask, weights), _present(weights, mask))


class _ShareOfWrong(keras.metrics.Metric):
    """The share of what is wrong among all that counts."""

    _direction = "down"  # For callbacks that monitor it.

    def __init__(self, name, dtype):
        super().__init__(name=arguments.text("name", name, none=True), dtype=dtype)
        self.wrong = self.add_weight(name="wrong", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def count_wrong(self, wrong: Tensor, counted: Tensor) -> None:
        """Counts what is wrong, and what counts, both boolean."""
        self.wrong.assign_add(ops.sum(ops.cast(wrong, self.dtype)))
        self.count.assign_add(ops.sum(ops.cast(counted, self.dtype)))

    def result(self) -> Tensor:
        """The share; 0 before the first."""
        return self.wrong / ops.maximum(self.count, 1.0)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class SequenceError(_ShareOfWrong):
    """The sequence error rate: the share of sequences with any mistake.

    Use it among `weighted_metrics`, with the weights of the loss as `sample_weight`: sequences
    without a target are not counted.

    Args:
        name: name of the metric. Defaults to `"sequence_error"`.
        dtype: dtype of the metric's state.

    Example:

    >>> metric = SequenceError()
    >>> metric.update_state(np.array([[1], [1]]), np.array([[[0.9]], [[0.4]]]))
    >>> float(metric.result())
    0.5

    Source: Graves (2016), arXiv:1603.08983, section 3.
    """

    def __init__(self, name: str | None = "sequence_error", dtype: Any = None):
        super().__init__(name, dtype)

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        """Counts the sequences of a batch; arguments as in `sequence_errors`."""
        weights = _counting(y_pred, sample_weight)
        wrong = sequence_errors(y_true, y_pred, weights)
        self.count_wrong(wrong, ops.ones_like(wrong) if weights is None else has_target(weights))


@keras.saving.register_keras_serializable(package="keras_adaptive")
class BitError(_ShareOfWrong):
    """The bit error rate: the share of wrong symbols, in whatever base they are.

    Use it among `weighted_metrics`, with the weights of the loss as `sample_weight`: symbols
    without a target are not counted. All others count alike, however large their weights.

    Args:
        name: name of the metric. Defaults to `"bit_error"`.
        dtype: dtype of the metric's state.

    Example:

    >>> metric = BitError()
    >>> metric.update_state(np.array([[1, 1, 0, 1]]), np.array([[[0.9], [0.4], [0.1], [0.9]]]))
    >>> float(metric.result())
    0.25

    Source: the score of Freivalds & Liepins (2017), arXiv:1702.08727, whose published code also
    counts the padding; this does not.
    """

    def __init__(self, name: str | None = "bit_error", dtype: Any = None):
        super().__init__(name, dtype)

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        """Counts the symbols of a batch; arguments as in `symbol_errors`."""
        weights = _counting(y_pred, sample_weight)
        wrong = symbol_errors(y_true, y_pred, weights)
        counted = ops.ones_like(wrong)
        if weights is not None:
            counted = ops.logical_and(counted, _present(weights, wrong))
        self.count_wrong(wrong, counted)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class BitsPerCharacter(keras.metrics.Metric):
    """The mean of -log2 of the probability that each character (byte) was given.

    Use it among `weighted_metrics`, with the weights of the loss as `sample_weight`: characters
    without a target are not counted. All others count alike, however large their weights. As in
    Keras's cross-entropy, a probability counts as 1e-7 if it is below, as 23.25 bits.

    Args:
        name: name of the metric. Defaults to `"bits_per_character"`.
        dtype: dtype of the metric's state.

    Example:

    >>> metric = BitsPerCharacter()
    >>> metric.update_state(np.array([[0, 1]]), np.array([[[0.5, 0.5], [0.75, 0.25]]]))
    >>> float(metric.result())
    1.5

    Source: Graves (2016), arXiv:1603.08983, section 3.5, Figures 21 and 22.
    """

    _direction = "down"  # For callbacks that monitor it.

    def __init__(self, name: str | None = "bits_per_character", dtype: Any = None):
        super().__init__(name=arguments.text("name", name, none=True), dtype=dtype)
        self.bits = self.add_weight(name="bits", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        """Counts the characters of a batch.

        Args:
            y_true: integers `(batch, time)`.
            y_pred: probabilities `(batch, time, classes)`.
            sample_weight: `(batch, time)` or `(batch,)`, zero where there is no target; all count
                by default.
        """
        weights = _counting(y_pred, sample_weight)
        outputs = ops.cast(y_pred, self.dtype)
        targets = arguments.targets_of(ops.cast(y_true, "int32"), ops.ndim(outputs) - 1)
        counted = ops.ones_like(targets, dtype=self.dtype)
        if weights is not None:
            counted = counted * ops.cast(_present(weights, targets), self.dtype)
        # What stands where there is no target, such as -1, may be no class.
        targets = ops.where(counted > 0, targets, 0)
        bits = ops.sparse_categorical_crossentropy(targets, outputs) / math.log(2)
        self.bits.assign_add(ops.sum(bits * counted))
        self.count.assign_add(ops.sum(counted))

    def result(self) -> Tensor:
        """The mean bits of a character; 0 before the first."""
        return self.bits / ops.maximum(self.count, 1.0)
