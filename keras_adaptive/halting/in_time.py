"""The halting loop at each element of a sequence, as one loop over all steps of all elements."""

from keras import ops, tree

from .. import executors
from .loop import at_least_float32, compacts, expand, restore, weigher, without_masked
from .rules import ACT, Fixed, Sampled, last_step


def ponder_in_time(step, carry, rule_at, sequences, zero_output_for_mask=False, compiled=True):
    """What `ponder` at each element of `sequences` gives, each with the states of that before.

    A training step costs less so, where it can be done: on TensorFlow, in a graph, with a rule of
    this package. A rule of somebody else may tell the first step from the others by its type.

    Args:
        step: as in `ponder`, but that `n` is always a tensor.
        carry: `(states, output)`, the states to begin with, and the output before the first.
        rule_at: a function of what `sequences` are at one time, that returns the rule there; its
            class and limits are the same at all times.
        sequences: dict of `inputs`, a nest of tensors with time as first axis and the batch as
            second; it may have `present`, boolean `(time, batch)`, false where to take no steps,
            and whatever else `rule_at` reads.
        zero_output_for_mask: whether the output of a masked step is zero, not that before it.
        compiled: whether XLA may compile the loop where Keras does not compile the whole model.

    Returns:
        `(carry, shown)`: the last states and output, and `(steps, remainder, outputs)` with time
        as first axis. `None` where this cannot be done.
    """
    no_time = tree.flatten(sequences)[0].shape[0] == 0
    if executors.scan_repeats is None or compacts() or no_time:
        return None
    first = tree.map_structure(lambda x: x[0], sequences)
    rule = rule_at(first)
    last = last_step(rule)
    if type(rule) not in (ACT, Fixed, Sampled) or not isinstance(last, int):
        return None
    states, before = tree.map_structure(ops.convert_to_tensor, carry)
    batch_size = ops.shape(tree.flatten(states)[0])[0]
    dtype = at_least_float32(tree.flatten(states)[0].dtype)
    shown = None

    def start(now):
        rule = rule_at(now)
        present = now["present"] if "present" in now else ops.ones((batch_size,), "bool")
        return rule, (rule.start(batch_size, dtype), present)

    def weighed(n, carry, now):
        nonlocal shown
        states, *here = carry
        rule, fresh = start(now)
        memory, running = tree.map_structure(
            lambda new, old: ops.where(ops.equal(n, 1), new, old), fresh, tuple(here)
        )
        inputs = now["inputs"]
        if "present" in now:
            inputs = without_masked(inputs, now["present"])
        share, (states, memory), running, shown = weigher(step, rule, dtype)(
            n, (states, memory), (inputs,), running
        )
        return share, (states, memory, running), ops.logical_not(ops.any(running))

    def finish(total, carry, now):
        old, memory, running = carry
        _, new = restore(total["mean"], *shown)
        if "present" in now:
            new = tree.map_structure(
                lambda a, b: ops.where(expand(now["present"], ops.ndim(a)), a, b), new, old
            )
        return new, memory, running

    carry = (states, *start(first)[1])
    found = executors.scan_repeats(weighed, finish, carry, sequences, last, compiled)
    if found is None:
        return None
    (states, *_), total = found
    outputs, _ = restore(total["mean"], *shown)
    outputs = ops.concatenate([before[None], outputs])
    if "present" in sequences and not zero_output_for_mask:
        latest = expand(_latest(sequences["present"]), ops.ndim(outputs))
        outputs = ops.concatenate([outputs[:1], ops.take_along_axis(outputs, latest, axis=0)])
    return (states, outputs[-1]), (total["steps"], total["remainder"], outputs[1:])


def _latest(present):
    """The number, from 1, of the last time step so far that is present, or 0: `(time, batch)`."""
    length = ops.shape(present)[0]
    # The sorted numbers of a row's steps that are present, behind a zero for each that is not.
    numbers = ops.sort(ops.where(present, ops.arange(1, length + 1)[:, None], 0), axis=0)
    so_far = ops.cumsum(ops.cast(present, numbers.dtype), axis=0)
    return ops.take_along_axis(numbers, length - 1 - so_far[-1:] + so_far, axis=0)
