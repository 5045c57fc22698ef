"""A loop over time on TensorFlow whose step is repeated at each element, as one loop.

A step is traced once, together with its gradient. What the gradient needs of a step is what the
loop forward keeps of it, so that the loop back repeats nothing but operations that cost less than
to remember their results.
"""

import math

import keras
import tensorflow as tf
from keras import tree

from .tensorflow import _floating, _trace, _Witness, compiles

# XLA fills with zeros whatever the steps that may be taken could keep, and holds it to the end.
MOST_BYTES_OF_XLA = 2**26
# How long an axis is taken to be that is not known yet.
TYPICAL_LENGTH = 64
# Operations that cost less than to keep their results.
CHEAP = {
    *("Add", "AddV2", "Any", "BroadcastTo", "Cast", "ConcatV2", "Equal", "ExpandDims", "Fill"),
    *("Greater", "GreaterEqual", "Identity", "Less", "LessEqual", "LogicalAnd", "LogicalNot"),
    *("LogicalOr", "Mul", "Neg", "Pack", "Relu", "Reshape", "Select", "SelectV2", "Shape"),
    *("Sigmoid", "Split", "Squeeze", "StridedSlice", "Sub", "Tanh", "Transpose", "ZerosLike"),
}


def scan_repeats(step, finish, carry, sequences, last):
    """Repeats `step` on each element of the first axis of `sequences`, until it is done there.

    Args:
        step: a function `step(n, carry, now)` that returns `(share, carry, done)`. `n`, a scalar
            tensor, counts the steps on the element `now` from 1; the shares, floating, are summed
            up over these steps; `done`, a boolean scalar, ends them.
        finish: a function `finish(total, carry, now)` that returns the `carry` with which the next
            element begins.
        carry: nest of tensors; the first axis of the first one is that of all shares.
        sequences: nest of tensors with time as first axis.
        last: integer, the step on an element that surely is done.

    Returns:
        `(carry, totals)`, the totals with time as first axis. `None` where such a loop does not
        work or does not pay: when run eagerly, when `step` changes a variable, prints, reads what
        is no tensor and no variable of Keras, or has a loop of its own, and when XLA would have to
        provide too much memory.
    """
    if tf.executing_eagerly():
        return None
    traced = _Step(step, finish, carry, sequences)
    flat = tree.flatten(sequences)
    length = tf.shape(flat[0])[0] if flat[0].shape[0] is None else flat[0].shape[0]
    most = last * (flat[0].shape[0] or TYPICAL_LENGTH)
    if not traced.is_pure or (compiles() and most * traced.kept_bytes() > MOST_BYTES_OF_XLA):
        return None
    batch_size = tf.shape(tree.flatten(carry)[0])[0]
    shares = [((batch_size, *x.shape[1:]), x.dtype) for x in tree.flatten(traced.share)]
    sequences = [_in_time(x, length) for x in flat]
    sources = [_floating(carry), _floating(flat), traced.used]

    @tf.custom_gradient
    def run(*_):
        def advance(index, time, n, carry, totals, kept):
            now, total = _read(sequences, time), _read(totals, time)
            old = carry
            carry, total, done, new = traced.forward(n, carry, now, total)
            _keep_shapes(carry, old)
            totals, kept = _write(totals, time, total), _write(kept, index, [time, *new])
            n = tf.where(done, 1, n + 1)
            return index + 1, time + tf.cast(done, tf.int32), n, carry, totals, kept

        zero = tf.constant(0)
        totals = [_in_time(tf.zeros((length, *shape), dtype), length) for shape, dtype in shares]
        kept = [_array(x, length * last) for x in [zero, *traced.kept]]
        count, _, _, final, totals, kept = tf.while_loop(
            lambda index, time, *_: time < length,
            advance,
            (zero, zero, zero + 1, tree.flatten(carry), totals, kept),
            maximum_iterations=length * last,
        )

        def backward(*upstream):
            of_carry = [g for g, x in zip(upstream, final) if x.dtype.is_floating]
            of_totals = [_in_time(x, length) for x in upstream[len(final) :]]

            def retreat(index, later, of_carry, of_total, of_sequences, of_used):
                time, *old = _read(kept, index)
                upstream = _read(of_totals, time)
                new_time = tf.not_equal(time, later)
                of_total = [tf.where(new_time, a, b) for a, b in zip(upstream, of_total)]
                before = of_carry, of_total
                of_carry, of_now, more, of_total = traced.backward(
                    _read(sequences, time), old, of_carry, of_total
                )
                _keep_shapes((of_carry, of_total), before)
                so_far = _read(of_sequences, time)
                of_sequences = _write(of_sequences, time, map(tf.add, so_far, of_now))
                of_used = list(map(tf.add, of_used, more))
                return index - 1, time, of_carry, of_total, of_sequences, of_used

            _, _, of_carry, _, of_sequences, of_used = tf.while_loop(
                lambda index, *_: index >= 0,
                retreat,
                (
                    count - 1,
                    length,
                    of_carry,
                    [tf.zeros(*share) for share in shares],
                    [_in_time(tf.zeros_like(x), length) for x in traced.reached(1, sources[1])],
                    [tf.zeros_like(x) for x in traced.reached(2, sources[2])],
                ),
                maximum_iterations=length * last,
            )
            of_sequences = [x.stack() for x in of_sequences]
            return [*of_carry, *traced.all_of(1, of_sequences), *traced.all_of(2, of_used)]

        return [*final, *(x.stack() for x in totals)], backward

    found = run(*tree.flatten(sources))
    count = len(tree.flatten(carry))
    totals = tree.pack_sequence_as(traced.share, found[count:])
    return tree.pack_sequence_as(carry, found[:count]), totals


def _array(like, size):
    return tf.TensorArray(like.dtype, size, element_shape=like.shape, clear_after_read=False)


def _in_time(x, length):
    array = tf.TensorArray(x.dtype, length, element_shape=x.shape[1:], clear_after_read=False)
    return array.unstack(x)


def _keep_shapes(tensors, like):
    """Lets a loop see that its tensors keep their shapes, where a trace could not tell."""
    for x, y in zip(tree.flatten(tensors), tree.flatten(like)):
        x.set_shape(y.shape)


def _read(arrays, index):
    return [array.read(index) for array in arrays]


def _write(arrays, index, tensors):
    return [array.write(index, tensor) for array, tensor in zip(arrays, tensors)]


class _Step:
    """One step with its gradient, taken apart into what runs forward and what runs back.

    Attributes:
        share: the nest of what is summed up, as traced.
        used: the tensors that the step uses by closure and that may need a gradient.
        kept: the tensors of the trace that running back needs of running forward.
        is_pure: whether nothing else needs to be kept or done.
    """

    def __init__(self, step, finish, carry, sequences):
        n, now = tf.constant(1), tree.map_structure(lambda x: x[0], sequences)
        with _Witness() as witness:
            first = _trace(step, n, carry, now)
        self.share = first.structured_outputs[0]
        values = [(variable, tf.convert_to_tensor(variable)) for variable in witness.read.values()]
        self.used = _floating([[value for _, value in values], first.captured_inputs])

        def with_total(n, carry, now, total):
            with keras.StatelessScope(values):
                share, carry, done = step(n, carry, now)
            total = tree.map_structure(tf.add, total, share)
            end = finish(total, carry, now)
            carry = tree.map_structure(lambda new, old: tf.where(done, new, old), end, carry)
            return tree.map_structure(tf.identity, (carry, total)), done

        def with_gradient(n, carry, now, total, upstream):
            sources = [_floating(carry), _floating(now), self.used, tree.flatten(total)]
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(sources)
                results, done = with_total(n, carry, now, total)
            forward.update(op.name for op in done.graph.get_operations())
            of_carry, *found = tape.gradient(_floating(results), sources, upstream)
            # A loop carries these, whether or not they depend on anything.
            of_carry = [tf.zeros_like(x) if g is None else g for g, x in zip(of_carry, sources[0])]
            found = [[None if g is None else tf.convert_to_tensor(g) for g in gs] for gs in found]
            self.given = tree.flatten((n, carry, now, total))
            self.known = [n, *tree.flatten(now), *upstream]
            self.results = [*map(tree.flatten, results), done]
            self.gradients = [of_carry, *found]
            return self.results, self.gradients

        like = _floating((carry, self.share))
        forward = set()
        self.graph = _trace(with_gradient, n, carry, now, self.share, like).graph
        self.definition = self.graph.as_graph_def()
        self.kept = _kept(self.graph, forward, self.given, self.known, _present(self.gradients))
        effects = {op.name for op in self.graph.control_outputs} & forward
        needed = [*self.kept, *(outer for outer, _ in self.graph.captures)]
        self.is_pure = (
            not witness.state_mapping
            and effects <= _upstream(tree.flatten(self.results), {})[0]
            and not any(x.dtype in (tf.resource, tf.variant) for x in needed)
            and all(None not in x.shape[1:] for x in tree.flatten(self.share))
        )

    def kept_bytes(self):
        """How much memory a step takes, as far as shapes tell."""
        return sum(
            math.prod(size or TYPICAL_LENGTH for size in x.shape) * x.dtype.size for x in self.kept
        )

    def forward(self, n, carry, now, total):
        """`(carry, total, done, kept)`, with flat lists for nests."""
        given = zip(self.given, [n, *carry, *now, *total])
        return self._run(given, [*self.results, self.kept])

    def backward(self, now, kept, of_carry, of_total):
        """The gradients, where there are any, of carry, `now`, `used` and total."""
        known = zip(self.known[1:], [*now, *of_carry, *of_total])
        fetches = [_present([gradients]) for gradients in self.gradients]
        return self._run([*known, *zip(self.kept, kept)], fetches)

    def reached(self, group, tensors):
        """Those of the tensors that a gradient reaches."""
        return [x for x, gradient in zip(tensors, self.gradients[group]) if gradient is not None]

    def all_of(self, group, gradients):
        """The gradients of all tensors, None for those that `reached` leaves out."""
        gradients = iter(gradients)
        return [None if x is None else next(gradients) for x in self.gradients[group]]

    def _run(self, given, fetches):
        """Puts the part of the trace that leads from what is given to `fetches` where we are."""
        feeds = {inner.name: outer for outer, inner in self.graph.captures}
        feeds |= {inner.name: outer for inner, outer in given}
        flat = tree.flatten(fetches)
        operations, inputs = _upstream(flat, feeds)
        part = tf.compat.v1.GraphDef(
            versions=self.definition.versions, library=self.definition.library
        )
        for node in self.definition.node:
            if node.name in operations:
                part.node.add().CopyFrom(node)
                del part.node[-1].input[:]
                part.node[-1].input.extend(
                    x for x in node.input if x[0] != "^" or x[1:] in operations
                )
        found = tf.graph_util.import_graph_def(
            part,
            # A tensor of a graph around this one must become one of this graph first.
            {name: tf.identity(x) for name, x in feeds.items() if name in inputs},
            [x.name for x in flat if x.name not in feeds],
            name="",
        )
        feeds |= dict(zip([x.name for x in flat if x.name not in feeds], found))
        return tree.pack_sequence_as(fetches, [feeds[x.name] for x in flat])


def _present(groups):
    return [x for group in groups for x in group if x is not None]


def _upstream(tensors, feeds):
    """Names of the operations that lead from `feeds` to `tensors`, and of all their inputs."""
    operations, inputs, pending = set(), set(), list(tensors)
    while pending:
        tensor = pending.pop()
        if tensor.name not in feeds and tensor.op.name not in operations:
            operations.add(tensor.op.name)
            inputs |= {x.name for x in tensor.op.inputs}
            pending += tensor.op.inputs
    return operations, inputs


def _kept(graph, forward, given, known, gradients):
    """What the gradients need of the forward operations and cannot have in a cheaper way."""
    known = {x.name for x in known}
    changing = {x.name for x in given}
    for op in graph.get_operations():
        draws = op.op_def.is_stateful and op.type != "Placeholder"
        if draws or any(x.name in changing for x in op.inputs):
            changing |= {x.name for x in op.outputs}
    kept, seen, pending = {}, set(), list(gradients)
    while pending:
        tensor = pending.pop()
        if tensor.name in seen or tensor.name in known:
            continue
        seen.add(tensor.name)
        if tensor.op.name in forward and tensor.name in changing:
            kept[tensor.name] = tensor
        else:
            pending += tensor.op.inputs

    def is_there(tensor):
        return tensor.name in kept or tensor.name in known or follows(tensor)

    def follows(tensor):
        if tensor.name not in changing:
            return True
        return tensor.op.type in CHEAP and all(map(is_there, tensor.op.inputs))

    for tensor in list(kept.values()):
        if follows(tensor):
            del kept[tensor.name]
    return [given[0], *kept.values()]
