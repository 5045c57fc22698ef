"""The loop over the steps on the only element of sequences of length 1, compiled by XLA.

It needs neither windows nor a time axis. What all steps but the first have in common is computed
before the loop, and what follows the last step is done after it. XLA allocates and zeroes the
tensors that are saved in all steps that may be taken, which takes long. So they are saved for a few
steps, a chunk; the gradient takes the steps of all chunks but the last again.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework import config

from ...types import Tensor
from .chunks import refuse_second_derivative
from .core import compiles, floating
from .graph import TracedGraph, unrecorded
from .loops import as_array, empty_array, keep_shapes, read_at, summed, written_at
from .step import bytes_of

# The smallest number of steps of a chunk, and its approximate size in bytes.
FEWEST, BYTES = 8, 2**21
# What is saved in a chunk and what begins each chunk have at most this many bytes; above that,
# loops that are compiled by themselves are as fast, and take no step twice.
MOST_BYTES = 2**22


def compiled_together(run: Callable[[], Any]) -> Any:
    """The results of `run()`, in a function that XLA compiles if it does not compile the model.

    `None` where it does, where it must not or cannot compile, and where `run` returns `None`.
    """
    if tf.executing_eagerly() or compiles() or config.is_op_determinism_enabled():
        return None
    function = tf.function(run, jit_compile=True, autograph=False)
    traced = function.get_concrete_function()
    known = traced.structured_outputs is not None and TracedGraph(traced.graph).compiles
    return function() if known else None


class Element:
    """The steps on the only element, forwards and backwards.

    Args:
        traced: a `StepWithGradient`.
        carry: list of tensors, the carry before the first step.
        last: the largest number of steps.
    """

    def __init__(self, traced: Any, carry: list[Tensor], last: int):
        self.traced = traced
        self.frozen = traced.frozen
        # The number of a step, the first saved tensor, follows from its place.
        self.kept = [i for i in range(1, len(traced.saved)) if i not in self.frozen]
        bytes_of_step = max(1, bytes_of(self._keep(traced.saved)))
        self.room = min(last, max(FEWEST, BYTES // bytes_of_step))
        self.chunks = -(-last // self.room)
        self.fits = self.room * bytes_of_step + self.chunks * bytes_of(carry) <= MOST_BYTES

    def forward(
        self, carry: Any, common: Any, total: Any, sequences: Any, length: int, last: int
    ) -> tuple[Any, Any, Any]:
        """Takes all steps, see `scan._forward`; the last carry is unfinished."""
        traced = self.traced
        now = [x[0] for x in sequences]
        with record.stop_recording():
            numbers = (1, 2) if traced.common else ()
            common = [traced.common_at(tf.constant(n), now, traced.used) for n in numbers]

        def chunk(number, _, done, carry, total, starts, saved):
            starts = written_at(starts, number, carry)
            count, done, carry, total, saved = self._steps(
                number * self.room, done, carry, now, common, total, saved
            )
            return number + 1, count, done, carry, total, starts, saved

        zero = tf.constant(0)
        starts = [empty_array(x, self.chunks) for x in carry if self.chunks > 1]
        saved = [empty_array(traced.saved[i], self.room) for i in self.kept]
        variables = zero, zero, tf.constant(False), carry, total, starts, saved
        if self.chunks == 1:
            with record.stop_recording():
                variables = chunk(*variables)
        else:
            variables = tf.while_loop(
                lambda number, count, done, *_: tf.logical_not(done),
                unrecorded(chunk),
                variables,
                maximum_iterations=self.chunks,
            )
        chunks, count, _, final, total, starts, saved = variables
        # Tensors can be outputs of a compiled function; arrays cannot.
        starts, saved = [[x.stack() for x in arrays] for arrays in (starts, saved)]

        def pull(of_carry, of_totals):
            refuse_second_derivative([*floating(carry), *floating(now), *traced.used])
            with record.stop_recording():
                of_carry, of_now, of_used = self._back(
                    (chunks, count, carry, starts, saved, final, now, common),
                    of_carry,
                    [x[0] for x in of_totals],
                )
            return of_carry, [x[None] for x in of_now], of_used

        return final, [x[None] for x in total], pull

    def _steps(self, taken, done, carry, now, common, total, saved):
        """Takes the steps of a chunk, after those that are `taken`."""

        @unrecorded
        def advance(place, done, carry, total, saved):
            before = carry, total
            here = self._common_at(taken + place, common)
            carry, total, done, new = self.traced.forward(
                taken + place + 1, carry, now, here, total
            )
            keep_shapes((carry, total), before)
            return place + 1, done, carry, total, written_at(saved, place, self._keep(new))

        return tf.while_loop(
            lambda place, done, *_: tf.logical_not(done),
            advance,
            (tf.constant(0), done, carry, total, saved),
            maximum_iterations=self.room,
        )

    def _steps_again(self, taken, count, carry, now, common, total, saved):
        """Saves again what `count` steps save, after those that are `taken`."""

        @unrecorded
        def advance(place, carry, saved):
            before = carry
            here = self._common_at(taken + place, common)
            carry, new = self.traced.forward_again(taken + place + 1, carry, now, here, total)
            keep_shapes(carry, before)
            return place + 1, carry, written_at(saved, place, self._keep(new))

        return tf.while_loop(
            lambda place, *_: place < count,
            advance,
            (tf.constant(0), carry, saved),
            maximum_iterations=self.room,
        )[2]

    def _back(self, results, of_carry, of_total):
        """The gradients of the carry, `now` and `used`, from the results of the forward loops."""
        chunks, count, begin, starts, saved, final, now, common = results
        traced = self.traced
        groups = traced.reached(0, floating(now)), traced.reached(1, traced.used)
        common_zeros = common[0] if common else []
        zeros = [[tf.zeros_like(x) for x in group] for group in (*groups, *[common_zeros] * 2)]
        zeros_of_total = [tf.zeros_like(x) for x in of_total]
        gradients = of_carry, of_total, *zeros
        saved = [as_array(x, self.room) for x in saved]
        frozen = [final[number] for number, *_ in self.frozen.values()]
        if self.chunks == 1:
            gradients = self._back_steps(
                tf.constant(0), count, begin, saved, frozen, now, gradients
            )
        else:
            starts = [as_array(x, self.chunks) for x in starts]

            @unrecorded
            def back_chunk(number, count, saved, frozen, *gradients):
                carry, taken = read_at(starts, number), number * self.room
                # The last chunk is there from the forward loops.
                again = tf.where(number < chunks - 1, self.room, 0)
                saved = self._steps_again(taken, again, carry, now, common, zeros_of_total, saved)
                frozen, *gradients = self._back_steps(
                    taken, count, carry, saved, frozen, now, gradients
                )
                return number - 1, tf.constant(self.room), saved, frozen, *gradients

            _, _, _, *gradients = tf.while_loop(
                lambda number, *_: number >= 0,
                back_chunk,
                (chunks - 1, count, saved, frozen, *gradients),
                maximum_iterations=self.chunks,
            )
        _, of_carry, _, of_now, of_used, *of_common = gradients
        for n, upstream in zip((2, 1), of_common if common else ()):
            more = traced.backward_of_common(tf.constant(n), now, upstream)
            of_now, of_used = map(summed, (of_now, of_used), more)
        return of_carry, of_now, of_used

    def _back_steps(self, taken, count, begin, saved, frozen, now, gradients):
        """Runs backwards over the `count` steps of a chunk that begins with the carry `begin`."""

        @unrecorded
        def retreat(place, frozen, *gradients):
            of_carry, of_total, of_now, of_used, of_later, _ = gradients
            old, frozen = self._saved_at(place, saved, begin, frozen)
            number = taken + place
            of_carry, more, new, of_common, of_total = self.traced.backward(
                now, [number + 1, *old], of_carry, of_total
            )
            of_later = [tf.where(number > 0, x + y, x) for x, y in zip(of_later, of_common)]
            sums = summed(of_now, more), summed(of_used, new)
            new = of_carry, of_total, *sums, of_later, of_common
            keep_shapes(new, gradients)
            return place - 1, frozen, *new

        return tf.while_loop(
            lambda place, *_: place >= 0,
            retreat,
            (count - 1, frozen, *gradients),
            maximum_iterations=self.room,
        )[1:]

    def _common_at(self, taken, common):
        """What the steps have in common: the first step, and all others."""
        return [tf.where(taken > 0, later, first) for first, later in zip(*common)]

    def _keep(self, saved):
        return [saved[place] for place in self.kept]

    def _saved_at(self, place, arrays, begin, later):
        """All saved tensors of a step but its number, and those of them that are frozen.

        What is frozen is what replaced it in the step before, in rows that were running there, and
        what it is in the next step in other rows.
        """
        saved = dict(zip(self.kept, read_at(arrays, place)))
        before = dict(zip(self.kept, read_at(arrays, tf.maximum(place - 1, 0))))
        frozen = []
        for (number, new, running), x in zip(self.frozen.values(), later):
            rows = tf.reshape(before[running], [-1] + [1] * (x.shape.rank - 1))
            old = tf.where(rows, before[new], x)
            frozen.append(tf.where(place > 0, old, begin[number]))
        saved |= dict(zip(self.frozen, frozen))
        return [saved[i] for i in range(1, len(saved) + 1)], frozen
