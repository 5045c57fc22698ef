"""Converged: stop when the answer has not changed for a while."""

from typing import Any, Self

import keras
from keras import ops

from .. import arguments
from ..types import Tensor
from .max_ponder import HasMaxPonder
from .rules import Decision, is_last


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Converged(HasMaxPonder):
    """Each row halts when its answer has not changed for `patience` steps in a row.

    The step's halting activation is 1 where its answer is the same as in the step before, and 0
    where it differs (as in the first step). The result is that of the last step. Nothing is
    learned, there is no remainder and no ponder cost, so a network that was trained with a fixed
    number of steps can halt by this rule in inference.

    Args:
        patience: integer >= 1, the number of steps in a row without a change of the answer. A row
            takes at least `patience` + 1 steps. Defaults to `4`.
        max_ponder: integer >= 1, the largest number of steps; `limits` can override it. Defaults
            to `1000`.

    Raises:
        ValueError: if `patience` or `max_ponder` is not a positive integer.

    Example: an answer that changes at the steps 1, 2 and 4.

    >>> rule = Converged(patience=2)
    >>> memory = rule.start(1, "float32")
    >>> halts = []
    >>> for n, same in enumerate([0, 0, 1, 0, 1, 1], start=1):
    ...     decision = rule(n, ops.convert_to_tensor([float(same)]), memory)
    ...     memory = decision.memory
    ...     halts.append(bool(decision.halts[0]))
    >>> halts
    [False, False, False, False, False, True]
    """

    has_ponder_cost = False
    has_limits = True
    supports_tensor_step = True

    def __init__(self, patience: int = 4, max_ponder: int = 1000):
        self.patience = arguments.integer("patience", patience, least=1)
        self.max_ponder = max_ponder

    def start(self, batch_size: Tensor, dtype: str) -> Tensor:
        """The number of steps without a change of the answer, zero at first: `(batch,)`."""
        return ops.zeros((batch_size,), dtype)

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Decision:
        """Weighs step number `step` (from 1); `halting` is whether the answer is as before."""
        if halting is None:
            raise ValueError(
                "Argument `step` must return, as halting activations, whether its answer is as "
                "before for the rule `Converged`. Received: halting=None"
            )
        unchanged = ops.where(halting > 0.5, memory + 1.0, 0.0)
        halts = ops.logical_or(
            unchanged >= self.patience,
            ops.broadcast_to(is_last(self, step), ops.shape(memory)),
        )
        return Decision(ops.cast(halts, memory.dtype), ops.zeros_like(memory), halts, unchanged)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this rule again."""
        return {"patience": self.patience, "max_ponder": self.max_ponder}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A rule from `get_config`."""
        return cls(**config)
