"""The loops on TensorFlow for sequences of one element, which need no loop over time.

XLA compiles the complete computation. The first step is outside the loop over steps, and tensors
that are the same in all other steps are computed once before it.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree
from tensorflow.python.eager import record
from tensorflow.python.framework import config

from ..types import Tensor
from . import eager
from .tensorflow import _floating, compiles, refuse_unseen
from .tensorflow_chunks import refuse_second_derivative
from .tensorflow_graph import unrecorded
from .tensorflow_loops import _add, _array, _keep_shapes, _read, _write, as_array
from .tensorflow_step import Step, StepWithGradient

# XLA allocates and zeroes the saved tensors of all possible steps. Above this many bytes, compiled
# chunks of a few steps are faster.
MOST_BYTES = 2**22


class _Unsuitable(Exception):
    """Another loop must be used, or is faster."""


def scan_one(
    step: Callable[..., Any], carry: Any, sequences: Any, compiled: bool = True
) -> tuple[Any, Any] | None:
    """Computes `scan` for sequences of one element, in a function that XLA compiles.

    Args:
        step: a function `step(carry, now, repeat)` that takes `repeat` for the loop of that name.
        carry, sequences: as in `scan`.
        compiled: whether XLA may compile this function if it does not compile the whole model.

    Returns:
        The results of `scan`, or `None` if XLA does not compile, if the step repeats nothing or has
        side effects, or if another loop is faster.
    """
    within = compiles()
    if tf.executing_eagerly() or not (within or compiled) or config.is_op_determinism_enabled():
        return None
    loops = []

    def repeat(*arguments, **kwargs):
        loops.append(True)
        return _repeat(*arguments, **kwargs)

    def run():
        try:
            results = eager.scan(lambda carry, now: step(carry, now, repeat), carry, sequences)
        except _Unsuitable:
            return None
        return results if loops else None

    if within:
        return run()
    function = tf.function(run, jit_compile=True, autograph=False)
    return function.get_concrete_function().structured_outputs and function()


def _repeat(
    body: Callable[..., Any],
    carry: Any,
    inputs: Any,
    running: Tensor,
    like: Any,
    last: Tensor,
    **_: Any,
) -> Any:
    """Like `repeat`, but saves the tensors that the gradient needs in every step."""
    if not isinstance(last, int):
        raise _Unsuitable

    def step(n, carry, now):
        (states, running), inputs = carry, now
        share, states, running = body(n, states, inputs, running)
        return share, (states, running), tf.logical_not(tf.reduce_any(running))

    begin, sequences = (carry, running), tree.map_structure(lambda x: x[None], inputs)
    traced_step = Step(step, begin, sequences)
    traced = StepWithGradient(traced_step, lambda total, carry, now: carry, begin, sequences)
    if not (traced.is_pure and traced.compiles) or last * traced.saved_bytes() > MOST_BYTES:
        raise _Unsuitable
    flat, now, room = tree.flatten(begin), tree.flatten(inputs), last - 1
    done = tf.logical_not(tf.reduce_any(running))
    zeros = [tf.zeros_like(x) for x in tree.flatten(like)]

    @tf.custom_gradient
    @refuse_unseen()
    def run(*_):
        with record.stop_recording():
            common = traced.common and traced.common_at(tf.constant(2), now, traced.used)

        @unrecorded
        def advance(place, done, carry, total, saved):
            before = carry, total
            carry, total, done, new = traced.forward(place + 2, carry, now, common, total)
            _keep_shapes((carry, total), before)
            return place + 1, done, carry, total, _write(saved, place, new[1:])

        # The number of a step, the first saved tensor, follows from its place.
        saved = [_array(x, room) for x in traced.saved[1:]]
        count, _, _, total, saved = tf.while_loop(
            lambda place, done, *_: tf.logical_not(done),
            advance,
            (tf.constant(0), done, flat, zeros, saved),
            maximum_iterations=room,
        )
        # Tensors can be outputs of a compiled function; arrays cannot.
        saved = [x.stack() for x in saved]

        def backward(*of_total):
            refuse_second_derivative([*_floating(flat), *_floating(now), *traced.used])
            return _back(traced, count, room, saved, now, common, flat, of_total)

        return total, backward

    return tree.pack_sequence_as(like, run(*_floating(flat), *_floating(now), *traced.used))


def _back(traced, count, room, saved, now, common, carry, of_total):
    """Runs backwards over `count` steps; returns the gradients of the inputs of `_repeat`."""
    saved = [as_array(x, room) for x in saved]

    @unrecorded
    def retreat(place, *gradients):
        of_carry, of_total, *sums = gradients
        of_carry, *more, of_total = traced.backward(
            now, [place + 2, *_read(saved, place)], of_carry, of_total
        )
        new = of_carry, of_total, *map(_add, sums, more)
        _keep_shapes(new, gradients)
        return place - 1, *new

    groups = traced.reached(0, _floating(now)), traced.reached(1, traced.used), common
    zeros = [[tf.zeros_like(x) for x in group] for group in (_floating(carry), *groups)]
    _, of_carry, _, of_now, of_used, of_common = tf.while_loop(
        lambda place, *_: place >= 0,
        retreat,
        (count - 1, zeros[0], list(of_total), *zeros[1:]),
        maximum_iterations=room,
    )
    if common:
        with record.stop_recording():
            more = traced.backward_of_common(tf.constant(2), now, of_common)
        of_now, of_used = map(_add, (of_now, of_used), more)
    return [*of_carry, *traced.all_of(0, of_now), *traced.all_of(1, of_used)]
