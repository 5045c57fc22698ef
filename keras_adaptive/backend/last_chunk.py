"""The gradient of a loop that saves its last chunk of steps only, and takes the others again."""

from collections.abc import Callable
from typing import Any

import numpy as np
from keras import ops, tree

from ..types import Tensor

# How many steps of a loop that may halt are kept for the gradient. Memory for all steps that may be
# taken would be allocated and zeroed at each element of a sequence, which takes long.
KEPT = 16


def room(last: int) -> int:
    """The number of steps of a chunk, for steps 2 to `last`."""
    return min(last - 1, KEPT)


def zeros(count: int, nest: Any) -> Any:
    """Stacks of zeros for `count` of what is in a nest of tensors."""
    return tree.map_structure(lambda x: ops.zeros((count, *ops.shape(x)), x.dtype), nest)


def put(stacks: Any, place: Tensor, nest: Any) -> Any:
    """The stacks, with a nest of tensors at a place."""

    def one(stack, x):
        # All of one type, on JAX with 64 bits too.
        begin = [ops.cast(place, "int32"), *[np.int32(0)] * len(x.shape)]
        return ops.slice_update(stack, begin, ops.expand_dims(x, 0))

    return tree.map_structure(one, stacks, nest)


def pull_back(
    take: Callable[..., Any],
    pull: Callable[..., Any],
    counts: tuple[Tensor, int],
    first: Any,
    saved: Any,
    gradients: Any,
) -> Any:
    """The gradients before step 2, of a loop whose last chunk of steps is saved.

    Args:
        take: a function `take(step, now)`, which returns what the step after it begins with.
        pull: a function `pull(step, now, gradients)`, which pulls the gradients back through a
            step.
        counts: the numbers of the last step that was taken, and of the last that may be taken.
        first: what step 2 began with.
        saved: what the steps of the last chunk began with, in stacks.
        gradients: those after the last step.
    """
    taken, last = counts
    room = tree.flatten(saved)[0].shape[0]
    chunks = ops.maximum(taken - 2, 0) // room  # Before the last one.

    def begin(chunk):
        return 2 + chunk * room

    def of_earlier_chunks():
        def mark(chunk, loop):
            now, saved, begins = loop
            now, saved = _again(take, begin(chunk), now, saved)
            return now, saved, put(begins, chunk + 1, now)

        begins = put(zeros((last - 2) // room, first), 0, first)
        *_, begins = ops.fori_loop(np.int32(0), chunks - 1, mark, (first, saved, begins))

        def retreat(number, loop):
            saved, gradients = loop
            chunk = chunks - 1 - number
            _, saved = _again(take, begin(chunk), _at(begins, chunk), saved)
            return saved, _back(pull, begin(chunk), begin(chunk) + room - 1, saved, gradients)

        return ops.fori_loop(np.int32(0), chunks, retreat, (saved, gradients))[1]

    gradients = _back(pull, begin(chunks), taken, saved, gradients)
    if room == last - 1:
        return gradients
    return ops.cond(chunks > 0, of_earlier_chunks, lambda: gradients)


def _back(pull, begin, step, saved, gradients):
    """Pulls back from `step` to the begin of its chunk."""
    room = tree.flatten(saved)[0].shape[0]

    def retreat(step, gradients):
        return step - 1, pull(step, _at(saved, (step - 2) % room), gradients)

    return ops.while_loop(lambda step, _: step >= begin, retreat, (step, gradients))[1]


def _again(take, begin, now, saved):
    """Takes all steps of a chunk, and returns what follows it and what they began with."""
    room = tree.flatten(saved)[0].shape[0]

    def advance(place, loop):
        now, saved = loop
        return take(begin + place, now), put(saved, place, now)

    return ops.fori_loop(np.int32(0), np.int32(room), advance, (now, saved))


def _at(stacks, place):
    return tree.map_structure(lambda stack: stack[place], stacks)
