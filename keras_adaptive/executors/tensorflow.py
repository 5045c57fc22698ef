"""The loops on TensorFlow: `tf.while_loop`, in training with a reverse loop of our own."""

import tensorflow as tf
from keras import tree

from . import eager


def repeat(body, carry, inputs, running, like, last, training):
    """Sums the shares of `body` for steps 2 to `last`, as long as a row is running.

    TensorFlow can reverse the loop by itself, and does when a call is not marked as training, but
    it keeps every intermediate of every step. In training the forward loop keeps just what each
    step began with, and a second loop walks back over these steps.
    """
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
    captured = _captured_tensors(body, carry, inputs, running)
    differentiable = tree.flatten(carry), _floating(inputs), captured

    @tf.custom_gradient
    def run(*_):
        kept = [
            tf.TensorArray(tensor.dtype, last - 1, element_shape=tensor.shape, clear_after_read=False)
            for tensor in [*tree.flatten(carry), running]
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

        def backward(*total_gradient, variables=None):
            variables = variables or []
            total_gradient = tree.pack_sequence_as(like, total_gradient)

            def retreat(step, carry_gradient, gradients):
                *flat, running = [array.read(step - 2) for array in kept]
                sources = [flat, _floating(inputs), captured, variables]
                with tf.GradientTape(watch_accessed_variables=False) as tape:
                    tape.watch(sources)
                    share, new_carry, _ = body(
                        step, tree.pack_sequence_as(carry, flat), inputs, running
                    )
                new = tape.gradient(
                    [*tree.flatten(share), *tree.flatten(new_carry)],
                    sources,
                    [*tree.flatten(total_gradient), *carry_gradient],
                    unconnected_gradients="zero",
                )
                return step - 1, new[0], [
                    [tf.add(old, more) for old, more in zip(*pair)]
                    for pair in zip(gradients, new[1:])
                ]

            zeros = [
                [tf.zeros_like(tensor) for tensor in part]
                for part in (tree.flatten(carry), _floating(inputs), captured, variables)
            ]
            _, carry_gradient, gradients = tf.while_loop(
                lambda step, *_: step >= 2,
                retreat,
                (step - 1, zeros[0], zeros[1:]),
                maximum_iterations=last - 1,
            )
            flat = [*carry_gradient, *gradients[0], *gradients[1]]
            return (flat, gradients[2]) if variables else flat

        return tree.flatten(total), backward

    flat = run(*(tensor for part in differentiable for tensor in part))
    return tree.pack_sequence_as(like, flat)


def _floating(nest):
    return [tensor for tensor in tree.flatten(nest) if tensor.dtype.is_floating]


def _trace(function, *arguments):
    """`function` traced on its own, for what it returns and captures; nothing is run."""
    specs = tree.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), arguments)
    return tf.function(function, autograph=False).get_concrete_function(*specs)


def _captured_tensors(body, carry, inputs, running):
    """The float tensors that `body` uses by closure: they need a gradient, as its arguments do.

    (The variables that it uses are found by `tf.custom_gradient`.)
    """
    trace = _trace(body, tf.constant(2), carry, inputs, running)
    return [tensor for tensor in trace.captured_inputs if tensor.dtype.is_floating]


def scan(step, carry, sequences):
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
