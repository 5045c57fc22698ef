"""Expected: every step is taken, and weighs the probability to halt there."""

from typing import Any

import keras
from keras import ops

from ..types import Tensor
from .max_ponder import HasMaxPonder
from .rules import Decision


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Expected(HasMaxPonder):
    """All steps are taken, and what comes out is the mean over the step at which a row halts.

    The halting activation λ_n is the probability to halt at step n, if the row has not halted
    before. So step n weighs `p_n = λ_n Π (1 - λ_i)` over the steps i < n, and the last step has
    what is left, as if λ were 1 there. This is the training half of PonderNet, whose inference is
    `Sampled`; nothing is drawn, so the weights have their exact gradient. With
    `ponder(..., history=True)` the probabilities and the outputs of all steps are returned too,
    for a loss that is weighted by them.

    Args:
        max_ponder: integer >= 1, the number of steps. Defaults to `20`.

    Raises:
        ValueError: if `max_ponder` is not a positive integer.

    Example: a coin is thrown until it shows heads, three times at most.

    >>> def throw(n, states):
    ...     return states, keras.ops.full((1,), 0.5), states
    >>> rule = Expected(max_ponder=3)
    >>> result = keras_adaptive.halting.ponder(throw, np.ones((1, 1)), rule, history=True)
    >>> np.array(result.weights).tolist()
    [[0.5, 0.25, 0.25]]

    Source: Banino, Balaguer, Blundell (2021), "PonderNet: Learning to Ponder", arXiv:2107.05407,
    Equation 1.
    """

    has_ponder_cost = False

    def __init__(self, max_ponder: int = 20):
        self.max_ponder = max_ponder

    def start(self, batch_size: Tensor, dtype: str) -> Tensor:
        """The probability of not having halted, one at first: `(batch,)`."""
        return ops.ones((batch_size,), dtype)

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Decision:
        """Weighs step number `step` (from 1) with the probabilities `halting`, `(batch,)`."""
        if halting is None:
            raise ValueError(
                "Argument `step` must return halting activations for the rule `Expected`. "
                "Received: halting=None"
            )
        is_last = ops.broadcast_to(ops.greater_equal(step, self.max_ponder), ops.shape(memory))
        weight = ops.where(is_last, memory, memory * halting)
        return Decision(weight, ops.zeros_like(memory), is_last, memory * (1.0 - halting))

    def get_config(self) -> dict:
        """The arguments that make this rule again."""
        return {"max_ponder": self.max_ponder}

    @classmethod
    def from_config(cls, config: dict) -> "Expected":
        """A rule from `get_config`."""
        return cls(**config)
