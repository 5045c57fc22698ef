"""Whether TensorFlow makes graphs in a test, and whether it rewrites them before they run."""

import contextlib
import functools
import os


def _is_tensorflow():
    return os.environ["KERAS_BACKEND"] == "tensorflow"


@contextlib.contextmanager
def functions(run_eagerly):
    """Whether TensorFlow runs functions eagerly; a few small batches take less than tracing."""
    if not _is_tensorflow():
        yield
        return
    import tensorflow as tf

    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


def _optimize(whether):
    if not _is_tensorflow():
        return
    import tensorflow as tf

    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": not whether})


@functools.cache
def leave_alone():
    """From now on graphs run as they are traced: to rewrite them takes as long as to trace them.

    Nor does an operation know the stack that made it, which only errors in running graphs name.
    """
    _optimize(False)
    if _is_tensorflow():
        from tensorflow.python.util import tf_stack

        stack = tf_stack.extract_stack()
        tf_stack.extract_stack = lambda stacklevel=1: stack


@contextlib.contextmanager
def optimized():
    """Graphs are rewritten, as they are for users."""
    _optimize(True)
    try:
        yield
    finally:
        _optimize(False)
