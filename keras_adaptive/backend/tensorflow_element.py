"""The loop over the steps on the only element of sequences of length 1, compiled by XLA.

It needs neither windows nor a time axis. What all steps but the first have in common is computed
before the loop, and what follows the last step is done after it.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework import config

from ..types import Tensor
from .tensorflow import _floating, compiles
from .tensorflow_chunks import refuse_second_derivative
from .tensorflow_graph import unrecorded
from .tensorflow_loops import _add, _array, _keep_shapes, _read, _write, as_array

# XLA allocates and zeroes the saved tensors of all possible steps. Above this many bytes, compiled
# chunks of a few steps are faster.
MOST_BYTES = 2**22


def compiled_together(run: Callable[[], Any]) -> Any:
    """The results of `run()`, in a function that XLA compiles if it does not compile the model.

    `None` where it does, where it must not compile, and where `run` returns `None`.
    """
    if tf.executing_eagerly() or compiles() or config.is_op_determinism_enabled():
        return None
    function = tf.function(run, jit_compile=True, autograph=False)
    return function.get_concrete_function().structured_outputs and function()


def element_forward(
    traced: Any, carry: Any, common: Any, total: Any, sequences: Any, length: int, last: int
) -> tuple[Any, Any, Any]:
    """Takes all steps, see `tensorflow_scan.forward`; the last carry is that of the last step."""
    now = [x[0] for x in sequences]
    with record.stop_recording():
        common = [traced.common_at(tf.constant(n), now, traced.used) for n in (1, 2)]

    @unrecorded
    def advance(place, done, carry, total, saved):
        before = carry, total
        n = place + 1
        here = [tf.where(n > 1, later, first) for first, later in zip(*common)]
        carry, total, done, new = traced.forward(n, carry, now, here, total)
        _keep_shapes((carry, total), before)
        return n, done, carry, total, _write(saved, place, kept.of(new))

    kept = _Kept(traced, carry)
    saved = [_array(x, last) for x in kept.of(traced.saved)]
    count, _, final, total, saved = tf.while_loop(
        lambda place, done, *_: tf.logical_not(done),
        advance,
        (tf.constant(0), tf.constant(False), carry, total, saved),
        maximum_iterations=last,
    )
    # Tensors can be outputs of a compiled function; arrays cannot.
    saved = [x.stack() for x in saved]

    def pull(of_carry, of_totals):
        refuse_second_derivative([*_floating(carry), *_floating(now), *traced.used])
        of_total = [x[0] for x in of_totals]
        with record.stop_recording():
            of_carry, of_now, of_used = _back(
                traced, kept, count, saved, final, now, common[0], of_carry, of_total, last
            )
        return of_carry, [x[None] for x in of_now], of_used

    return final, [x[None] for x in total], pull


class _Kept:
    """The saved tensors that are kept: those that do not follow from others.

    The number of a step follows from its place. What is frozen is in a step what replaced it in the
    step before, in rows that were running there, and what it is in the next step in others.
    """

    def __init__(self, traced, carry):
        self.frozen = traced.frozen
        self.begin = [carry[number] for number, *_ in self.frozen.values()]
        self.places = [i for i in range(1, len(traced.saved)) if i not in self.frozen]

    def of(self, saved):
        """The tensors to keep."""
        return [saved[place] for place in self.places]

    def end(self, carry):
        """What is frozen after the last step."""
        return [carry[number] for number, *_ in self.frozen.values()]

    def read(self, arrays, place, later):
        """All saved tensors of a step, given what is frozen in the next; and what is frozen."""
        saved = dict(zip(self.places, _read(arrays, place)))
        before = dict(zip(self.places, _read(arrays, tf.maximum(place - 1, 0))))
        now = []
        for (_, new, running), begin, x in zip(self.frozen.values(), self.begin, later):
            rows = tf.reshape(before[running], [-1] + [1] * (x.shape.rank - 1))
            now.append(tf.where(place > 0, tf.where(rows, before[new], x), begin))
        saved |= dict(zip(self.frozen, now))
        return [place + 1, *(saved[i] for i in range(1, len(saved) + 1))], now


def _back(traced, kept, count, saved, final, now, common, of_carry, of_total, last):
    """Runs backwards over `count` steps; the gradients of the carry, `now` and `used`."""
    saved = [as_array(x, last) for x in saved]

    @unrecorded
    def retreat(place, frozen, *gradients):
        of_carry, of_total, of_now, of_used, of_later, _ = gradients
        old, frozen = kept.read(saved, place, frozen)
        of_carry, more, new, of_common, of_total = traced.backward(now, old, of_carry, of_total)
        of_later = [tf.where(place > 0, x + y, x) for x, y in zip(of_later, of_common)]
        new = of_carry, of_total, _add(of_now, more), _add(of_used, new), of_later, of_common
        _keep_shapes(new, gradients)
        return place - 1, frozen, *new

    groups = traced.reached(0, _floating(now)), traced.reached(1, traced.used)
    zeros = [[tf.zeros_like(x) for x in group] for group in (*groups, common, common)]
    _, _, of_carry, _, of_now, of_used, *of_common = tf.while_loop(
        lambda place, *_: place >= 0,
        retreat,
        (count - 1, kept.end(final), of_carry, of_total, *zeros),
        maximum_iterations=last,
    )
    for n, gradients in zip((2, 1), of_common if common else ()):
        more = traced.backward_of_common(tf.constant(n), now, gradients)
        of_now, of_used = map(_add, (of_now, of_used), more)
    return of_carry, of_now, of_used
