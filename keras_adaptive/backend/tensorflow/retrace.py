"""Retraces TensorFlow functions when something other than their arguments differs.

`tf.function` looks up traces by its arguments and by TensorFlow's function context: the graph, the
devices, the strategy. There is no public way to extend this context, so a key is added to the
result of TensorFlow's own function.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.eager.polymorphic_function import function_context


@contextlib.contextmanager
def retraced(key: Any, key_here: Callable[[], Any]) -> Iterator[None]:
    """A context in which functions only use traces that were made under the same key.

    Args:
        key: any hashable object; `None` is the key outside of all contexts.
        key_here: a function that returns the current key of the calling thread.
    """
    if key is not None:
        _install(key_here)
    yield


@functools.cache
def _install(key_here):
    plain = function_context.make_function_context

    def with_key(scope_type=None):
        original, key = plain(scope_type), key_here()
        return original if key is None else original._replace(context=(original.context, key))

    function_context.make_function_context = with_key


def runs_for_another_thread() -> bool:
    """Whether this may be a thread of a strategy, which traces for a waiting thread."""
    return tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
