"""A traced step on TensorFlow, split into a forward and a backward part."""

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree

from ...types import Tensor
from .core import floating, traced_alone, traced_with_values
from .graph import (
    TracedGraph,
    common_of,
    frozen_of,
    saved_of,
    unrecorded,
    without_identities,
)

# The assumed length of an axis whose length is unknown.
TYPICAL_LENGTH = 64


def bytes_of(tensors: list[Tensor]) -> int:
    """How much memory tensors take, as far as shapes tell."""
    return sum(
        math.prod(size or TYPICAL_LENGTH for size in x.shape) * x.dtype.size for x in tensors
    )


class Step:
    """A traced step, as a function of all tensors that it uses.

    Attributes:
        share: the traced nest of tensors that are summed up.
        used: the closed-over tensors of the step that may need a gradient.
        common: the tensors of the trace that are the same in all steps on an element but the first,
            so they need not be computed again; may be set to an empty list.
        is_pure: whether the step has no side effects.
    """

    def __init__(self, step: Callable[..., Any], carry: Any, sequences: Any):
        n, now = tf.constant(1), tree.map_structure(lambda x: x[0], sequences)

        def kept(*arguments):
            self.arguments = [tree.flatten(argument) for argument in arguments]
            self.results = step(*arguments)
            return self.results

        trace, assigns = traced_with_values(kept, n, carry, now)
        self.graph = TracedGraph(trace.graph)
        self.share = trace.structured_outputs[0]
        self.used = floating(trace.captured_inputs)
        self.is_pure = not assigns and self.graph.does_nothing_but(self.results)
        (n,), carry, _ = self.arguments
        self.common = common_of(trace.graph, n, carry)

    def __call__(self, n, carry, now, common, used):
        """`(share, carry, done)`, by flat lists, `common` for this `n`."""
        given = zip(tree.flatten(self.arguments), [n, *carry, *now])
        of_closure = zip(floating(self.graph.graph.internal_captures), used)
        return self.graph.run([*given, *of_closure, *zip(self.common, common)], self.results)

    def common_at(self, n: Tensor, now: list[Tensor], used: list[Tensor]) -> list[Tensor]:
        """`common` of step `n`, from flat lists."""
        (number,), _, of_now = self.arguments
        of_closure = zip(floating(self.graph.graph.internal_captures), used)
        return self.graph.run([(number, n), *zip(of_now, now), *of_closure], self.common)


class StepWithGradient:
    """A step and the operations after it, split into a forward and a backward part.

    Attributes:
        saved: the tensors of the forward part that the backward part needs.
        frozen: those of them that follow from others of the step before, by place: the number in
            the carry, and the places of what it becomes in running rows and of the running rows.
        is_pure: whether nothing else needs to be saved or done.
    """

    def __init__(self, step: Step, finish: Callable[..., Any] | None, carry: Any, sequences: Any):
        first = tree.flatten(tree.map_structure(lambda x: x[0], sequences))
        self.used, self.common = step.used, step.common

        def with_total(n, carry, now, used, common, total):
            share, new, done = step(n, tree.flatten(carry), now, common, used)
            total = tree.map_structure(tf.add, total, share)
            if finish is not None:
                end = finish(total, new, tree.pack_sequence_as(sequences, now))
                new = tree.map_structure(lambda new, old: tf.where(done, new, old), end, new)
            return tree.map_structure(tf.identity, (new, total)), done

        @unrecorded
        def with_gradient(n, carry, now, common, total, upstream):
            used = list(map(tf.identity, step.used))
            results, done = with_total(n, carry, now, used, common, total)
            forward.update(op.name for op in done.graph.get_operations())
            sources = [floating(carry), floating(now), used, common, tree.flatten(total)]
            gradients = _gradients(floating(results), sources, upstream)
            # A loop carries these, whether or not they depend on anything.
            for i in (0, 3):
                both = zip(gradients[i], sources[i])
                gradients[i] = [tf.zeros_like(x) if g is None else g for g, x in both]
            self.given = tree.flatten((n, carry, now, common, total))
            self.known = [n, *now, *upstream]
            self.results = [*map(tree.flatten, results), done]
            self.gradients = gradients
            return self.results, gradients

        @unrecorded
        def with_gradient_of_common(n, now, upstream):
            used = list(map(tf.identity, step.used))
            gradients = _gradients(step.common_at(n, now, used), [floating(now), used], upstream)
            self.known_to_common = [n, *now, *upstream]
            self.gradients_of_common = gradients
            return gradients

        like = floating((carry, step.share))
        forward: set[str] = set()
        one = tf.constant(1)
        graph = traced_alone(with_gradient, one, carry, first, step.common, step.share, like).graph
        self.graph = TracedGraph(graph)
        self.saved = saved_of(graph, forward, self.given, self.known, _present(self.gradients))
        self.frozen = self._frozen(tree.flatten(carry))
        self.common_at = step.common_at
        self.graph_of_common = self.graph
        self.gradients_of_common = [[None] * len(group) for group in self.gradients[1:3]]
        if step.common:
            trace = traced_alone(with_gradient_of_common, one, first, step.common)
            self.graph_of_common = TracedGraph(trace.graph)
        needed = [*self.saved, *(outer for outer, _ in graph.captures)]
        self.is_pure = (
            step.is_pure
            and not any(x.dtype in (tf.resource, tf.variant) for x in needed)
            and all(None not in x.shape[1:] for x in tree.flatten(step.share))
        )

    def _frozen(self, carry):
        inside = self.given[1 : len(carry) + 1]
        places = {without_identities(x).name: place for place, x in enumerate(self.saved)}
        frozen = {}
        for number, of_running in enumerate(frozen_of(inside, self.results[0])):
            if of_running is not None:
                names = [x.name for x in (inside[number], *of_running)]
                if all(name in places for name in names):
                    place, *sources = [places[name] for name in names]
                    frozen[place] = number, *sources
        return frozen

    @property
    def compiles(self) -> bool:
        """Whether XLA knows all operations."""
        return self.graph.compiles and self.graph_of_common.compiles

    def saved_bytes(self) -> int:
        """How much memory a step takes, as far as shapes tell."""
        return bytes_of(self.saved)

    @unrecorded
    def zeros_of_common(self, now: list[Tensor]) -> list[Tensor]:
        """Zeros of the shapes of `common`, which may have other axes than the batch."""
        if not self.common:
            return []
        return list(map(tf.zeros_like, self.common_at(tf.constant(1), now, self.used)))

    def forward(
        self, n: Tensor, carry: Any, now: list[Tensor], common: list[Tensor], total: list[Tensor]
    ) -> Any:
        """`(carry, total, done, saved)`, with flat lists for nests."""
        given = zip(self.given, [n, *carry, *now, *common, *total])
        return self.graph.run(given, [*self.results, self.saved])

    def forward_again(
        self, n: Tensor, carry: Any, now: list[Tensor], common: list[Tensor], total: list[Tensor]
    ) -> Any:
        """`(carry, saved)`, for a step that was taken before; of `total` only the shapes count."""
        given = zip(self.given, [n, *carry, *now, *common, *total])
        return self.graph.run(given, [self.results[0], self.saved])

    def backward(self, now: list[Tensor], saved: list[Tensor], of_carry: Any, of_total: Any) -> Any:
        """The gradients, where there are any, of carry, `now`, `used`, `common` and total."""
        known = zip(self.known[1:], [*now, *of_carry, *of_total])
        fetches = [_present([gradients]) for gradients in self.gradients]
        fetched = self.graph.run([*known, *zip(self.saved, saved)], fetches)
        of_carry, of_now, of_used, *others = fetched
        of_now, of_used = self._spread(of_now, of_used, self.gradients[1:3])
        return of_carry, of_now, of_used, *others

    def backward_of_common(self, n: Tensor, now: list[Tensor], of_common: Any) -> Any:
        """The gradients of `now` and `used`, by way of `common`."""
        known = zip(self.known_to_common, [n, *now, *of_common])
        fetches = [_present([gradients]) for gradients in self.gradients_of_common]
        of_now, of_used = self.graph_of_common.run(list(known), fetches)
        return self._spread(of_now, of_used, self.gradients_of_common)

    def _spread(self, of_now, of_used, there):
        """Scatters gradients to the places that `reached` keeps, with None elsewhere."""
        spread = []
        for group, gradients, present in zip((0, 1), (of_now, of_used), there):
            gradients = iter(gradients)
            everywhere = [None if x is None else next(gradients) for x in present]
            spread.append(self.reached(group, everywhere))
        return spread

    def reached(self, group: int, tensors: list[Tensor]) -> list[Any]:
        """Those floating tensors of `now` (group 0) or `used` (1) that a gradient reaches."""
        both = zip(self.gradients[1 + group], self.gradients_of_common[group])
        return [x for x, (a, b) in zip(tensors, both) if a is not None or b is not None]

    def all_of(self, group: int, gradients: Any) -> list[Any]:
        """The gradients of all tensors, None for those that `reached` leaves out."""
        gradients = iter(gradients)
        both = zip(self.gradients[1 + group], self.gradients_of_common[group])
        return [None if a is None and b is None else next(gradients) for a, b in both]


def _gradients(results, sources, upstream):
    """Gradients of each group of sources, None where there is none."""
    gradients = iter(tf.gradients(results, tree.flatten(sources), upstream))
    gradients = [[next(gradients) for _ in group] for group in sources]
    return [[None if g is None else tf.convert_to_tensor(g) for g in group] for group in gradients]


def _present(groups):
    return [x for group in groups for x in group if x is not None]
