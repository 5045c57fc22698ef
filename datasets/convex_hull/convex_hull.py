"""The convex hull of points: the indices of its corners, counter-clockwise, and the first again.

Indices count from 1, and the answer begins with the lowest; 0 fills the rest.

>>> points = encode("0.1,0.2 0.8,0.3 0.5,0.9 0.4,0.4")
>>> answers(points).tolist()
[[1, 2, 3, 1, 0]]
>>> area(points[0], [1, 2, 3, 1]) > 0.2
True

Source: Vinyals, Fortunato & Jaitly (2015), arXiv:1506.03134, section 3.1.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import check_counts
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

__all__ = [
    "PADDING",
    "answers",
    "area",
    "decode",
    "describe",
    "describe_answer",
    "encode",
    "is_polygon",
    "measure",
    "output_length",
    "read",
    "sample",
    "sizes",
    "write",
]

describe, decode = describe_points, decode_indices
# As a person writes it.
EXAMPLE = "0.1,0.2 0.8,0.3 0.5,0.9 0.4,0.4"
# What `models.PointerNetwork` takes for the answers that are valid.
ANSWER = "polygon"
# What `measure` measures, and the largest value of an example, None if there is none.
MEASURES = {"area_covered": 1.0, "invalid": 1.0}


def sizes(length: int = 50, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes: an index, or 0."""
    return {"width": 2, "outputs": 1, "classes": length + 1}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 50,
    min_length: int = 5,
    same_length: bool = False,
) -> dict[str, np.ndarray]:
    """Draws uniform points of the unit square, and their convex hulls.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of points.
        min_length: least n (at least 3 are drawn); n is uniform between the two.
        same_length: draw one n for all examples, and do not pad.

    Returns:
        A dict of `inputs` float32 (batch, n, 2), padded with -1 (`PADDING`), `targets` int32
        (batch, n + 1), the indices from 1, and 0 after the answer, `weights` float32 (batch,
        n + 1), 1 inside the answer and 0 after it, and `difficulty` int32 (batch, n), n inside the
        example and 0 after it.

    Raises:
        ValueError: a parameter is out of its range.
    """
    check_counts(min_length=min_length, length=length)
    inputs, lengths = draw_points(rng, batch_size, length, min_length, same_length)
    return make_batch(inputs, lengths, answers(inputs))


def answers(inputs: np.ndarray) -> np.ndarray:
    """The hulls, int32 (batch, n + 1), of points (batch, n, 2).

    Raises:
        ValueError: all points of an example lie on a line.
    """
    from scipy.spatial import ConvexHull, QhullError

    inputs = np.asarray(inputs, np.float32)
    targets = np.zeros((len(inputs), inputs.shape[1] + 1), np.int32)
    for row, (points, length) in enumerate(zip(inputs, lengths_of(inputs))):
        try:
            # SciPy's corners are counter-clockwise.
            corners = ConvexHull(points[:length].astype(np.float64)).vertices
        except QhullError as error:
            shown = " ".join(describe_points(points))
            raise ValueError(f"the points must not lie on a line. Received: {shown!r}") from error
        corners = np.roll(corners, -int(corners.argmin()))
        targets[row, : len(corners) + 1] = [*(corners + 1), corners[0] + 1]
    return targets


def area(points: np.ndarray, answer: Sequence[int]) -> float:
    """The area of the polygon that an answer describes, signed: counter-clockwise is positive."""
    x, y = np.asarray(points, np.float64)[np.asarray(answer, int) - 1].T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def is_polygon(points: np.ndarray, answer: Sequence[int]) -> bool:
    """Whether an answer is closed, has each point once, and no two of its sides cross.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> is_polygon(square, [1, 2, 3, 4, 1]), is_polygon(square, [1, 3, 2, 4, 1])
    (True, False)
    """
    answer = list(answer)
    if len(answer) < 4 or answer[0] != answer[-1] or len(set(answer)) != len(answer) - 1:
        return False
    if min(answer) < 1 or max(answer) > len(points):
        return False
    corners = np.asarray(points, np.float64)[np.array(answer) - 1]
    sides = list(itertools.pairwise(corners))
    last = len(sides) - 1
    return not any(
        _cross(*sides[i], *sides[j])
        for i in range(len(sides))
        for j in range(i + 2, len(sides))
        if (i, j) != (0, last)  # which share a corner
    )


def _cross(a, b, c, d):
    """Whether the segments ab and cd have a point in common."""

    def side(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def measure(batch: Mapping[str, np.ndarray], indices: np.ndarray) -> dict[str, np.ndarray]:
    """The share of each hull's area that an answer covers, and whether it is not a polygon.

    An answer whose sides cross is `invalid`, and covers nothing.

    Args:
        batch: as `sample` returns it.
        indices: the answers, (batch, m), 0 after their end.

    Returns:
        A dict of float64 (batch,), with the keys of `MEASURES`.
    """
    covered, invalid = np.ones(len(indices)), np.zeros(len(indices))
    for row, (points, answer, target) in enumerate(answers_of(batch, indices)):
        if answer == target:
            continue
        if is_polygon(points, answer):
            covered[row] = abs(area(points, answer)) / area(points, target)
        else:
            covered[row], invalid[row] = 0.0, 1.0
    return {"area_covered": covered, "invalid": invalid}


def describe_answer(points: np.ndarray, answer: Sequence[int]) -> dict[str, float]:
    """The `area` of an answer."""
    return {"area": round(abs(area(points, answer)), 4)}


def encode(text: str, **_: Any) -> np.ndarray:
    """Points from their text form, float32 (1, n, 2).

    Raises:
        ValueError: `text` is not of that form, or the points are fewer than three, or equal, or
            outside the unit square, or on a line.

    >>> encode("0,0 1,0 0,1").shape
    (1, 3, 2)
    """
    points = parse_points(text, EXAMPLE)
    answers(points)
    return points
