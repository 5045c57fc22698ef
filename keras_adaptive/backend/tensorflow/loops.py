"""The forward and the backward loop over the steps on some elements, on TensorFlow."""

from typing import Any

import tensorflow as tf
from keras import tree

from ...types import Tensor
from .core import floating
from .graph import unrecorded


class Loops:
    """The forward and the backward loop over some elements.

    Args:
        traced: a `StepWithGradient`.
        sequences: list of tensors with time as first axis.
        size: the number of elements.
        room: the largest number of steps.
    """

    def __init__(self, traced: Any, sequences: list[Tensor], size: Tensor, room: Tensor):
        self.traced = traced
        self.size = size
        self.room = room
        self.sequences = sequences
        self.arrays = [as_array(x, size) for x in sequences]

    def forward(
        self, length: Tensor, n: Tensor, carry: Any, common: list[Tensor], total: list[Tensor]
    ) -> Any:
        """Takes steps until the elements before `length` are done, or there is no room for more.

        Args:
            length: scalar.
            n: the number of the first step.
            carry, common, total: lists of tensors, possibly in the middle of an element.

        Returns:
            The number of steps taken and of elements done; `n`, `carry`, `common` and `total` of
            the next step; and arrays of the totals and of the saved tensors.
        """
        traced, room = self.traced, self.room

        @unrecorded
        def advance(index, time, n, carry, common, total, totals, saved):
            before = carry, common, total
            now = read_at(self.arrays, time)
            if common:
                # All steps from the second on have the same.
                common = tf.cond(
                    n <= 2, lambda: traced.common_at(n, now, traced.used), lambda: common
                )
            carry, total, done, new = traced.forward(n, carry, now, common, total)
            totals, saved = written_at(totals, time, total), written_at(saved, index, [time, *new])
            total = [tf.where(done, tf.zeros_like(x), x) for x in total]
            keep_shapes((carry, common, total), before)
            n = tf.where(done, 1, n + 1)
            time = time + tf.cast(done, tf.int32)
            return index + 1, time, n, carry, common, total, totals, saved

        zero = tf.constant(0)
        totals = [empty_array(x, self.size) for x in total]
        saved = [empty_array(x, room) for x in [zero, *traced.saved]]
        return tf.while_loop(
            lambda index, time, *_: tf.logical_and(time < length, index < room),
            advance,
            (zero, zero, n, carry, common, total, totals, saved),
            maximum_iterations=room,
        )

    def back(
        self,
        count: Tensor,
        later: Tensor,
        of_carry: Any,
        of_common: Any,
        of_total: Any,
        of_totals: Any,
        saved: Any,
    ) -> Any:
        """Runs backwards over `count` steps.

        Args:
            count: scalar.
            later: the element of the step after them.
            of_carry, of_common, of_total: gradients of the inputs of the step after them.
            of_totals: arrays of the gradients of the totals in time.
            saved: arrays from the forward loop.

        Returns:
            Gradients of the inputs of the first step, `of_carry`, `of_common` and `of_total`;
            arrays of the gradients of the sequences; and a list of those of the closed-over
            tensors. The last two contain only tensors that a gradient reaches.
        """
        traced = self.traced

        @unrecorded
        def retreat(index, later, of_carry, of_common, of_total, of_sequences, of_used):
            time, n, *old = read_at(saved, index)
            now, upstream = read_at(self.arrays, time), read_at(of_totals, time)
            new_time = tf.not_equal(time, later)
            of_total = [tf.where(new_time, a, b) for a, b in zip(upstream, of_total)]
            before = of_carry, of_common, of_total, of_used
            of_carry, of_now, more, new, of_total = traced.backward(
                now, [n, *old], of_carry, of_total
            )
            of_element = summed(read_at(of_sequences, time), of_now)
            of_used = summed(of_used, more)
            if of_common:
                of_common = summed(of_common, new)
                of_element, of_used, of_common = self._back_to_common(
                    n, now, of_element, of_used, of_common
                )
            keep_shapes((of_carry, of_common, of_total, of_used), before)
            of_sequences = written_at(of_sequences, time, of_element)
            return index - 1, time, of_carry, of_common, of_total, of_sequences, of_used

        zeros = [tf.zeros_like(x) for x in traced.reached(0, floating(self.sequences))]
        _, _, *gradients = tf.while_loop(
            lambda index, *_: index >= 0,
            retreat,
            (
                count - 1,
                later,
                of_carry,
                of_common,
                of_total,
                [as_array(x, self.size) for x in zeros],
                [tf.zeros_like(x) for x in traced.reached(1, traced.used)],
            ),
            maximum_iterations=self.room,
        )
        return gradients

    def _back_to_common(self, n, now, of_element, of_used, of_common):
        """Passes the gradient of the common tensors on in the step that computed them."""

        def computed():
            of_now, more = self.traced.backward_of_common(n, now, of_common)
            nothing = [tf.zeros_like(x) for x in of_common]
            return summed(of_element, of_now), summed(of_used, more), nothing

        return tf.cond(n <= 2, computed, lambda: (of_element, of_used, of_common))


def summed(tensors: Any, more: Any) -> list[Tensor]:
    """The sums of pairs of tensors; the second may be None."""
    return [x if y is None else x + y for x, y in zip(tensors, more)]


def empty_array(like: Any, size: Tensor) -> tf.TensorArray:
    """A TensorArray for as many tensors like this one."""
    return tf.TensorArray(like.dtype, size, element_shape=like.shape, clear_after_read=False)


def as_array(x: Tensor, size: Tensor) -> tf.TensorArray:
    """The elements of the first axis as a TensorArray that may be read repeatedly."""
    array = tf.TensorArray(x.dtype, size, element_shape=x.shape[1:], clear_after_read=False)
    return array.unstack(x)


def keep_shapes(tensors: Any, like: Any) -> None:
    """Tells a loop that its tensors keep their shapes, which tracing may not infer."""
    for x, y in zip(tree.flatten(tensors), tree.flatten(like)):
        x.set_shape(y.shape)


def read_at(arrays: Any, place: Tensor) -> list[Tensor]:
    """The tensors at one place of TensorArrays."""
    return [array.read(place) for array in arrays]


def written_at(arrays: Any, place: Tensor, tensors: Any) -> list[tf.TensorArray]:
    """The TensorArrays with these tensors at one place."""
    return [array.write(place, tensor) for array, tensor in zip(arrays, tensors)]
