"""Rules under a limit of time."""

from typing import Any

from keras import ops, tree

from .. import backend
from ..types import Rule, Tensor
from .context import time_is_up


class Timed:
    """A rule that also halts when its time is up.

    Args:
        rule: the rule, which asks `is_last`.
        deadline: `(batch,)`, on the clock of the backend.
    """

    def __init__(self, rule: Rule, deadline: Tensor) -> None:
        self.rule = rule
        self.deadline = deadline
        self.max_ponder = rule.max_ponder
        self.has_ponder_cost = rule.has_ponder_cost
        self.has_limits = getattr(rule, "has_limits", False)

    def start(self, batch_size: Tensor, dtype: str) -> dict[str, Any]:
        """The memory of the rule, and the deadline of each row."""
        return {"memory": self.rule.start(batch_size, dtype), "deadline": self.deadline}

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Any:
        """The decision of the rule, given whether the time is up."""
        deadline = memory["deadline"]
        now = backend.clock(memory["memory"] if halting is None else halting)
        # The difference is compared, because the clock may overflow.
        with time_is_up.holding(now - deadline >= 0):
            decision = self.rule(step, halting, memory["memory"])
        return decision._replace(memory={"memory": decision.memory, "deadline": deadline})


def deadline_from_now(states: Any, seconds: float | Tensor) -> Tensor:
    """The time `seconds` from now, for each row of the states: `(batch,)`."""
    rows = ops.shape(tree.flatten(states)[0])[0]
    now = backend.clock(states)
    microseconds = ops.cast(ops.convert_to_tensor(seconds, "float32") * 1e6, now.dtype)
    return ops.broadcast_to(now + microseconds, (rows,))


def share_of(deadline: Tensor, left: Tensor, states: Any) -> Tensor:
    """The deadline of the next of `left` elements, which share the time equally: `(batch,)`."""
    now = backend.clock(states)
    return now + (deadline - now) // ops.cast(left, deadline.dtype)
