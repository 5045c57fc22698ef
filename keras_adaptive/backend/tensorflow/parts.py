"""A step of an unrolled halting loop on TensorFlow, for the rows that have not halted."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree

from ...types import Tensor
from .core import compiles


def saves_time() -> bool:
    """Whether computing a part of the rows is faster: on a CPU, unless XLA compiles."""
    return not (compiles() or tf.config.list_physical_devices("GPU"))


def some_or_all(
    flags: Tensor,
    most: float,
    some: Callable[[Tensor], Any],
    everything: Callable[[], Any],
    old: Any,
) -> Any:
    """Computes the running parts, or all of them if that is faster.

    Args:
        flags: boolean `(parts,)`, which parts are running.
        most: the largest share of running parts for which `some` is faster.
        some: a function of the indices of the running parts, `(chosen,)`.
        everything: a function without arguments that computes all parts.
        old: the result if none is running; the functions return the same structure.
    """
    share = tf.reduce_mean(tf.cast(flags, tf.float32))
    return tf.cond(
        share > most,
        everything,
        lambda: tf.cond(share > 0, lambda: some(tf.where(flags)[:, 0]), lambda: old),
    )


def apart(function: Callable[..., Any], *inputs: Any) -> Any:
    """What a function of nests of tensors returns, computed by a graph of its own.

    TensorFlow visits each operation of a branch that is not taken, but not those of a graph in it.
    """
    if tf.executing_eagerly():
        return function(*inputs)
    options = {"_noinline": True}
    return tf.function(function, autograph=False, experimental_attributes=options)(*inputs)


def take(nest: Any, rows: Tensor) -> Any:
    """The rows with these indices of each tensor."""
    return tree.map_structure(lambda values: tf.gather(values, rows), nest)


def put(nest: Any, rows: Tensor, new: Any) -> Any:
    """Each tensor with new rows in the places `(chosen,)`."""
    return tree.map_structure(
        lambda values, some: tf.tensor_scatter_nd_update(values, rows[:, None], some), nest, new
    )


def add(nest: Any, rows: Tensor, more: Any) -> Any:
    """Each tensor with `more` added to its rows at the places `(chosen,)`."""
    return tree.map_structure(
        lambda values, some: tf.tensor_scatter_nd_add(values, rows[:, None], some), nest, more
    )
