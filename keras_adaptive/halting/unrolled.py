"""The unrolled halting loop, for steps that each have their own weights."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops, tree

from .. import backend
from ..dtypes import at_least_float32
from ..types import Rule, Tensor
from .context import current
from .loop import Result, WeightedStep
from .rules import last_step
from .timed import Timed, deadline_from_now


class Progress(NamedTuple):
    """A loop after some of its steps.

    Attributes:
        total: the sums of the steps' shares so far.
        carry: the states, and the memory of the rule.
        running: boolean `(rows,)`, the rows that are still running.
    """

    total: Any
    carry: Any
    running: Any


def unrolled(
    step: Callable[..., Any],
    states: Any,
    rule: Rule,
    running: Tensor | None = None,
    advance: Callable[..., Progress] | None = None,
    frozen: bool = False,
) -> Result:
    """Like `ponder`, for a step that needs its number as a Python integer.

    Args:
        step: a function `step(n, states, running)` that returns `(output, halting, states)`, where
            `running`, boolean `(rows,)`, are the rows that take the step.
        states: a nest of tensors with the rows as first axis.
        rule: a halting rule.
        running: boolean `(rows,)`, the rows that take the first step; all by default.
        advance: how the steps after the first are taken: a function `advance(body, numbers,
            progress)`, which takes the steps with these numbers. `body(n, carry, running, *where)`
            takes one for any of the rows and returns `(share, carry, running)`; what is given as
            `where` are further arguments of `step`. By default all rows take part in every step.
        frozen: whether `step` itself leaves the states of rows that have halted as they are.

    Returns:
        A `Result`.
    """
    rows = ops.shape(tree.flatten(states)[0])[0]
    dtype = at_least_float32(tree.flatten(states)[0].dtype)
    last = last_step(rule)
    last = rule.max_ponder if ops.is_tensor(last) else min(last, rule.max_ponder)
    if current().seconds is not None:
        rule = Timed(rule, deadline_from_now(states, current().seconds))
        states = backend.wait_for(rule.deadline, states)
    weighted = WeightedStep(step, dtype, frozen=frozen)

    def body(n, carry, running, *where):
        return weighted(rule, n, carry, (running, *where), running)

    running = ops.ones((rows,), "bool") if running is None else running
    progress = Progress(*body(1, (states, rule.start(rows, dtype)), running))
    total = (advance or _with_all_rows)(body, range(2, last + 1), progress).total
    output, states = weighted.restore(total["mean"])
    return Result(output, states, total["steps"], total["remainder"])


def _with_all_rows(body, numbers, progress):
    """Takes steps with all rows."""
    for n in numbers:
        progress = with_all_rows(body, n, progress)
    return progress


def with_all_rows(body: Callable[..., Any], n: int, progress: Progress, *where: Any) -> Progress:
    """Takes step `n` with all rows; those that have halted are masked."""
    share, carry, running = body(n, progress.carry, progress.running, *where)
    return Progress(tree.map_structure(operator.add, progress.total, share), carry, running)
