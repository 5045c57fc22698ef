"""Points of the unit square, as arrays and as text. Their indices count from 1; 0 is none."""

from collections.abc import Iterator, Mapping

import numpy as np

from ..numerals import parse_number
from ..vectors import draw_lengths

PADDING = -1
SMALLEST = 3  # points of a polygon


def draw_points(
    rng: np.random.Generator, batch_size: int, length: int, min_length: int, same_length: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Uniform points, float32 (batch, n, 2), padded, and the numbers of points, (batch,)."""
    lengths, positions = draw_lengths(
        rng, batch_size, length, min_length, same_length, 0.0, smallest=SMALLEST
    )
    points = rng.random((batch_size, positions, 2), np.float32)
    points[np.arange(positions) >= lengths[:, None]] = PADDING
    return points, lengths


def output_length(length: int) -> int:
    """The most outputs for n points: each once, and the first again."""
    return length + 1


def make_batch(
    inputs: np.ndarray, lengths: np.ndarray, targets: np.ndarray
) -> dict[str, np.ndarray]:
    """A batch as `sample` returns it, from points, their numbers, and the indices of answers."""
    real = np.arange(inputs.shape[1]) < lengths[:, None]
    return {
        "inputs": inputs,
        "targets": targets,
        "weights": (targets > 0).astype(np.float32),
        "difficulty": np.where(real, lengths[:, None], 0).astype(np.int32),
    }


def answers_of(
    batch: Mapping[str, np.ndarray], indices: np.ndarray
) -> Iterator[tuple[np.ndarray, list[int], list[int]]]:
    """The points (n, 2) of each example, the indices that were answered, and the right ones.

    Args:
        batch: as `sample` returns it.
        indices: the answers, (batch, m), 0 after their end.

    >>> batch = {"inputs": np.zeros((1, 3, 2)), "targets": np.array([[1, 2, 3, 1]])}
    >>> [(answer, target) for _, answer, target in answers_of(batch, np.array([[1, 3, 1, 0]]))]
    [([1, 3, 1], [1, 2, 3, 1])]
    """
    lengths = lengths_of(batch["inputs"])
    for points, length, *both in zip(batch["inputs"], lengths, indices, batch["targets"]):
        answer, target = ([int(index) for index in row if index > 0] for row in both)
        yield points[:length], answer, target


def lengths_of(points: np.ndarray) -> np.ndarray:
    """The numbers of points, (batch,), of padded ones.

    >>> lengths_of(np.array([[[0.5, 0.5], [0.0, 0.1], [-1, -1]]])).tolist()
    [2]
    """
    return (np.asarray(points)[..., 0] != PADDING).sum(axis=1)


def check_points(points: np.ndarray) -> np.ndarray:
    """Points (n, 2), if there are three at least, all different, in the unit square.

    Raises:
        ValueError: what is wrong with them.

    >>> check_points([[0, 0], [0, 0], [1, 1]])
    Traceback (most recent call last):
        ...
    ValueError: the points must differ. Received twice: 0,0
    """
    points = np.asarray(points, np.float32).reshape(-1, 2)
    if len(points) < SMALLEST:
        raise ValueError(f"there must be at least {SMALLEST} points. Received: {len(points)}")
    outside = ~((points >= 0) & (points <= 1)).all(axis=1)
    if outside.any():
        first = describe_points(points[outside][:1])[0]
        raise ValueError(f"the points must lie in the square from 0,0 to 1,1. Received: {first}")
    different, counts = np.unique(points, axis=0, return_counts=True)
    if (counts > 1).any():
        first = describe_points(different[counts > 1][:1])[0]
        raise ValueError(f"the points must differ. Received twice: {first}")
    return points


def parse_points(text: str, example: str) -> np.ndarray:
    """Points, float32 (1, n, 2), from numbers `x,y` separated by blanks.

    Raises:
        ValueError: `text` is not of that form, of which `example` is one.
    """
    try:
        pairs = [[parse_number(x) for x in word.split(",")] for word in str(text).split()]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError("there is a point that is not two numbers")
        return check_points(np.array(pairs, np.float32))[None]
    except ValueError as error:
        raise ValueError(
            f"an input is points x,y separated by blanks, for instance {example!r}: {error} in "
            f"{text!r}"
        ) from error


def describe_points(points: np.ndarray) -> list[str]:
    """The text form of each point, without padding.

    >>> describe_points(np.array([[0.5, 0.25], [-1, -1]], np.float32))
    ['0.5,0.25']
    """
    points = np.asarray(points, np.float32)
    points = points[points[:, 0] != PADDING]
    return [",".join(np.format_float_positional(x, trim="-") for x in point) for point in points]


def decode_indices(outputs: np.ndarray) -> str:
    """Indices as text, from probabilities (m, n + 1), up to the first one repeated or to a 0.

    >>> decode_indices(np.eye(4)[[1, 3, 2, 1, 0]])
    '1 3 2 1'
    """
    indices: list[int] = []
    for index in np.asarray(outputs).argmax(axis=-1).tolist():
        if index == 0 or (len(indices) > 1 and indices[0] == indices[-1]):
            break
        indices.append(index)
    return " ".join(map(str, indices))
