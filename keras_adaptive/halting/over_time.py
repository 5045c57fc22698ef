"""The halting loop at each element of a sequence."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops, tree

from .. import backend
from ..dtypes import at_least_float32
from ..types import Tensor
from .context import current
from .loop import WeightedStep, compacts, expand, run, without_masked
from .rules import last_step
from .timed import Timed, deadline_from_now, share_of


class TimeResult(NamedTuple):
    """The result of `over_time`; sequences are in the order in which they were processed.

    Attributes:
        output: the last element's output.
        states: the last element's states.
        steps: `(batch, time)`, N, zero where masked.
        remainder: `(batch, time)`, R, zero where masked.
        outputs: `(batch, time, …)`, the outputs of all elements; `None` without `return_sequences`.
    """

    output: Any
    states: Any
    steps: Any
    remainder: Any
    outputs: Any


def over_time(
    step: Callable[..., Any],
    states: Any,
    output: Tensor,
    rule: Any,
    sequences: Tensor,
    mask: Tensor | None = None,
    chance: Tensor | None = None,
    constants: Any = None,
    *,
    training: bool = False,
    return_sequences: bool = True,
    go_backwards: bool = False,
    zero_output_for_mask: bool = False,
    unroll: bool = False,
    compiled: bool = True,
) -> TimeResult:
    """Runs `ponder` at each element of a sequence, from the states of the element before.

    There are two ways to do it, with the same results and gradients. One is a loop over time, each
    of whose steps is a halting loop. The other is one loop over all steps of all elements, whose
    training step costs less. It is taken in training where the backend can (TensorFlow, in a graph)
    and the rule declares `supports_tensor_step`.

    Args:
        step, rule: as in `ponder`.
        states: a nest of tensors `(batch, …)`, the initial states.
        output: `(batch, …)`, the output before the first element, for elements that are masked.
        sequences: `(batch, time, …)`.
        mask: boolean `(batch, time)`. Elements where it is false take no step, and leave the states
            and the output as they are.
        chance: `(batch, time)`, the argument of `rule.drawn` at each element; `None` for a rule
            without randomness.
        constants: nest of tensors `(batch, …)` that every step at every element reads unchanged;
            with them the step's `inputs` are a pair of the element and these.
        training: whether to optimize for a fast gradient.
        return_sequences: whether to return the outputs of all elements.
        go_backwards: whether to process the last element first.
        zero_output_for_mask: whether the output of a masked element is zero, not the one before it.
        unroll: whether to unroll the loop over time.
        compiled: whether XLA may compile the one loop where Keras does not compile the whole model.
    """
    run = functools.partial(
        _over_time,
        *(step, states, output, rule, sequences, mask, chance, constants, training),
        *(return_sequences, go_backwards, zero_output_for_mask, unroll, compiled),
    )
    one_loop = training and not unroll and getattr(rule, "supports_tensor_step", False)
    one_loop = one_loop and current().seconds is None and not compacts()
    result = None
    if one_loop and compiled and sequences.shape[1] == 1 and backend.compiled_together is not None:
        alone = functools.partial(run, one_loop, only_alone=True)
        result = backend.compiled_together(alone)
    return run(one_loop) if result is None else result


def _over_time(
    step,
    states,
    output,
    rule,
    sequences,
    mask,
    chance,
    constants,
    training,
    return_sequences,
    go_backwards,
    zero_output_for_mask,
    unroll,
    compiled,
    one_loop,
    only_alone=False,
):
    """`over_time`; with `only_alone`, `None` but for a single element in one loop of steps."""
    elements = {"inputs": sequences}
    if mask is not None:
        elements["present"] = ops.cast(mask, "bool")
        elements["inputs"] = without_masked(sequences, elements["present"])
        if constants is not None:
            constants = without_masked(constants, ops.any(elements["present"], axis=1))
    if chance is not None:
        elements["chance"] = chance
    if current().seconds is not None:
        shape = ops.shape(sequences)[:2]
        deadline = deadline_from_now(states, current().seconds)
        elements["deadline"] = ops.broadcast_to(deadline[:, None], shape)
    elements = tree.map_structure(lambda x: ops.swapaxes(x, 0, 1), elements)
    if go_backwards:
        elements = tree.map_structure(lambda x: ops.flip(x, axis=0), elements)
    if "deadline" in elements:
        left = ops.arange(shape[1], 0, -1, dtype="int32")[:, None]
        elements["left"] = ops.broadcast_to(left, (shape[1], shape[0]))

    def inputs_at(now):
        return now["inputs"] if constants is None else (now["inputs"], constants)

    def rule_at(now):
        return rule.drawn(now["chance"]) if "chance" in now else rule

    def after(now, new, old):
        """The carry after an element; the old one where it is masked."""
        if "present" not in now:
            return new
        present = now["present"]
        return tree.map_structure(
            lambda a, b: ops.where(expand(present, ops.ndim(a)), a, b), new, old
        )

    def element(carry, now):
        states, output = carry
        rule = rule_at(now)
        if "left" in now:
            rule = Timed(rule, share_of(now["deadline"], now["left"], states))
        inputs, present = inputs_at(now), now.get("present")
        result = run(step, states, rule, inputs, present, bool(training))
        old = (states, ops.zeros_like(output) if zero_output_for_mask else output)
        carry = after(now, (result.states, result.output), old)
        return carry, (result.steps, result.remainder, *carry[1:] * return_sequences)

    results = None
    if one_loop:
        output_is_kept = mask is not None and not zero_output_for_mask
        results = _in_one_loop(
            *(step, states, output, inputs_at, rule_at, elements, after, output_is_kept),
            *(compiled, only_alone),
        )
    if results is None and only_alone:
        return None
    if results is None:
        scan = backend.eager.scan if unroll else backend.scan
        results = scan(element, (states, output), elements)
    (states, output), in_time = results
    steps, remainder, *outputs = tree.map_structure(lambda x: ops.swapaxes(x, 0, 1), in_time)
    return TimeResult(output, states, steps, remainder, outputs[0] if return_sequences else None)


def _in_one_loop(
    step,
    states,
    output,
    inputs_at,
    rule_at,
    elements,
    after,
    output_is_kept,
    compiled,
    only_alone,
):
    """The results of `backend.scan`, by one loop over all steps; `None` where there is none."""
    rule = rule_at(tree.map_structure(lambda x: x[0], elements))
    last = last_step(rule)
    if backend.scan_repeats is None or not isinstance(last, int):
        return None
    states, output = tree.map_structure(ops.convert_to_tensor, (states, output))
    batch_size = ops.shape(tree.flatten(states)[0])[0]
    dtype = at_least_float32(tree.flatten(states)[0].dtype)
    weighted = WeightedStep(step, dtype)
    several = elements["inputs"].shape[0] != 1

    def start(now):
        running = now["present"] if "present" in now else ops.ones((batch_size,), "bool")
        return rule_at(now).start(batch_size, dtype), running

    def repeated(n, carry, now):
        states, memory, running = carry
        if several:
            memory, running = tree.map_structure(
                lambda new, old: ops.where(ops.equal(n, 1), new, old),
                start(now),
                (memory, running),
            )
        share, (states, memory), running = weighted(
            rule_at(now), n, (states, memory), (inputs_at(now),), running
        )
        return share, (states, memory, running), ops.logical_not(ops.any(running))

    def finish(total, carry, now):
        old, *rest = carry
        _, new = weighted.restore(total["mean"])
        return after(now, new, old), *rest

    begin = (states, *start(tree.map_structure(lambda x: x[0], elements)))
    results = backend.scan_repeats(repeated, finish, begin, elements, last, compiled, only_alone)
    if results is None:
        return None
    (states, *_), total = results
    outputs, _ = weighted.restore(total["mean"])
    outputs = ops.concatenate([output[None], outputs])
    if output_is_kept:
        latest = expand(_latest(elements["present"]), ops.ndim(outputs))
        outputs = ops.concatenate([outputs[:1], ops.take_along_axis(outputs, latest, axis=0)])
    return (states, outputs[-1]), (total["steps"], total["remainder"], outputs[1:])


def _latest(present):
    """The number, from 1, of the last element so far that is present, or 0: `(time, batch)`."""
    length = ops.shape(present)[0]
    # A row's sorted numbers of present elements, after a zero for each masked one.
    numbers = ops.arange(1, length + 1, dtype="int32")[:, None]
    numbers = ops.sort(ops.where(present, numbers, 0), axis=0)
    so_far = ops.cumsum(ops.cast(present, numbers.dtype), axis=0)
    return ops.take_along_axis(numbers, length - 1 - so_far[-1:] + so_far, axis=0)
