"""The halting loop on TensorFlow, restricted to the rows that have not halted."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from keras import tree

from ...types import Tensor

# This name in the error of a graph shows that this loop failed.
SCOPE = "rows_that_go_on"


def repeat_compacted(
    body: Callable[..., Any], carry: Any, inputs: Any, running: Tensor, like: Any, last: Tensor
) -> Any:
    """Computes each step only for the rows that are still running."""

    def keep(chosen, nest):
        return tree.map_structure(lambda x: tf.gather(x, chosen), nest)

    def advance(step, rows, carry, inputs, total):
        with explained_compaction(whole=True):
            share, carry, running = body(step, carry, inputs, tf.ones_like(rows, tf.bool))
            total = tree.map_structure(
                lambda all, more: tf.tensor_scatter_nd_add(all, rows[:, None], more), total, share
            )
        chosen = tf.where(running)[:, 0]
        return step + 1, *keep(chosen, (rows, carry, inputs)), total

    def any_batch(nest):
        return tree.map_structure(lambda x: tf.TensorShape([None, *x.shape[1:]]), nest)

    rows = tf.where(running)[:, 0]
    zeros = tree.map_structure(tf.zeros_like, like)
    loop = (tf.constant(2), rows, *keep(rows, (carry, inputs)), zeros)
    same = tree.map_structure(lambda x: x.shape, zeros)
    with tf.name_scope(SCOPE):
        return tf.while_loop(
            lambda step, rows, *_: tf.size(rows) > 0,
            advance,
            loop,
            shape_invariants=(tf.TensorShape([]), *any_batch(loop[1:4]), same),
            maximum_iterations=last - 1,
        )[4]


@contextlib.contextmanager
def explained_compaction(whole: bool = False) -> Iterator[None]:
    """Explains errors in a step that is computed for a part of the batch.

    Args:
        whole: whether this step is all that runs inside.
    """
    try:
        yield
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        of_graph = isinstance(error, tf.errors.InvalidArgumentError) and SCOPE in str(error)
        if not whole and not of_graph:
            raise
        raise ValueError(
            "A step inside `halting.compaction` must work on any part of the batch: its rows must "
            "be independent of each other, and what it reads for each row must come in through "
            "the argument `inputs` of `halting.ponder`, not by closure. Change the step, or call "
            f"it outside of `compaction`. Received, on the rows that still run: {error}"
        ) from error
