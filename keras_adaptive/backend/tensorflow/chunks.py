"""The loops over the steps of a whole sequence in chunks of a few steps, each compiled by XLA.

XLA needs fixed shapes. A chunk has room for a fixed number of steps, on at most as many elements,
so it is compiled once for sequences of all lengths and all numbers of steps, and needs little more
memory than the tensors saved in these steps.
"""

from typing import Any

import tensorflow as tf
from tensorflow.python.eager import record

from ...types import Tensor
from .core import floating
from .graph import unrecorded
from .loops import Loops, as_array

# The smallest and the largest number of steps of a chunk, and its approximate size in bytes.
FEWEST, MOST, BYTES = 8, 64, 2**24


def room_of(traced: Any, length: Tensor, last: int) -> int:
    """The number of steps of a chunk; it is small because XLA fills unused steps with zeros."""
    affordable = max(FEWEST, min(MOST, BYTES // max(1, traced.saved_bytes())))
    if not isinstance(length, int):
        return affordable
    return min(affordable, length * last, FEWEST * length)


def chunks_forward(
    traced: Any, carry: Any, common: Any, total: Any, sequences: Any, length: Tensor, last: int
) -> tuple[Any, Any, Any]:
    """Runs all steps, see `scan._forward`."""
    room = room_of(traced, length, last)
    width = min(room, length) if isinstance(length, int) else room
    windows = _Windows(sequences, width)
    forward, back = _compiled(traced, width, room)

    @unrecorded
    def advance(chunk, time, n, carry, common, total, totals, saved):
        count, moved, n, carry, common, total, new, more = forward(
            windows.at(time), length - time, n, carry, common, total
        )
        saved = [array.write(chunk, x) for array, x in zip(saved, [time, count, *more])]
        totals = [_put(store, time, x) for store, x in zip(totals, new)]
        return chunk + 1, time + moved, n, carry, common, total, totals, saved

    zero = tf.constant(0)
    like = [zero, zero, zero, *traced.saved]
    shapes = [x.shape if i < 2 else [room, *x.shape] for i, x in enumerate(like)]
    most = (length * last + room - 1) // room
    saved = [
        tf.TensorArray(x.dtype, most, element_shape=shape, clear_after_read=False)
        for x, shape in zip(like, shapes)
    ]
    stores = [windows.zeros(x) for x in total]
    chunks, *_, final, _, _, totals, saved = _loop(
        lambda chunk, time, *_: time < length,
        advance,
        (zero, zero, tf.constant(1), carry, common, total, stores, saved),
        most,
    )

    def pull(of_carry, of_totals):
        refuse_second_derivative([*carry, *sequences, *traced.used])
        upstream = _Windows(of_totals, width)

        @unrecorded
        def retreat(chunk, later, of_carry, of_common, of_total, of_sequences, of_used):
            time, count, *old = [array.read(chunk) for array in saved]
            before = [of_carry, of_common, of_total]
            *before, of_now, more = back(
                windows.at(time), count, later - time, *before, upstream.at(time), old
            )
            of_sequences = [_add(store, time, x) for store, x in zip(of_sequences, of_now)]
            of_used = list(map(tf.add, of_used, more))
            return chunk - 1, time, *before, of_sequences, of_used

        _, _, of_carry, _, _, of_sequences, of_used = _loop(
            lambda chunk, *_: chunk >= 0,
            retreat,
            (
                chunks - 1,
                length,
                of_carry,
                common,
                total,
                [tf.zeros_like(x) for x in traced.reached(0, floating(windows.padded))],
                [tf.zeros_like(x) for x in traced.reached(1, traced.used)],
            ),
            most,
        )
        return of_carry, [x[:length] for x in of_sequences], of_used

    return final, [x[:length] for x in totals], pull


def refuse_second_derivative(tensors: Any) -> None:
    """Refuses a second derivative, which would not reach `tensors`."""
    if record.should_record_backprop(tensors):
        raise RuntimeError(
            "A loop that XLA has compiled has no second derivative on TensorFlow. Set "
            "`layer.supports_jit = False` on the layer with the loop, or take the gradient "
            "outside of the context of a persistent tape."
        )


def _loop(condition, body, variables, most):
    """A loop whose first iteration, often the only one, runs outside: entering a loop is costly."""
    variables = body(*variables)
    if isinstance(most, int) and most == 1:
        return variables
    return tf.while_loop(condition, body, variables, maximum_iterations=most - 1)


def _compiled(traced, width, room):
    """The two methods of `Loops` for one chunk, as functions that XLA compiles."""

    @unrecorded
    def forward(now, length, n, carry, common, total):
        loops = Loops(traced, now, width, room)
        *results, totals, saved = loops.forward(length, n, carry, common, total)
        return *results, [x.stack() for x in totals], [x.stack() for x in saved]

    @unrecorded
    def back(now, count, later, of_carry, of_common, of_total, of_totals, saved):
        loops = Loops(traced, now, width, room)
        of_totals = [as_array(x, width) for x in of_totals]
        saved = [as_array(x, room) for x in saved]
        *results, of_now, of_used = loops.back(
            count, later, of_carry, of_common, of_total, of_totals, saved
        )
        return *results, [x.stack() for x in of_now], of_used

    return [tf.function(x, jit_compile=True, autograph=False) for x in (forward, back)]


class _Windows:
    """Windows of as many elements as a chunk may reach, in sequences padded for them."""

    def __init__(self, sequences, width):
        self.width = width
        self.padded = sequences
        if width > 1:
            self.padded = [
                tf.pad(x, [[0, width - 1]] + [[0, 0]] * (x.shape.rank - 1)) for x in sequences
            ]
        self.size = tf.shape(self.padded[0])[0]

    def at(self, time):
        """The elements from `time`."""
        return [_slice(x, time, self.width) for x in self.padded]

    def zeros(self, x):
        """A store as long as the sequences, whose elements have the shape of `x`."""
        return tf.zeros(tf.concat([[self.size], tf.shape(x)], 0), x.dtype)


def _slice(x, time, width):
    window = x[time : time + width]
    window.set_shape([width, *x.shape[1:]])
    return window


def _put(store, time, x):
    return tf.raw_ops.TensorStridedSliceUpdate(
        input=store, begin=[time], end=[time + x.shape[0]], strides=[1], value=x
    )


def _add(store, time, x):
    return _put(store, time, _slice(store, time, x.shape[0]) + x)
