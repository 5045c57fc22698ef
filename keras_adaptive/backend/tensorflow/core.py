"""The loops on TensorFlow: `tf.while_loop`, in training with a reverse loop of our own."""

import functools
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from keras import tree
from tensorflow.python.eager import forwardprop_util, record
from tensorflow.python.framework import config
from tensorflow.python.ops import control_flow_util

from ...types import Tensor
from .. import eager, last_chunk
from .compact import repeat_compacted


def repeat(
    body: Callable[..., Any],
    carry: Any,
    inputs: Any,
    running: Tensor,
    like: Any,
    last: Tensor,
    training: bool,
    compact: bool = False,
    may_halt: bool = True,
) -> Any:
    """Sums the shares of `body` over steps 2 to `last`, as long as a row is running.

    TensorFlow can differentiate the loop by itself, and does so when a call is not marked as
    training, but then it stores every intermediate tensor of every step. In training, the forward
    loop saves just the inputs of each step, and a second loop runs backwards over these steps. If
    XLA compiles them, it saves those of the last chunk of steps, and takes those before it again.
    """
    if compact and not compiles():
        return repeat_compacted(body, carry, inputs, running, like, last)
    if training and not tf.executing_eagerly():
        in_chunks = may_halt and compiles() and not tf.is_tensor(last)
        room = last_chunk.room(last) if in_chunks else last - 1
        return _repeat_with_own_gradient(body, carry, inputs, running, like, last, room)

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


def _repeat_with_own_gradient(body, carry, inputs, running, like, last, room):
    # Makes captured tensors of an outer graph tensors of this graph.
    inputs = tree.map_structure(tf.identity, inputs)
    body, used = _explicit(body, tf.constant(2), carry, inputs, running)
    sources = [tree.flatten(carry), floating(inputs), used]
    flat = functools.partial(_flat_step, body, carry, inputs)

    @tf.custom_gradient
    @refuse_unseen()
    def run(*_):
        saved = [
            tf.TensorArray(x.dtype, room, element_shape=x.shape, clear_after_read=False)
            for x in [*tree.flatten(carry), running]
        ]

        def advance(step, carry, running, total, saved):
            now = [*tree.flatten(carry), running]
            saved = [array.write((step - 2) % room, tensor) for array, tensor in zip(saved, now)]
            share, carry, running = body(step, carry, inputs, running)
            return step + 1, carry, running, tree.map_structure(tf.add, total, share), saved

        step, _, _, total, saved = tf.while_loop(
            lambda step, carry, running, total, saved: tf.reduce_any(running),
            advance,
            (tf.constant(2), carry, running, tree.map_structure(tf.zeros_like, like), saved),
            maximum_iterations=last - 1,
        )

        # TensorFlow asks for gradients of variables that are not Keras variables.
        def backward(*total_gradient, variables=()):
            with_respect_to = [*sources[1:], list(variables)]

            pull = functools.partial(_pull_back, flat, with_respect_to, total_gradient)
            zeros = tree.map_structure(tf.zeros_like, [sources[0], *with_respect_to])
            if not tf.is_tensor(last) and room < last - 1:
                first, stacks = [*sources[0], running], [array.stack() for array in saved]
                gradients = last_chunk.pull_back(
                    lambda *now: flat(*now)[1], pull, (step - 1, last), first, stacks, zeros
                )
            else:
                _, gradients = tf.while_loop(
                    lambda step, _: step >= 2,
                    lambda step, gradients: (
                        step - 1,
                        pull(step, [array.read(step - 2) for array in saved], gradients),
                    ),
                    (step - 1, zeros),
                    maximum_iterations=last - 1,
                )
            *gradients, of_variables = gradients
            gradients = tree.flatten(gradients)
            return (gradients, of_variables) if variables else gradients

        return tree.flatten(total), backward

    return tree.pack_sequence_as(like, run(*tree.flatten(sources)))


def _flat_step(body, carry, inputs, step, now):
    """A step on a list of the tensors of a carry and `running`: its shares, and the next list."""
    *now, running = now
    share, carry, running = body(step, tree.pack_sequence_as(carry, now), inputs, running)
    return tree.flatten(share), [*tree.flatten(carry), running]


def _pull_back(flat, with_respect_to, of_shares, step, now, gradients):
    """The gradients of the carry before a step, and of all else, from those after it."""
    of_carry, *gradients = gradients
    sources = [now[:-1], *with_respect_to]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        shares, after = flat(step, now)
    of_carry, *new = tape.gradient(
        [*shares, *after[:-1]], sources, [*of_shares, *of_carry], unconnected_gradients="zero"
    )
    return [of_carry, *tree.map_structure(tf.add, gradients, new)]


def refuse_unseen(constants: Any = ()) -> Callable[..., Any]:
    """Checks that the gradient of a function for `tf.custom_gradient` covers all its inputs.

    Args:
        constants: nest of tensors that need no gradient.

    Returns:
        A decorator. The function takes the tensors that get a gradient, and returns a list of
        results and the gradient function. It raises a RuntimeError if, in a graph, the results
        depend on another tensor that a gradient tape watches, or if a `ForwardAccumulator` watches
        one: its gradient would be lost silently.
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
    if forwardprop_util.pack_tangents(sources).tangents:
        raise RuntimeError(
            "In a `tf.function`, loops have no forward-mode derivative on TensorFlow. Enter the "
            "`tf.autodiff.ForwardAccumulator` outside of it, for a tensor that is its argument, "
            "with `layer.supports_jit = False` on the layer, or run the layer eagerly."
        )
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
    """Whether a tensor is discrete, or zeros or ones in the shape of another tensor."""
    is_discrete = tensor.dtype.is_integer or tensor.dtype.is_bool
    return is_discrete or tensor.op.type in ("ZerosLike", "OnesLike")


class _Values(keras.StatelessScope):
    """A scope in which a trace reads Keras variables as tensors of the graph around it."""

    def __init__(self):
        super().__init__()
        self.read = {}
        graph = tf.compat.v1.get_default_graph()
        self.outside = tf.init_scope if tf.executing_eagerly() else graph.as_default

    def get_current_value(self, variable):
        assigned = super().get_current_value(variable)
        if assigned is not None:
            return assigned
        if id(variable) not in self.read:
            # With the variable, whose number may not be another's as long as this exists.
            self.read[id(variable)] = self._value_outside(variable), variable
        return self.read[id(variable)][0]

    def _value_outside(self, variable):
        outer = self.original_scope
        value = None if outer is None else outer.get_current_value(variable)
        if value is None:
            # `value` has the dtype of the layer that is being called, not that of the variable.
            with self.outside():
                value = tf.convert_to_tensor(variable._value)
        return value


def _explicit(function, *example):
    """Traces `function` and finds the closed-over tensors that need a gradient.

    Returns `function` traced once, with the current values of its variables, and the list of these
    values and of the captured tensors. The backward loop runs the same trace, because Python state
    may have changed in the meantime (dropout masks, contexts, the training flag of a layer).
    """
    trace, _ = traced_with_values(function, *example)

    def traced(*arguments):
        results = trace(*tree.flatten(arguments))
        return tree.pack_sequence_as(trace.structured_outputs, tree.flatten(results))

    return traced, floating(trace.captured_inputs)


def explicit(function: Callable[..., Any], *example: Any) -> tuple[Callable[..., Any], Any]:
    """Lifts closed-over tensors to an explicit first argument.

    Here the returned function ignores this argument, because it captures the same tensors.

    Returns:
        A pair of a function `(used, *arguments)`, and `used`, the closed-over tensors that may need
        a gradient.
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
    """The results of `forward`, with `backward` as their gradient.

    `forward(arguments, constants)` returns a pair of the results and the tensors `saved` for
    `backward(saved, gradients)`, which returns the gradients of the arguments. `plain` is not
    used: a graph cannot know whether it will be differentiated.
    """
    like = []

    @tf.custom_gradient
    @refuse_unseen(constants)
    def run(*_):
        results, saved = forward(arguments, constants)
        like.append(results)

        def pull(*gradients):
            return tree.flatten(backward(saved, tree.pack_sequence_as(results, gradients)))

        return tree.flatten(results), pull

    flat = run(*tree.flatten(arguments))
    return tree.pack_sequence_as(like[0], flat)


def append(store: Tensor, number: Tensor, one: Tensor) -> Tensor:
    """Writes an element to its place on the first axis of a store; in a loop, without a copy."""
    # XLA has no slice update at a variable place; a graph would copy for a scatter update.
    if compiles():
        return tf.tensor_scatter_nd_update(store, [[number]], one[None])
    return tf.raw_ops.TensorStridedSliceUpdate(
        input=store, begin=[number], end=[number + 1], strides=[1], value=one[None]
    )


def floating(nest: Any) -> list[Tensor]:
    """The tensors of a nest that have gradients."""
    return [tensor for tensor in tree.flatten(nest) if tensor.dtype.is_floating]


def traced_with_values(function: Callable[..., Any], *example: Any) -> tuple[Any, bool]:
    """Traces `function` with the variables that it reads as tensors, their values now.

    Returns:
        The trace, and whether `function` assigns variables, which is without effect.
    """
    with _Values() as scope:
        trace = traced_alone(function, *example)
    return trace, bool(scope.state_mapping)


def traced_alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Traces `function` on its own, without running it."""
    specs = tree.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), arguments)
    return tf.function(function, autograph=False).get_concrete_function(*specs)


def scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """Runs `step` over the first axis of `sequences` and stacks its results."""
    if tf.executing_eagerly():
        return eager.scan(step, carry, sequences)
    first = tree.map_structure(lambda x: x[0], sequences)
    _, like = traced_alone(step, carry, first).structured_outputs
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
        results = tree.map_structure(lambda array, x: array.write(time, x), results, result)
        return time + 1, carry, results

    _, carry, results = tf.while_loop(
        lambda time, *_: time < length,
        advance,
        (tf.constant(0), carry, results),
        maximum_iterations=length,
    )
    return carry, tree.map_structure(lambda x: x.stack(), results)


def concrete(x: Tensor) -> Any:
    """The values of a tensor as a NumPy array, or None for a variable or a tensor of a graph."""
    return x.numpy() if isinstance(x, tf.Tensor) and not tf.is_symbolic_tensor(x) else None


def appends_in_place() -> bool:
    """Whether `append` makes no copy in a loop: in graphs, where the store has no other owner."""
    return not tf.executing_eagerly()


def compiles() -> bool:
    """Whether each step of an unrolled loop is compiled, which takes long."""
    return control_flow_util.GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph())


def may_compile_models() -> bool:
    """Whether XLA may compile models that Keras would run as graphs."""
    return not (config.is_op_determinism_enabled() or tf.distribute.has_strategy())


def clock(after: Tensor) -> Tensor:
    """Microseconds since 1970 at the time when the tensors `after` are computed, int64.

    Raises:
        ValueError: XLA compiles this graph, and has no clock.
    """
    if compiles():
        raise ValueError(
            "`limits(seconds=…)` holds where TensorFlow runs a graph, not where XLA compiles it. "
            "Compile the model with jit_compile=False."
        )
    with tf.control_dependencies(tree.flatten(after)):
        return tf.cast(tf.timestamp() * 1e6, tf.int64)


def wait_for(reading: Tensor, tensors: Any) -> Any:
    """The tensors, which what uses them receives after a reading of the clock."""
    with tf.control_dependencies([reading]):
        return tree.map_structure(tf.identity, tensors)


def accelerator() -> str | None:
    """The name of the first GPU, or None."""
    found = tf.config.list_physical_devices("GPU")
    return tf.config.experimental.get_device_details(found[0]).get("device_name") if found else None
