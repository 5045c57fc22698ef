"""A loop over time on TensorFlow whose step is repeated at each element, as one loop.

A step is traced, and what takes a product of what does not change between the steps on an element
is computed once for each element. The rest is traced with its gradient. What the gradient needs of
a step is what the loop forward keeps of it, so that the loop back repeats nothing but operations
that cost less than to remember their results.
"""

import math

import keras
import tensorflow as tf
from keras import tree

from .tensorflow import _floating, _trace, _Witness, compiles, refuse_unseen
from .tensorflow_graph import TracedGraph, common_of, kept_of, unrecorded

# XLA fills with zeros whatever the steps that may be taken could keep, and holds it to the end.
MOST_BYTES_OF_XLA = 2**26
# How long an axis is taken to be that is not known yet.
TYPICAL_LENGTH = 64


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
    step = _Step(step, carry, sequences, last)
    traced = _StepWithGradient(step, finish, carry, sequences)
    flat = tree.flatten(sequences)
    length = tf.shape(flat[0])[0] if flat[0].shape[0] is None else flat[0].shape[0]
    most = last * (flat[0].shape[0] or TYPICAL_LENGTH)
    if not traced.is_pure or (compiles() and most * traced.kept_bytes() > MOST_BYTES_OF_XLA):
        return None
    common = step.common_in_time(flat)
    sequences, sizes = [*flat, *common], [length] * len(flat) + [2 * length] * len(common)
    batch_size = tf.shape(tree.flatten(carry)[0])[0]
    shares = [((batch_size, *x.shape[1:]), x.dtype) for x in tree.flatten(step.share)]
    sources = [_floating(carry), _floating(sequences), step.used]
    arrays = list(map(_in_time, sequences, sizes))

    def places(time, n):
        """Where in `sequences` a step finds what it reads."""
        later = 2 * time + tf.cast(n > 1, tf.int32)
        return [time] * len(flat) + [later] * len(common)

    @tf.custom_gradient
    @refuse_unseen()
    def run(*_):
        @unrecorded
        def advance(index, time, n, carry, total, totals, kept):
            before = carry, total
            now = _read(arrays, places(time, n))
            carry, total, done, new = traced.forward(n, carry, now, total)
            totals, kept = _write(totals, time, total), _write(kept, index, [time, *new])
            total = [tf.where(done, tf.zeros_like(x), x) for x in total]
            _keep_shapes((carry, total), before)
            n = tf.where(done, 1, n + 1)
            return index + 1, time + tf.cast(done, tf.int32), n, carry, total, totals, kept

        zero = tf.constant(0)
        none = [tf.zeros(*share) for share in shares]
        totals = [_array(x, length) for x in none]
        kept = [_array(x, length * last) for x in [zero, *traced.kept]]
        count, _, _, final, _, totals, kept = tf.while_loop(
            lambda index, time, *_: time < length,
            advance,
            (zero, zero, zero + 1, tree.flatten(carry), none, totals, kept),
            maximum_iterations=length * last,
        )

        def backward(*upstream):
            of_carry = [g for g, x in zip(upstream, final) if x.dtype.is_floating]
            of_totals = [_in_time(x, length) for x in upstream[len(final) :]]

            def reached(of_sequences):
                floating = [y for x, y in zip(sequences, of_sequences) if x.dtype.is_floating]
                return traced.reached(1, floating)

            @unrecorded
            def retreat(index, later, of_carry, of_total, of_sequences, of_used):
                time, *old = _read(kept, index)
                where = places(time, old[0])
                upstream = _read(of_totals, time)
                new_time = tf.not_equal(time, later)
                of_total = [tf.where(new_time, a, b) for a, b in zip(upstream, of_total)]
                before = of_carry, of_total
                of_carry, of_now, more, of_total = traced.backward(
                    _read(arrays, where), old, of_carry, of_total
                )
                _keep_shapes((of_carry, of_total), before)
                where = reached(where)
                so_far = _read(of_sequences, where)
                of_sequences = _write(of_sequences, where, map(tf.add, so_far, of_now))
                of_used = list(map(tf.add, of_used, more))
                return index - 1, time, of_carry, of_total, of_sequences, of_used

            zeros = map(tf.zeros_like, reached(sequences))
            _, _, of_carry, _, of_sequences, of_used = tf.while_loop(
                lambda index, *_: index >= 0,
                retreat,
                (
                    count - 1,
                    length,
                    of_carry,
                    none,
                    list(map(_in_time, zeros, reached(sizes))),
                    [tf.zeros_like(x) for x in traced.reached(2, sources[2])],
                ),
                maximum_iterations=length * last,
            )
            of_sequences = [x.stack() for x in of_sequences]
            return [*of_carry, *traced.all_of(1, of_sequences), *traced.all_of(2, of_used)]

        return [*final, *(x.stack() for x in totals)], backward

    found = run(*tree.flatten(sources))
    count = len(tree.flatten(carry))
    totals = tree.pack_sequence_as(step.share, found[count:])
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


def _read(arrays, places):
    places = places if isinstance(places, list) else [places] * len(arrays)
    return [array.read(place) for array, place in zip(arrays, places)]


def _write(arrays, places, tensors):
    places = places if isinstance(places, list) else [places] * len(arrays)
    return [array.write(*one) for array, *one in zip(arrays, places, tensors)]


class _Step:
    """One step, traced, as a function of all that it uses.

    Attributes:
        share: the nest of what is summed up, as traced.
        used: the tensors that the step uses by closure and that may need a gradient.
        common: the tensors of the trace that can be given instead of being computed again, as all
            steps on an element but the first have them in common.
        is_pure: whether the step does nothing else than what its results need.
    """

    def __init__(self, step, carry, sequences, last):
        n, now = tf.constant(1), tree.map_structure(lambda x: x[0], sequences)
        with _Witness() as witness:
            _trace(step, n, carry, now)
        values = [(variable, tf.convert_to_tensor(variable)) for variable in witness.read.values()]

        def with_values(*arguments):
            self.arguments = [tree.flatten(argument) for argument in arguments]
            with keras.StatelessScope(values):
                self.results = step(*arguments)
            return self.results

        trace = _trace(with_values, n, carry, now)
        self.graph = TracedGraph(trace.graph)
        self.share = trace.structured_outputs[0]
        self.used = _floating(trace.captured_inputs)
        self.is_pure = not witness.state_mapping and self.graph.does_nothing_but(self.results)
        # With two steps on an element, there is one behind the first.
        (n,), carry, _ = self.arguments
        self.common = common_of(trace.graph, n, carry) if last > 2 else []

    def __call__(self, n, carry, now, common, used):
        """`(share, carry, done)`, by flat lists, `common` for this `n`."""
        given = zip(tree.flatten(self.arguments), [n, *carry, *now])
        of_closure = zip(_floating(self.graph.graph.internal_captures), used)
        return self.graph.run([*given, *of_closure, *zip(self.common, common)], self.results)

    def common_in_time(self, sequences):
        """`common` of the first step on each element and of those behind it, one after the other.

        Args:
            sequences: list of tensors with time as first axis.

        Returns:
            A list of tensors whose first axis is twice as long.
        """
        if not self.common:
            return []
        (n,), _, now = self.arguments

        @unrecorded
        def at(*sequences):
            given = list(zip(now, sequences))
            both = [self.graph.run([(n, tf.constant(i)), *given], self.common) for i in (1, 2)]
            return list(map(tf.stack, zip(*both)))

        if sequences[0].shape[0] == 1:
            return tf.function(at, autograph=False)(*[x[0] for x in sequences])
        like = [tf.TensorSpec((2, *x.shape), x.dtype) for x in self.common]
        found = tf.map_fn(lambda now: at(*now), sequences, fn_output_signature=like)
        return [tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0)) for x in found]


class _StepWithGradient:
    """A step and what follows it, taken apart into what runs forward and what runs back.

    Attributes:
        kept: the tensors of the trace that running back needs of running forward.
        is_pure: whether nothing else needs to be kept or done.
    """

    def __init__(self, step, finish, carry, sequences):
        flat = tree.flatten(tree.map_structure(lambda x: x[0], sequences))

        def with_total(n, carry, now, used, total):
            now, common = now[: len(flat)], now[len(flat) :]
            share, new, done = step(n, tree.flatten(carry), now, common, used)
            total = tree.map_structure(tf.add, total, share)
            end = finish(total, new, tree.pack_sequence_as(sequences, now))
            new = tree.map_structure(lambda new, old: tf.where(done, new, old), end, new)
            return tree.map_structure(tf.identity, (new, total)), done

        @unrecorded
        def with_gradient(n, carry, now, total, upstream):
            used = list(map(tf.identity, step.used))
            results, done = with_total(n, carry, now, used, total)
            forward.update(op.name for op in done.graph.get_operations())
            sources = [_floating(carry), _floating(now), used, tree.flatten(total)]
            found = iter(tf.gradients(_floating(results), tree.flatten(sources), upstream))
            of_carry, *found = [[next(found) for _ in group] for group in sources]
            # A loop carries these, whether or not they depend on anything.
            of_carry = [tf.zeros_like(x) if g is None else g for g, x in zip(of_carry, sources[0])]
            found = [[None if g is None else tf.convert_to_tensor(g) for g in gs] for gs in found]
            self.given = tree.flatten((n, carry, now, total))
            self.known = [n, *now, *upstream]
            self.results = [*map(tree.flatten, results), done]
            self.gradients = [of_carry, *found]
            return self.results, self.gradients

        like = _floating((carry, step.share))
        forward = set()
        now = [*flat, *step.common]
        graph = _trace(with_gradient, tf.constant(1), carry, now, step.share, like).graph
        self.graph = TracedGraph(graph)
        self.kept = kept_of(graph, forward, self.given, self.known, _present(self.gradients))
        needed = [*self.kept, *(outer for outer, _ in graph.captures)]
        self.is_pure = (
            step.is_pure
            and not any(x.dtype in (tf.resource, tf.variant) for x in needed)
            and all(None not in x.shape[1:] for x in tree.flatten(step.share))
        )

    def kept_bytes(self):
        """How much memory a step takes, as far as shapes tell."""
        return sum(
            math.prod(size or TYPICAL_LENGTH for size in x.shape) * x.dtype.size for x in self.kept
        )

    def forward(self, n, carry, now, total):
        """`(carry, total, done, kept)`, with flat lists for nests."""
        given = zip(self.given, [n, *carry, *now, *total])
        return self.graph.run(given, [*self.results, self.kept])

    def backward(self, now, kept, of_carry, of_total):
        """The gradients, where there are any, of carry, `now`, `used` and total."""
        known = zip(self.known[1:], [*now, *of_carry, *of_total])
        fetches = [_present([gradients]) for gradients in self.gradients]
        return self.graph.run([*known, *zip(self.kept, kept)], fetches)

    def reached(self, group, tensors):
        """Those of the tensors that a gradient reaches."""
        return [x for x, gradient in zip(tensors, self.gradients[group]) if gradient is not None]

    def all_of(self, group, gradients):
        """The gradients of all tensors, None for those that `reached` leaves out."""
        gradients = iter(gradients)
        return [None if x is None else next(gradients) for x in self.gradients[group]]


def _present(groups):
    return [x for group in groups for x in group if x is not None]
