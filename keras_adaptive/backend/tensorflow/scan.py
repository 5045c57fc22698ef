"""The loop over time and the loop over steps on TensorFlow, combined in one loop.

A step is traced with its gradient. The forward loop saves the tensors that the gradient needs, and
the backward loop repeats only operations that are cheaper to repeat than to save. Where possible,
XLA compiles the loops in chunks of a few steps (`chunks.py`).
"""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree
from tensorflow.python.framework import config

from .chunks import chunks_forward
from .core import compiles, floating, refuse_unseen, scan
from .element import Element
from .loops import Loops, as_array
from .step import TYPICAL_LENGTH, Step, StepWithGradient

# XLA allocates and zeroes the saved tensors of all possible steps, and holds them to the end.
MOST_BYTES_OF_XLA = 2**26


def scan_repeats(
    step: Callable[..., Any],
    finish: Callable[..., Any],
    carry: Any,
    sequences: Any,
    last: int,
    compiled: bool = True,
    only_alone: bool = False,
) -> tuple[Any, Any] | None:
    """Repeats `step` on each element of the first axis of `sequences`, until it is done there.

    Args:
        step: a function `step(n, carry, now)` that returns `(share, carry, done)`. `n`, a scalar
            tensor, counts the steps on the element `now` from 1; the shares, floating, are summed
            up over these steps; `done`, a boolean scalar, ends them.
        finish: a function `finish(total, carry, now)` that returns the `carry` with which the next
            element begins.
        carry: nest of tensors; the first axis of the first one is that of all shares.
        sequences: nest of tensors with time as first axis.
        last: integer, the largest number of steps on an element.
        compiled: whether XLA may compile the loops.
        only_alone: whether to do it for a single element that XLA compiles without chunks only.

    Returns:
        `(carry, totals)`, the totals with time as first axis. `None` if such a loop does not
        work or is not worthwhile: when run eagerly, when `step` changes a variable, prints, reads
        something other than tensors and Keras variables, or contains a loop, and when XLA would
        need too much memory.
    """
    if tf.executing_eagerly():
        return None
    flat = tree.flatten(sequences)
    step = Step(step, carry, sequences)
    if last <= 2:
        step.common = []
    # Under op determinism, XLA refuses operations that are not known to be deterministic.
    may_compile = not config.is_op_determinism_enabled()
    alone = compiles() and may_compile and flat[0].shape[0] == 1
    if alone:
        traced = StepWithGradient(step, None, carry, sequences)
        element = Element(traced, tree.flatten(carry), last)
        alone = traced.compiles and element.fits
    if not alone:
        if only_alone:
            return None
        traced = StepWithGradient(step, finish, carry, sequences)
    most = last * (flat[0].shape[0] or TYPICAL_LENGTH)
    if not traced.is_pure or (compiles() and most * traced.saved_bytes() > MOST_BYTES_OF_XLA):
        return None
    length = tf.shape(flat[0])[0] if flat[0].shape[0] is None else flat[0].shape[0]
    batch_size = tf.shape(tree.flatten(carry)[0])[0]
    total = [tf.zeros((batch_size, *x.shape[1:]), x.dtype) for x in tree.flatten(step.share)]
    common = traced.zeros_of_common([x[0] for x in flat])
    forward: Callable[..., Any] = functools.partial(_forward, traced)
    if alone:
        forward = element.forward
    elif compiled and may_compile and not compiles() and traced.compiles:
        forward = functools.partial(chunks_forward, traced)

    @tf.custom_gradient
    @refuse_unseen()
    def run(*_):
        final, totals, pull = forward(tree.flatten(carry), common, total, flat, length, last)

        def backward(*upstream):
            of_carry = [g for g, x in zip(upstream, final) if x.dtype.is_floating]
            of_carry, of_sequences, of_used = pull(of_carry, list(upstream[len(final) :]))
            return [*of_carry, *traced.all_of(0, of_sequences), *traced.all_of(1, of_used)]

        return [*final, *totals], backward

    results = run(*floating(carry), *floating(flat), *step.used)
    count = len(tree.flatten(carry))
    totals = tree.pack_sequence_as(step.share, results[count:])
    carry = tree.pack_sequence_as(carry, results[:count])
    if alone:
        first = tree.map_structure(lambda x: x[0], (totals, sequences))
        carry = finish(first[0], carry, first[1])
    return carry, totals


def compiled_scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """`scan` for training, in chunks of time that XLA compiles where it can.

    Args:
        step: a function `step(carry, now)` that returns `(carry, results)`, the results floating
            and with the first axis of the first tensor in the carry.
        carry, sequences: as in `scan_repeats`.

    Returns:
        The last carry, and the results with time as first axis.
    """

    def once(n, carry, now):
        carry, results = step(carry, now)
        return results, carry, tf.constant(True)

    found = scan_repeats(once, lambda total, carry, now: carry, carry, sequences, 1)
    return scan(step, carry, sequences) if found is None else found


def _forward(traced, carry, common, total, sequences, length, last):
    """Runs all steps in one loop.

    Args:
        traced: a `StepWithGradient`.
        carry, common, total: lists of tensors, the initial values.
        sequences: list of tensors with time as first axis.
        length: the length of the sequences.
        last: the largest number of steps on an element.

    Returns:
        The last carry, the totals in time, and a function of their gradients that returns the
        gradients of the floating tensors in `carry`, and of the `sequences` and closed-over tensors
        that a gradient reaches.
    """
    loops = Loops(traced, sequences, length, length * last)
    count, *_, final, _, _, totals, saved = loops.forward(
        length, tf.constant(1), carry, common, total
    )

    def pull(of_carry, of_totals):
        of_totals = [as_array(x, length) for x in of_totals]
        of_carry, _, _, of_sequences, of_used = loops.back(
            count, length, of_carry, common, total, of_totals, saved
        )
        return of_carry, [x.stack() for x in of_sequences], of_used

    return final, [x.stack() for x in totals], pull
