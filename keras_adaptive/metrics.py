"""The paper's score: a sequence is wrong if any of its symbols is."""

import keras
from keras import ops


def sequence_errors(targets, outputs, weights=None):
    """Which sequences contain a mistake.

    The one scoring function of the package: the Keras metric, the command line and the model cards
    all use it.

    Args:
        targets: integers, `(batch, time)` or `(batch, time, outputs)`.
        outputs: probabilities, `(batch, time, 1)` (of class 1; right from 0.5 on),
            `(batch, time, classes)` or `(batch, time, outputs, classes)`.
        weights: `(batch, time)`, zero where there is no target; all count by default.

    Returns:
        Boolean `(batch,)`. A sequence without any target is never wrong: see `has_target`.

    Example:

    >>> sequence_errors(np.array([[1, 0], [1, 1]]), np.array([[[0.9], [0.2]], [[0.9], [0.4]]]))
    ... # doctest: +ELLIPSIS
    <...[False,  True]...>

    Source: Graves (2016), arXiv:1603.08983, section 3: "the fraction of examples where any mistakes
    were made in the complete output sequence".
    """
    targets = ops.convert_to_tensor(targets)
    outputs = ops.convert_to_tensor(outputs)
    if outputs.shape[-1] == 1:
        answers = ops.squeeze(outputs, -1) >= 0.5
    else:
        answers = ops.argmax(outputs, axis=-1)
    wrong = ops.not_equal(ops.cast(answers, "int32"), ops.cast(targets, "int32"))
    if ops.ndim(wrong) > 2:
        wrong = ops.any(wrong, axis=tuple(range(2, ops.ndim(wrong))))
    if weights is not None:
        wrong = ops.logical_and(wrong, ops.convert_to_tensor(weights) > 0)
    return ops.any(wrong, axis=1)


def has_target(weights):
    """Which sequences have a target at all: boolean `(batch,)` from weights `(batch, time)`.

    >>> has_target(np.array([[0, 1], [0, 0]])).shape
    TensorShape([2])
    """
    return ops.any(ops.convert_to_tensor(weights) > 0, axis=1)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class SequenceError(keras.metrics.Metric):
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

    def __init__(self, name="sequence_error", dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.wrong = self.add_weight(name="wrong", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Counts the sequences of a batch; arguments as of `sequence_errors`."""
        wrong = sequence_errors(y_true, y_pred, sample_weight)
        if sample_weight is None:
            counted = ops.ones_like(wrong)
        else:
            counted = has_target(sample_weight)
        self.wrong.assign_add(ops.sum(ops.cast(wrong, self.dtype)))
        self.count.assign_add(ops.sum(ops.cast(counted, self.dtype)))

    def result(self):
        """The share of wrong sequences; 0 before the first."""
        return self.wrong / ops.maximum(self.count, 1.0)
