"""How layers report their ponder to the model that contains them."""

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import keras
from keras import ops

from .. import reporting
from ..empty_batch import mean_over_rows
from ..types import Tensor


class Entry(NamedTuple):
    """The report of a layer on one call.

    Attributes:
        layer: the layer that pondered.
        steps: N, `(batch, …)`, zero where masked.
        remainder: R, of the same shape.
        time_penalty: scalar, the τ of this call; 0 if ponder has no cost.
        probabilities: `(batch, max_ponder)`, p, with which each example halts at each step; `None`
            but for `PonderNet` in training.
        answers: `(batch, max_ponder, …)`, the answers of all steps; `None` but for `PonderNet` in
            training.
    """

    layer: Any
    steps: Any
    remainder: Any
    time_penalty: Any
    probabilities: Any = None
    answers: Any = None

    @property
    def cost(self) -> Tensor:
        """τ · mean over the batch of the sum over all other axes of N + R (Equations 10-12)."""
        ponder = self.steps + self.remainder
        return ops.cast(self.time_penalty, ponder.dtype) * mean_over_rows(ponder)

    @property
    def present(self) -> Tensor:
        """How many inputs were pondered: those that no mask excludes."""
        return ops.sum(ops.cast(self.steps > 0, self.steps.dtype))

    @property
    def mean_steps(self) -> Tensor:
        """Mean of N over the inputs that were pondered."""
        return ops.sum(self.steps) / ops.maximum(self.present, 1.0)

    @property
    def mean_ponder(self) -> Tensor:
        """Mean of ρ = N + R over the inputs that were pondered."""
        return ops.sum(self.steps + self.remainder) / ops.maximum(self.present, 1.0)


def record() -> AbstractContextManager[list[Entry]]:
    """Collects the reports of the layers that are called inside the context.

    Contexts nest; each entry goes to every open one. Tensors of a trace must not be used after
    that trace, so read the list where the layers were called.

    Returns:
        A context manager that returns a list of `Entry`, in the order of the calls.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4))
    >>> with record() as entries:
    ...     _ = layer(np.ones((2, 3, 5), "float32"))
    >>> [entry.steps.shape for entry in entries] == [(2, 3)]
    True
    """
    return reporting.record("ponder")


def report(
    layer: Any,
    steps: Tensor,
    remainder: Tensor,
    time_penalty: Tensor = 0.0,
    probabilities: Tensor | None = None,
    answers: Tensor | None = None,
) -> Entry:
    """Tells every open `record` how long `layer` pondered.

    Args:
        layer: the layer that pondered, usually `self`; `models.AdaptiveModel` has metrics for the
            layers of the model, distinguished by their names.
        steps: N, `(batch, …)`.
        remainder: R, of the same shape.
        time_penalty: scalar, the τ that the layer charges; its `add_loss` should be the
            entry's `cost`.
        probabilities: `(batch, max_ponder)`, of halting at each step, for a loss that weighs the
            steps by them (`models.PonderNetModel`).
        answers: `(batch, max_ponder, …)`, the answers of all steps.

    Returns:
        The `Entry`.
    """
    # Keras calls each layer once when a functional model is built, so the model finds this mark.
    if isinstance(layer, keras.layers.Layer) and not hasattr(layer, "reports_ponder"):
        layer.reports_ponder = True
    entry = Entry(layer, steps, remainder, time_penalty, probabilities, answers)
    reporting.report("ponder", entry)
    return entry
