"""A step of an unrolled halting loop on TensorFlow, for those rows alone that go on."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree

from ..types import Tensor
from .tensorflow import compiles


def saves_time() -> bool:
    """Whether a part of the rows costs less than all: on a CPU, where XLA does not compile."""
    return not (compiles() or tf.config.list_physical_devices("GPU"))


def some_or_all(
    flags: Tensor,
    most: float,
    some: Callable[[Tensor], Any],
    everything: Callable[[], Any],
    old: Any,
) -> Any:
    """What is done with those parts that go on, by how many they are.

    Args:
        flags: boolean `(parts,)`, which parts go on.
        most: the largest share of them for which `some` is faster.
        some: a function of their numbers, `(chosen,)`.
        everything: a function without arguments, that takes all.
        old: what is returned if none goes on; the others return the same structure.
    """
    share = tf.reduce_mean(tf.cast(flags, tf.float32))
    return tf.cond(
        share > most,
        everything,
        lambda: tf.cond(share > 0, lambda: some(tf.where(flags)[:, 0]), lambda: old),
    )


def take(nest: Any, rows: Tensor) -> Any:
    """The rows with these numbers of each tensor, in the shape of the numbers."""
    return tree.map_structure(lambda values: tf.gather(values, rows), nest)


def put(nest: Any, rows: Tensor, new: Any) -> Any:
    """Each tensor with new rows in the places `(chosen,)`."""
    return tree.map_structure(
        lambda values, some: tf.tensor_scatter_nd_update(values, rows[:, None], some), nest, new
    )


def add(nest: Any, rows: Tensor, more: Any) -> Any:
    """Each tensor with something added to its rows at the places `(chosen,)`."""
    return tree.map_structure(
        lambda values, some: tf.tensor_scatter_nd_add(values, rows[:, None], some), nest, more
    )
