"""The answers of pointer networks: which are valid, and what a search returns."""

from typing import Any, NamedTuple

from keras import ops

from ..types import Tensor

ANSWERS = ("polygon", "tour")
SMALLEST_POLYGON = 3  # corners


class Answer(NamedTuple):
    """What the search of a pointer network returns.

    Attributes:
        indices: int32 `(batch, n + 1)`, the points from 1, and 0 after the end.
        outputs: `(batch, n + 1, n + 1)`, the probabilities among what was valid, along the answer.
        steps: `(batch, n + 1)`, how many steps the decoder took for each output, 0 after the end.
        log_probability: `(batch,)`, of the answer, where what is not valid counts too.
        ponder: `(batch, n + 1)`, ρ = N + R of each output, 0 after the end.
    """

    indices: Any
    outputs: Any
    steps: Any
    log_probability: Any
    ponder: Any


def valid_points(answer: str, t: Tensor, real: Tensor, chosen: Tensor, first: Tensor) -> Tensor:
    """Which points may be chosen next.

    A point is chosen once. The first one, chosen again, ends the answer: a polygon from its third
    corner on, a tour when all points were visited. A tour begins with the first point that is real.

    Args:
        answer: of `ANSWERS`.
        t: integer scalar, how many points were chosen.
        real: boolean `(rows, n)`, false for padding.
        chosen: boolean `(rows, n)`.
        first: int32 `(rows,)`, the position of the point that was chosen first.

    Returns:
        Boolean `(rows, n)`.
    """
    places = ops.arange(ops.shape(real)[1], dtype="int32")
    free = ops.logical_and(real, ops.logical_not(chosen))
    may_close = ops.logical_not(ops.any(free, axis=-1, keepdims=True))
    if answer == "tour":
        first_real = ops.argmax(ops.cast(real, "int32"), axis=-1, keepdims=True)
        free = ops.where(t > 0, free, ops.equal(places, first_real))
    else:
        may_close = ops.logical_or(may_close, t >= SMALLEST_POLYGON)
    closing = ops.logical_and(ops.equal(places, first[:, None]), may_close)
    return ops.logical_or(free, ops.logical_and(closing, t > 0))
