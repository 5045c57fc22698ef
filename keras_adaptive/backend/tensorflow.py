"""The loops on TensorFlow: `tf.while_loop`, in training with a reverse loop of our own."""

import functools
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from keras import tree
from tensorflow.python.eager import record
from tensorflow.python.framework import config
from tensorflow.python.ops import control_flow_util

from ..types import Tensor
from . import eager
from .tensorflow_compact import repeat_compacted


def repeat(
    body: Callable[..., Any],
    carry: Any,
    inputs: Any,
    running: Tensor,
    like: Any,
    last: Tensor,
    training: bool,
    compact: bool = False,
) -> Any:
    """Sums the shares of `body` for steps 2 to `last`, as long as a row is running.

    TensorFlow can reverse the loop by itself, and does when a call is not marked as training, but
    it keeps every intermediate of every step. In training the forward loop keeps just what each
    step began with, and a second loop walks back over these steps.
    """
    if compact and not compiles():
        return repeat_compacted(body, carry, inputs, running, like, last)
    if training and not tf.executing_eagerly():
        return _repeat_with_own_gradient(body, carry, inputs, running, like, last)

    def advance(step, carry, running, total):
        share, carry, running = body(step, carry, inputs, running)
        return step + 1, carry, running, tree.map_structure(tf.add, total, share)

    loop = (tf.constant(2), carry, running, tree.map_structure(tf.zeros_like, like))
    return tf.while_loop(
        lambda step, carry, running, total: tf.reduce_any(running),
        advance,
        loop,
        maximum_iterations=last - 1,
    )[3]


def _repeat_with_own_gradient(body, carry, inputs, running, like, last):
    # Tensors of this graph, also where they come from around a function that is traced in it.
    inputs = tree.map_structure(tf.identity, inputs)
    body, used = _explicit(body, tf.constant(2), carry, inputs, running)
    sources = [tree.flatten(carry), _floating(inputs), used]

    @tf.custom_gradient
    @refuse_unseen()
    def run(*_):
        kept = [
            tf.TensorArray(x.dtype, last - 1, element_shape=x.shape, clear_after_read=False)
            for x in [*tree.flatten(carry), running]
        ]

        def advance(step, carry, running, total, kept):
            now = [*tree.flatten(carry), running]
            kept = [array.write(step - 2, tensor) for array, tensor in zip(kept, now)]
            share, carry, running = body(step, carry, inputs, running)
            return step + 1, carry, running, tree.map_structure(tf.add, total, share), kept

        step, _, _, total, kept = tf.while_loop(
            lambda step, carry, running, total, kept: tf.reduce_any(running),
            advance,
            (tf.constant(2), carry, running, tree.map_structure(tf.zeros_like, like), kept),
            maximum_iterations=last - 1,
        )

        # Variables that are not Keras's are still variables here, and TensorFlow asks for them.
        def backward(*total_gradient, variables=()):
            with_respect_to = [*sources[1:], list(variables)]

            def retreat(step, carry_gradient, gradients):
                *now, running = [array.read(step - 2) for array in kept]
                with tf.GradientTape(watch_accessed_variables=False) as tape:
                    tape.watch([now, *with_respect_to])
                    share, new_carry, _ = body(
                        step, tree.pack_sequence_as(carry, now), inputs, running
                    )
                carry_gradient, *new = tape.gradient(
                    [*tree.flatten(share), *tree.flatten(new_carry)],
                    [now, *with_respect_to],
                    [*total_gradient, *carry_gradient],
                    unconnected_gradients="zero",
                )
                return step - 1, carry_gradient, tree.map_structure(tf.add, gradients, new)

            zeros = tree.map_structure(tf.zeros_like, [sources[0], *with_respect_to])
            _, carry_gradient, (*gradients, of_variables) = tf.while_loop(
                lambda step, *_: step >= 2,
                retreat,
                (step - 1, zeros[0], zeros[1:]),
                maximum_iterations=last - 1,
            )
            gradients = tree.flatten((carry_gradient, gradients))
            return (gradients, of_variables) if variables else gradients

        return tree.flatten(total), backward

    return tree.pack_sequence_as(like, run(*tree.flatten(sources)))


def refuse_unseen(constants: Any = ()) -> Callable[..., Any]:
    """Checks a function for `tf.custom_gradient`: its gradient must be that of all that it reads.

    Args:
        constants: nest of tensors that are meant to get no gradient.

    Returns:
        A decorator. The function, of the tensors that get a gradient, returns a list of results
        and the gradient. It raises a RuntimeError if the results depend in a graph on another
        tensor that a gradient tape watches: its gradient would be lost without a word.
    """

    def decorate(run):
        @functools.wraps(run)
        def checked(*sources):
            return _run_and_check(run, constants, sources)

        return checked

    return decorate


def _run_and_check(run, constants, sources):
    if tf.executing_eagerly():
        return run(*sources)
    before = {op.name for op in tf.compat.v1.get_default_graph().get_operations()}
    results, backward = run(*sources)
    seen, pending = {x.name for x in [*sources, *tree.flatten(constants)]}, list(results)
    while pending:
        tensor = pending.pop()
        if tensor.name in seen:
            continue
        seen.add(tensor.name)
        if _has_no_gradient(tensor):
            continue
        if tensor.op.name not in before and tensor.op.type != "Placeholder":
            pending += tensor.op.inputs
        elif tensor.dtype.is_floating and record.should_record_backprop([tensor]):
            raise RuntimeError(
                "A function with a gradient of its own reads a tensor that needs a gradient and "
                f"would get none: {tensor}. It must be among the function's arguments."
            )
    return results, backward


def _has_no_gradient(tensor):
    """Whether it is a number of steps, a choice, or zeros of another tensor's shape."""
    is_discrete = tensor.dtype.is_integer or tensor.dtype.is_bool
    return is_discrete or tensor.op.type in ("ZerosLike", "OnesLike")


class _Witness(keras.StatelessScope):
    """Sees which Keras variables are read inside it."""

    def __init__(self):
        super().__init__()
        self.read = {}

    def get_current_value(self, variable):
        self.read[id(variable)] = variable
        return super().get_current_value(variable)


def _explicit(function, *example):
    """Finds what `function` uses by closure and needs a gradient, as its arguments do.

    Returns `function` traced once, with the values of its variables read here, and the list of
    these values and of the tensors that it captures. A loop back runs the same trace: Python may
    have moved on until then (dropout masks, contexts, whether a layer is in training).
    """
    with _Witness() as witness:
        _trace(function, *example)
    values = [(variable, tf.convert_to_tensor(variable)) for variable in witness.read.values()]

    def with_values(*arguments):
        with keras.StatelessScope(values):
            return function(*arguments)

    trace = _trace(with_values, *example)

    def traced(*arguments):
        results = trace(*tree.flatten(arguments))
        return tree.pack_sequence_as(trace.structured_outputs, tree.flatten(results))

    return traced, _floating(trace.captured_inputs)


def explicit(function: Callable[..., Any], *example: Any) -> tuple[Callable[..., Any], Any]:
    """What `function` uses by closure and may need a gradient, as its first argument, and these.

    The tensors are the same ones still, so that they need not be handed over.
    """
    traced, used = _explicit(function, *example)
    return (lambda used, *arguments: traced(*arguments)), used


def pull_back(function: Callable[..., Any], arguments: Any, gradients: Any) -> Any:
    """Gradients of a function's floating-point arguments, from those of its results."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(arguments)
        results = function(*arguments)
    gradients = tape.gradient(
        tree.flatten(results),
        tree.flatten(arguments),
        tree.flatten(gradients),
        unconnected_gradients="zero",
    )
    return tree.pack_sequence_as(arguments, gradients)


def with_gradient(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    arguments: Any,
    constants: Any,
    plain: Callable[..., Any],
) -> Any:
    """The first of the two results of `forward`, with the gradient that `backward` says.

    `forward(arguments, constants)` returns results and what `backward(kept, gradients)` needs of
    it, which returns gradients of the arguments. `plain`, that without a gradient, is of no use:
    a graph does not tell whether one will be asked for.
    """
    like = []

    @tf.custom_gradient
    @refuse_unseen(constants)
    def run(*_):
        results, kept = forward(arguments, constants)
        like.append(results)

        def pull(*gradients):
            return tree.flatten(backward(kept, tree.pack_sequence_as(results, gradients)))

        return tree.flatten(results), pull

    flat = run(*tree.flatten(arguments))
    return tree.pack_sequence_as(like[0], flat)


def append(store: Tensor, number: Tensor, one: Tensor) -> Tensor:
    """Puts one element into its place on the first axis of a store; without a copy in a loop."""
    # XLA knows no slices that begin anywhere; in a graph, what XLA does in place is a copy.
    if compiles():
        return tf.tensor_scatter_nd_update(store, [[number]], one[None])
    return tf.raw_ops.TensorStridedSliceUpdate(
        input=store, begin=[number], end=[number + 1], strides=[1], value=one[None]
    )


def _floating(nest):
    return [tensor for tensor in tree.flatten(nest) if tensor.dtype.is_floating]


def _trace(function, *arguments):
    """`function` traced on its own, for what it returns and captures; nothing is run."""
    specs = tree.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), arguments)
    return tf.function(function, autograph=False).get_concrete_function(*specs)


def scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """Runs `step` over the first axis of `sequences` and stacks what it returns."""
    if tf.executing_eagerly():
        return eager.scan(step, carry, sequences)
    first = tree.map_structure(lambda x: x[0], sequences)
    _, like = _trace(step, carry, first).structured_outputs
    leader = tree.flatten(sequences)[0]
    length = tf.shape(leader)[0] if leader.shape[0] is None else leader.shape[0]
    sequences = tree.map_structure(
        lambda x: tf.TensorArray(x.dtype, length, element_shape=x.shape[1:]).unstack(x), sequences
    )
    results = tree.map_structure(
        lambda x: tf.TensorArray(x.dtype, length, element_shape=x.shape), like
    )

    def advance(time, carry, results):
        carry, result = step(carry, tree.map_structure(lambda x: x.read(time), sequences))
        results = tree.map_structure(lambda all, one: all.write(time, one), results, result)
        return time + 1, carry, results

    _, carry, results = tf.while_loop(
        lambda time, *_: time < length,
        advance,
        (tf.constant(0), carry, results),
        maximum_iterations=length,
    )
    return carry, tree.map_structure(lambda x: x.stack(), results)


def concrete(x: Tensor) -> Any:
    """The values of a tensor as a NumPy array, or None if it is one of a graph, or a variable."""
    return x.numpy() if isinstance(x, tf.Tensor) and not tf.is_symbolic_tensor(x) else None


def appends_in_place() -> bool:
    """Whether `append` makes no copy in a loop: in a graph, where nobody else holds the store."""
    return not tf.executing_eagerly()


def compiles() -> bool:
    """Whether each step of a loop that is unrolled must be compiled, which takes long."""
    return control_flow_util.GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph())


def may_compile_models() -> bool:
    """Whether XLA may compile models that Keras would run as graphs."""
    return not (config.is_op_determinism_enabled() or tf.distribute.has_strategy())


def clock(after: Tensor) -> Tensor:
    """Microseconds since 1970 when the tensors `after` have been computed, int64.

    Raises:
        ValueError: XLA compiles here, which has no clock.
    """
    if compiles():
        raise ValueError(
            "`limits(seconds=…)` holds where TensorFlow runs a graph, not where XLA compiles it. "
            "Compile the model with jit_compile=False."
        )
    with tf.control_dependencies(tree.flatten(after)):
        return tf.cast(tf.timestamp() * 1e6, tf.int64)
