"""Successive accesses to a tree, each in time Θ(log n), in training too.

Rewriting a tree of n leaves at each access takes Θ(n), and so does automatic differentiation of
anything that reads from it in a loop. Here nothing is overwritten: an access appends new versions
of the rows on its path to a store, each with the numbers of the rows of its two children, one of
which is older. The next access starts from the newest root. So a row is read at most once, by the
next access that passes through its node, and the backward loop need not add up gradients in a tree:
it looks up the gradient from the one reader of each row.
"""

from collections.abc import Callable
from typing import Any

from keras import ops, tree

from .. import backend
from ..types import Tensor
from . import rows as matrix


class Accesses:
    """Successive accesses to one tree for each example.

    A row of a tree is that of an inner node e: the values of its children 2e and 2e + 1 side by
    side. Rows have numbers: first those of all trees as they were given, then those that were
    appended, access by access. L is the number of levels of inner nodes.

    Args:
        turn: from the value of a node `(batch, d)`, the carry, a slice of `sequences` and a slice
            of `given`, whether to go right there, boolean `(batch,)`. No gradient.
        step: from the carry, a slice of `sequences`, the rows `(L, batch, 2d)` read on the path and
            the turns taken at them `(L, batch)`, to the new carry, a nest to return, and
            the rows' new values.
        carry: a nest whose first element is the value of the roots, `(batch, d)`.
        sequences: a pair of nests of `(time, …)`, of which the first gets gradients.
        given: a nest of `(time, L, …)`, beside `level` `(time, L)`.
        pairs: `(batch, n, 2d)`, the rows; there is no node 0.
        each_level: `backend.scan` or a similar loop, over levels.

    All but turns, `given` and the second half of `sequences` are floating-point.
    """

    def __init__(
        self,
        turn: Callable[..., Any],
        step: Callable[..., Any],
        carry: Any,
        sequences: Any,
        given: Any,
        pairs: Tensor,
        each_level: Callable[..., Any],
    ):
        self.carry, self.sequences, self.given, self.pairs = carry, sequences, given, pairs
        self.each_level = each_level
        self.time, levels = ops.shape(given["level"])
        self.batch_size, self.count, self.width = ops.shape(pairs)
        self.of_tree, self.of_access = self.batch_size * self.count, levels * self.batch_size
        self.appended = self.time * self.of_access
        at_once = (carry, _first(sequences))
        none = ops.zeros((levels, self.batch_size, self.width), pairs.dtype)
        turns = ops.zeros_like(none[..., 0], "bool")
        self.turn, self.of_turn = backend.explicit(turn, carry[0], *at_once, _first(_first(given)))
        self.step, self.of_step = backend.explicit(step, *at_once, none, turns)

    def run(self, plain: Callable[..., Any]) -> Any:
        """Makes the accesses.

        Args:
            plain: from `carry`, `sequences`, `given` and `pairs` to the same results, used where no
                gradient is needed and a tree can be overwritten in place.

        Returns:
            A nest of what `step` returned, stacked, and turns `(time, L, batch)`.
        """
        floating, fixed = self.sequences

        def without_gradient(arguments, constants):
            carry, floating, pairs, _ = arguments
            fixed, given, _ = constants
            return plain(carry, (floating, fixed), given, pairs)

        return backend.with_gradient(
            self._forward,
            self._backward,
            (self.carry, floating, self.pairs, self.of_step),
            (fixed, self.given, self.of_turn),
            without_gradient,
        )

    def _forward(self, arguments, constants):
        """The results of all accesses, and what `_backward` needs of them."""
        carry, floating, pairs, of_step = arguments
        fixed, given, of_turn = constants
        old = ops.reshape(pairs, (self.of_tree, self.width))
        first_rows = self.count * ops.arange(self.batch_size, dtype="int32")
        new = ops.zeros((self.time, self.of_access, self.width), pairs.dtype)
        pointers = ops.zeros((self.time, self.of_access, 2), "int32")

        def access(loop, now):
            carry, root, new, pointers = loop
            number, of_sequences, given = now

            def down(at, given):
                row, value = at
                right = self.turn(of_turn, value, carry, of_sequences, given)
                pair = self._rows(old, new, row)
                below = self._children(row, first_rows, pointers)
                chosen = ops.where(right, below[:, 1], below[:, 0])
                beside = ops.where(right, below[:, 0], below[:, 1])
                half = self.width // 2
                value = ops.where(right[:, None], pair[:, half:], pair[:, :half])
                return (chosen, value), (row, beside, right, pair)

            _, (row, beside, right, read) = self.each_level(down, (root, carry[0]), given)
            changed, result, written = self.step(of_step, carry, of_sequences, read, right)
            places = ops.reshape(ops.arange(self.of_access, dtype="int32"), ops.shape(row))
            places = self.of_tree + number * self.of_access + places
            below = places + self.batch_size
            ways = [ops.where(right, beside, below), ops.where(right, below, beside)]
            written = ops.reshape(written, (self.of_access, self.width))
            new = backend.append(new, number, written)
            ways = ops.reshape(ops.stack(ways, axis=-1), (self.of_access, 2))
            pointers = backend.append(pointers, number, ways)
            return (changed, places[0], new, pointers), (result, right, carry, row)

        numbers = ops.arange(self.time, dtype="int32")
        loop = (carry, first_rows + 1, new, pointers)
        loop, trace = backend.scan(access, loop, (numbers, (floating, fixed), given))
        result, right, carries, row = trace
        return (result, right), (carries, floating, fixed, old, loop[2], row, right, of_step)

    def _backward(self, saved, gradients):
        """Gradients of `carry`, the first of `sequences`, `pairs`, and what `step` closes over."""
        carries, floating, fixed, old, new, row, right, of_step = saved
        of_result, _ = gradients
        reader = self._readers(row)

        def retreat(loop, now):
            of_carry, of_read, of_used = loop
            number, carry, floating, fixed, row, right, reader, of_result = now
            of_written = self._appended(of_read, reader - 1)
            of_written = ops.where((reader > 0)[..., None], of_written, 0)
            of_step_now, *gradients = backend.pull_back(
                lambda used, carry, floating, read: self.step(
                    used, carry, (floating, fixed), read, right
                ),
                (of_step, carry, floating, self._rows(old, new, row)),
                (of_carry, of_result, of_written),
            )
            of_carry, of_floating, of_rows = gradients
            of_rows = ops.reshape(of_rows, (self.of_access, self.width))
            of_read = backend.append(of_read, number, of_rows)
            of_used = tree.map_structure(ops.add, of_used, of_step_now)
            return (of_carry, of_read, of_used), of_floating

        numbers = ops.arange(self.time, dtype="int32")
        in_time = (numbers, carries, floating, fixed, row, right, reader, of_result)
        zeros = tree.map_structure(ops.zeros_like, (_first(carries), new, of_step))
        (of_carry, of_read, of_used), of_floating = backend.scan(retreat, zeros, _flip(in_time))
        return of_carry, _flip(of_floating), self._of_pairs(row, of_read), of_used

    def _rows(self, old, new, row):
        """The rows with these numbers."""
        is_old = row < self.of_tree
        from_old = matrix.look_up(old, ops.minimum(row, self.of_tree - 1))
        from_new = self._appended(new, row - self.of_tree)
        return ops.where(is_old[..., None], from_old, from_new)

    def _appended(self, store, number):
        """What `store`, of all accesses, holds for these numbers of appended rows."""
        store = ops.reshape(store, (self.appended, store.shape[-1]))
        return matrix.look_up(store, ops.maximum(number, 0))

    def _children(self, row, start, pointers):
        """The rows of the left and of the right child of each row's node."""
        left = start + 2 * (row - start)
        children = self._appended(pointers, row - self.of_tree)
        is_old = (row < self.of_tree)[:, None]
        return ops.where(is_old, ops.stack([left, left + 1], axis=-1), children)

    def _readers(self, row):
        """1 + the place where each appended row was read, or 0, in the shape of `row`."""
        flat = ops.reshape(row, (self.appended,))
        is_new = flat >= self.of_tree
        reader = ops.scatter(
            ops.where(is_new, flat - self.of_tree, 0)[:, None],
            ops.where(is_new, 1 + ops.arange(self.appended, dtype="int32"), 0),
            (self.appended,),
        )
        return ops.reshape(reader, ops.shape(row))

    def _of_pairs(self, row, of_read):
        """The gradient of the rows that were there at first, from those of the rows read."""
        flat = ops.reshape(row, (self.appended,))
        is_new = flat >= self.of_tree
        of_read = ops.reshape(of_read, (self.appended, self.width))
        of_pairs = ops.scatter(
            ops.where(is_new, 0, flat)[:, None],
            ops.where(is_new[:, None], 0, of_read),
            (self.of_tree, self.width),
        )
        return ops.reshape(of_pairs, (self.batch_size, self.count, self.width))


def _first(nest):
    return tree.map_structure(lambda x: x[0], nest)


def _flip(nest):
    return tree.map_structure(lambda x: ops.flip(x, axis=0), nest)
