"""The travelling salesman: the shortest tour through points, from the first one and back to it.

Indices count from 1. A tour runs in the direction in which its second index is less than its last
but one; 0 fills the rest.

>>> points = encode("0,0 1,1 1,0 0,1")
>>> answers(points).tolist()
[[1, 3, 2, 4, 1]]
>>> length(points[0], [1, 3, 2, 4, 1])
4.0

Source: Vinyals, Fortunato & Jaitly (2015), arXiv:1506.03134, section 3.3.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import check_between, check_counts, check_integers
from ..points import (
    PADDING,
    answers_of,
    decode_indices,
    describe_points,
    draw_points,
    lengths_of,
    make_batch,
    output_length,
    parse_points,
    read,
    write,
)
from . import cutting_planes, held_karp

__all__ = [
    "PADDING",
    "answers",
    "decode",
    "describe",
    "describe_answer",
    "encode",
    "is_tour",
    "length",
    "measure",
    "output_length",
    "read",
    "sample",
    "sizes",
    "takes_long",
    "write",
]

describe, decode = describe_points, decode_indices
# As a person writes it.
EXAMPLE = "0,0 1,1 1,0 0,1"
# What `models.PointerNetwork` takes for the answers that are valid.
ANSWER = "tour"
# What `measure` measures, and the largest value of an example, None if there is none.
MEASURES = {"length_ratio": None, "valid": 1.0}
# Of tours by dynamic programming, whose cost doubles with each point, and of all.
MOST_AT_ONCE, MOST_POINTS = 12, 100


def sizes(length: int = 10, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes: an index, or 0."""
    return {"width": 2, "outputs": 1, "classes": length + 1}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 10,
    min_length: int = 5,
    same_length: bool = False,
    views: int = 1,
) -> dict[str, np.ndarray]:
    """Draws uniform points of the unit square, and the shortest tours through them.

    A tour through up to 12 points takes less than a millisecond; one through 20 takes 25, and one
    through 50 200. `views` draws fewer of them for the same batch.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of points; at most 100.
        min_length: least n (at least 3 are drawn); n is uniform between the two.
        same_length: draw one n for all examples, and do not pad.
        views: how many examples in a row have the same points, each time in another order, turned
            by a right angle or mirrored.

    Returns:
        A dict of `inputs` float32 (batch, n, 2), padded with -1 (`PADDING`), `targets` int32
        (batch, n + 1), the indices from 1, and 0 after the answer, `weights` float32 (batch,
        n + 1), 1 inside the answer and 0 after it, and `difficulty` int32 (batch, n), n inside the
        example and 0 after it.

    Raises:
        ValueError: a parameter is out of its range.
    """
    check_counts(min_length=min_length, length=length)
    check_integers(1, views=views)
    check_between(1, MOST_POINTS, length=length)
    drawn = -(-batch_size // views)
    inputs, lengths = draw_points(rng, drawn, length, min_length, same_length)
    targets = answers(inputs)
    if views > 1:
        rows = np.repeat(np.arange(drawn), views)[:batch_size]
        inputs, lengths, targets = inputs[rows], lengths[rows], targets[rows]
        inputs, targets = _seen_otherwise(rng, inputs, lengths, targets)
    return make_batch(inputs, lengths, targets)


def takes_long(length: int = 10, **_: Any) -> bool:
    """Whether batches are better drawn one by one, because tours take longer than all else."""
    return length > MOST_AT_ONCE


def answers(inputs: np.ndarray) -> np.ndarray:
    """The shortest tours, int32 (batch, n + 1), of points (batch, n, 2).

    Raises:
        ValueError: an example has more than 100 points.
    """
    inputs = np.asarray(inputs, np.float32)
    lengths = lengths_of(inputs)
    check_between(1, MOST_POINTS, points=int(lengths.max(initial=1)))
    targets = np.zeros((len(inputs), inputs.shape[1] + 1), np.int32)
    for count in np.unique(lengths):
        rows = np.flatnonzero(lengths == count)
        solver = held_karp if count <= MOST_AT_ONCE else cutting_planes
        points = inputs[rows, :count].astype(np.float64)
        targets[rows, : count + 1] = solver.shortest_tours(points) + 1
    return targets


def _seen_otherwise(rng, inputs, lengths, targets):
    """Points in another order, turned by a right angle or mirrored, with their tours."""
    seen, renumbered = np.full_like(inputs, PADDING), np.zeros_like(targets)
    for row, count in enumerate(lengths):
        order = rng.permutation(count)
        points = inputs[row, order]
        if rng.random() < 0.5:
            points = points[:, ::-1]
        mirrored = rng.random(2) < 0.5
        seen[row, :count] = np.where(mirrored, 1 - points, points)
        tour = np.argsort(order)[targets[row, :count] - 1]
        tour = np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
        if tour[1] > tour[-1]:
            tour[1:] = tour[:0:-1]
        renumbered[row, : count + 1] = [*(tour + 1), 1]
    return seen, renumbered


def length(points: np.ndarray, answer: Sequence[int]) -> float:
    """The length of the line through the points of an answer, in its order."""
    line = np.asarray(points, np.float64)[np.asarray(answer, int) - 1]
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def is_tour(points: np.ndarray, answer: Sequence[int]) -> bool:
    """Whether an answer begins and ends with the first point, and has each other one once.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> is_tour(square, [1, 3, 2, 4, 1]), is_tour(square, [1, 2, 3, 1])
    (True, False)
    """
    answer = list(answer)
    return answer[:1] == answer[-1:] == [1] and sorted(answer[1:]) == list(
        range(1, len(points) + 1)
    )


def measure(batch: Mapping[str, np.ndarray], indices: np.ndarray) -> dict[str, np.ndarray]:
    """How long each answer is beside the shortest tour, and whether it is a tour.

    The length of an answer that is not a tour is that of the line through its points.

    Args:
        batch: as `sample` returns it.
        indices: the answers, (batch, m), 0 after their end.

    Returns:
        A dict of float64 (batch,), with the keys of `MEASURES`.
    """
    ratio, valid = np.ones(len(indices)), np.ones(len(indices))
    for row, (points, answer, target) in enumerate(answers_of(batch, indices)):
        if answer != target:
            ratio[row] = length(points, answer) / length(points, target)
            valid[row] = is_tour(points, answer)
    return {"length_ratio": ratio, "valid": valid}


def describe_answer(points: np.ndarray, answer: Sequence[int]) -> dict[str, float]:
    """The `length` of an answer."""
    return {"length": round(length(points, answer), 4)}


def encode(text: str, **_: Any) -> np.ndarray:
    """Points from their text form, float32 (1, n, 2).

    Raises:
        ValueError: `text` is not of that form, or the points are fewer than three, or equal, or
            outside the unit square.

    >>> encode("0,0 1,0 0,1").shape
    (1, 3, 2)
    """
    return parse_points(text, EXAMPLE)
