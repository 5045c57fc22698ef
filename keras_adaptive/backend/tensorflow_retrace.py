"""Functions of TensorFlow that are traced again where something else than their arguments differs.

`tf.function` looks for a trace by its arguments and by what TensorFlow calls the context: the
graph, the devices, the strategy. There is no public way to add to it, so a key is added here to
what TensorFlow's own function returns.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.eager.polymorphic_function import function_context


@contextlib.contextmanager
def retraced(key: Any, key_here: Callable[[], Any]) -> Iterator[None]:
    """Inside, a function runs a trace that was made under this key, or is traced now.

    Args:
        key: any hashable object; `None` is that of functions traced outside.
        key_here: a function that returns the key in force where it is called, in any thread.
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
    """Whether this may be a thread of a strategy, which traces for the one that waits for it."""
    return tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
