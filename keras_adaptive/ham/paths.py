"""Successive accesses to a tree, each in time Θ(log n), in training too.

Rewriting a tree of n leaves at each access takes Θ(n), and so does automatic differentiation of
anything that reads from it in a loop. Here nothing is overwritten: an access appends new versions
of the rows on its path to a store, each with the numbers of the rows of its two children, one of
which is older. The next access starts from the newest root. So a row is read at most once, by the
next access that passes through its node, and the backward loop need not add up gradients in a tree:
it looks up the gradient from the one reader of each row.
"""

from keras import ops, tree

from .. import executors
from . import rows as matrix


def scan(turn, step, carry, sequences, given, pairs, each_level, plain):
    """Accesses to one tree for each example; like `executors.scan` over time.

    A row of a tree is that of an inner node e: the values of its children 2e and 2e + 1 side by
    side. L is the number of levels of inner nodes.

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
        each_level: `executors.scan` or a similar loop, over levels.
        plain: from `carry`, `sequences`, `given` and `pairs` to the same results, used where no
            gradient is needed and a tree can be overwritten in place.

    All but turns, `given` and the second half of `sequences` are floating-point.

    Returns:
        A nest of what `step` returned, stacked, and turns `(time, L, batch)`.
    """
    time, levels = ops.shape(given["level"])
    batch_size, count, width = ops.shape(pairs)
    of_tree, of_access = batch_size * count, levels * batch_size
    appended = time * of_access

    def first(nest):
        return tree.map_structure(lambda x: x[0], nest)

    at_once = (carry, first(sequences))
    none = ops.zeros((levels, batch_size, width), pairs.dtype)
    turn, of_turn = executors.explicit(turn, carry[0], *at_once, first(first(given)))
    step, of_step = executors.explicit(step, *at_once, none, ops.zeros_like(none[..., 0], "bool"))

    def appended_row(store, number):
        store = ops.reshape(store, (appended, store.shape[-1]))
        return matrix.look_up(store, ops.maximum(number, 0))

    def look_up(old, new, row):
        is_old = row < of_tree
        from_old = matrix.look_up(old, ops.minimum(row, of_tree - 1))
        from_new = appended_row(new, row - of_tree)
        return ops.where(is_old[..., None], from_old, from_new)

    def children(row, start, pointers):
        """The rows of the left and of the right child of each row's node."""
        left = start + 2 * (row - start)
        found = appended_row(pointers, row - of_tree)
        return ops.where((row < of_tree)[:, None], ops.stack([left, left + 1], axis=-1), found)

    def forward(arguments, constants):
        carry, floating, pairs, of_step = arguments
        fixed, given, of_turn = constants
        old = ops.reshape(pairs, (of_tree, width))
        first_rows = count * ops.arange(batch_size, dtype="int32")
        new = ops.zeros((time, of_access, width), pairs.dtype)
        pointers = ops.zeros((time, of_access, 2), "int32")

        def access(loop, now):
            carry, root, new, pointers = loop
            number, of_sequences, given = now

            def down(at, given):
                row, value = at
                right = turn(of_turn, value, carry, of_sequences, given)
                pair = look_up(old, new, row)
                below = children(row, first_rows, pointers)
                chosen = ops.where(right, below[:, 1], below[:, 0])
                beside = ops.where(right, below[:, 0], below[:, 1])
                half = width // 2
                value = ops.where(right[:, None], pair[:, half:], pair[:, :half])
                return (chosen, value), (row, beside, right, pair)

            _, (row, beside, right, read) = each_level(down, (root, carry[0]), given)
            changed, result, written = step(of_step, carry, of_sequences, read, right)
            places = ops.reshape(ops.arange(of_access, dtype="int32"), ops.shape(row))
            places = of_tree + number * of_access + places
            below = places + batch_size
            ways = [ops.where(right, beside, below), ops.where(right, below, beside)]
            new = executors.append(new, number, ops.reshape(written, (of_access, width)))
            ways = ops.reshape(ops.stack(ways, axis=-1), (of_access, 2))
            pointers = executors.append(pointers, number, ways)
            return (changed, places[0], new, pointers), (result, right, carry, row)

        numbers = ops.arange(time, dtype="int32")
        loop = (carry, first_rows + 1, new, pointers)
        loop, found = executors.scan(access, loop, (numbers, (floating, fixed), given))
        result, right, carries, row = found
        return (result, right), (carries, floating, fixed, old, loop[2], row, right, of_step)

    def backward(kept, gradients):
        carries, floating, fixed, old, new, row, right, of_step = kept
        of_result, _ = gradients
        flat = ops.reshape(row, (appended,))
        is_new = flat >= of_tree
        # 1 + the place where each new row was read, or 0.
        reader = ops.scatter(
            ops.where(is_new, flat - of_tree, 0)[:, None],
            ops.where(is_new, 1 + ops.arange(appended, dtype="int32"), 0),
            (appended,),
        )

        def retreat(loop, now):
            of_carry, of_read, of_used = loop
            number, carry, floating, fixed, row, right, reader, of_result = now
            of_written = appended_row(of_read, reader - 1)
            of_written = ops.where((reader > 0)[..., None], of_written, 0)
            of_step_now, *found = executors.pull_back(
                lambda used, carry, floating, read: step(
                    used, carry, (floating, fixed), read, right
                ),
                (of_step, carry, floating, look_up(old, new, row)),
                (of_carry, of_result, of_written),
            )
            of_carry, of_floating, of_rows = found
            of_rows = ops.reshape(of_rows, (of_access, width))
            of_read = executors.append(of_read, number, of_rows)
            of_used = tree.map_structure(ops.add, of_used, of_step_now)
            return (of_carry, of_read, of_used), of_floating

        numbers = ops.arange(time, dtype="int32")
        reader = ops.reshape(reader, ops.shape(row))
        in_time = (numbers, carries, floating, fixed, row, right, reader, of_result)
        zeros = tree.map_structure(ops.zeros_like, (first(carries), new, of_step))
        backwards = tree.map_structure(lambda x: ops.flip(x, axis=0), in_time)
        (of_carry, of_read, of_used), of_floating = executors.scan(retreat, zeros, backwards)
        of_floating = tree.map_structure(lambda x: ops.flip(x, axis=0), of_floating)
        of_pairs = ops.scatter(
            ops.where(is_new, 0, flat)[:, None],
            ops.where(is_new[:, None], 0, ops.reshape(of_read, (appended, width))),
            (of_tree, width),
        )
        of_pairs = ops.reshape(of_pairs, (batch_size, count, width))
        return of_carry, of_floating, of_pairs, of_used

    floating, fixed = sequences
    arguments, constants = (carry, floating, pairs, of_step), (fixed, given, of_turn)

    def without_gradient(arguments, constants):
        carry, floating, pairs, _ = arguments
        fixed, given, _ = constants
        return plain(carry, (floating, fixed), given, pairs)

    return executors.with_gradient(forward, backward, arguments, constants, without_gradient)
