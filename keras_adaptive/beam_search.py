"""Beam search, as a loop that runs on every backend."""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops, tree

from .types import Tensor

# The logarithm of a probability that rules a choice out.
IMPOSSIBLE = -1e30


class Beam(NamedTuple):
    """The most likely answers of a search.

    Attributes:
        choices: int32 `(batch, most)`, -1 after the end.
        values: nest of `(batch, most, …)`, the values of `step` at each choice, zero after the end.
        log_probability: `(batch,)`, of the complete answers.
    """

    choices: Any
    values: Any
    log_probability: Any


def beam_search(
    step: Callable[[Tensor, Any], tuple[Tensor, Any, Any]],
    advance: Callable[[Tensor, Any, Tensor], tuple[Any, Tensor]],
    carry: Any,
    most: Any,
    beams: int = 1,
) -> Beam:
    """Keeps the `beams` most likely answers at each choice, until all have ended.

    Args:
        step: a function of the number of the choice, from 0, and `carry`. It returns the logarithms
            of the probabilities of all choices, `(rows, choices)`; a nest of tensors `(rows, …)` to
            remember with the choice; and a new `carry`.
        advance: a function of the same number, `carry` and what was chosen, int32 `(rows,)`. It
            returns a new `carry`, and which answers end with this choice, boolean `(rows,)`.
        carry: nest of tensors `(rows, …)`, where rows are the batch times `beams`, those of an
            example side by side.
        most: integer, the most choices of an answer.
        beams: integer >= 1. 1 is greedy search.

    Returns:
        A `Beam`.

    Example: there are two choices; the second is always more likely, and ends an answer.

    >>> likelihood = np.log(np.array([[0.4, 0.6]], "float32"))
    >>> result = beam_search(
    ...     lambda t, carry: (likelihood, {}, carry),
    ...     lambda t, carry, choice: (carry, choice == 1),
    ...     np.zeros((1, 1), "float32"),
    ...     most=3,
    ... )
    >>> np.asarray(result.choices).tolist()
    [[1, -1, -1]]
    """
    rows = ops.shape(tree.flatten(carry)[0])[0]
    batch_size = rows // beams
    places = ops.arange(most, dtype="int32")
    base = ops.arange(batch_size, dtype="int32")[:, None] * beams

    def write(buffer, value, here):
        here = ops.reshape(here, (*ops.shape(here), *[1] * (ops.ndim(value) - 1)))
        return ops.where(here, ops.cast(value, buffer.dtype)[:, None], buffer)

    def body(t, carry, ended, score, choices, values):
        log_p, new, carry = step(t, carry)
        count = ops.shape(log_p)[1]
        # An answer that has ended has a single continuation, of probability 1.
        stay = ops.where(ops.equal(ops.arange(count, dtype="int32"), 0), 0.0, IMPOSSIBLE)
        log_p = ops.where(ended[:, None], ops.cast(stay, log_p.dtype), log_p)
        total = score[:, None] + ops.cast(log_p, score.dtype)
        score, best = ops.top_k(ops.reshape(total, (batch_size, beams * count)), beams)
        best = ops.cast(best, "int32")
        parents = ops.reshape(base + best // count, (-1,))
        choice = ops.reshape(best % count, (-1,))
        score = ops.reshape(score, (-1,))
        carry, ended, choices, values, new = tree.map_structure(
            lambda x: ops.take(x, parents, axis=0), (carry, ended, choices, values, new)
        )
        here = ops.logical_and(ops.equal(places, t), ops.logical_not(ended)[:, None])
        choices = ops.where(here, choice[:, None], choices)
        values = tree.map_structure(lambda old, x: write(old, x, here), values, new)
        carry, ends = advance(t, carry, choice)
        return t + 1, carry, ops.logical_or(ended, ends), score, choices, values

    def goes_on(t, carry, ended, *_):
        return ops.logical_and(t < most, ops.logical_not(ops.all(ended)))

    zero = ops.zeros((), "int32")
    log_p, new, _ = step(zero, carry)
    # At first all beams of an example are the same, so only the first one continues.
    is_first = ops.equal(ops.arange(rows, dtype="int32") % beams, 0)
    begin = (
        zero,
        carry,
        ops.zeros((rows,), "bool"),
        ops.cast(ops.where(is_first, 0.0, IMPOSSIBLE), log_p.dtype),
        ops.full((rows, most), -1, dtype="int32"),
        tree.map_structure(lambda x: ops.zeros((rows, most, *ops.shape(x)[1:]), x.dtype), new),
    )
    *_, score, choices, values = ops.while_loop(goes_on, body, begin)
    return Beam(choices[::beams], tree.map_structure(lambda x: x[::beams], values), score[::beams])
