"""The text format of the authors' files: `x1 y1 x2 y2 … output i1 i2 …`, a line an example."""

from collections.abc import Iterable, Iterator

import numpy as np

from .points import PADDING, check_points


def read(lines: Iterable[str]) -> dict[str, np.ndarray]:
    """Examples of an authors' file, or of one of that format.

    Args:
        lines: of the file, for instance the opened file.

    Returns:
        A dict of `inputs`, `targets`, `weights`, `difficulty`, as in `sample`.

    Raises:
        ValueError: a line of another format, which the message quotes.

    >>> batch = read(["0.1 0.2 0.8 0.3 0.5 0.9 output 1 2 3 1"])
    >>> batch["inputs"].shape, batch["targets"].tolist()
    ((1, 3, 2), [[1, 2, 3, 1]])
    """
    examples = [_example(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not examples:
        raise ValueError("the file has no example")
    positions = max(len(points) for points, _ in examples)
    longest = max(positions + 1, *(len(answer) for _, answer in examples))
    inputs = np.full((len(examples), positions, 2), PADDING, np.float32)
    targets = np.zeros((len(examples), longest), np.int32)
    difficulty = np.zeros((len(examples), positions), np.int32)
    for row, (points, answer) in enumerate(examples):
        inputs[row, : len(points)] = points
        targets[row, : len(answer)] = answer
        difficulty[row, : len(points)] = len(points)
    weights = (targets > 0).astype(np.float32)
    return {"inputs": inputs, "targets": targets, "weights": weights, "difficulty": difficulty}


def _example(number, line):
    try:
        numbers, word, indices = line.partition("output")
        if not word:
            raise ValueError("the word `output` is missing")
        values = [float(x) for x in numbers.split()]
        if len(values) % 2:
            raise ValueError("a coordinate is missing")
        points = check_points(np.array(values, np.float32))
        answer = [int(x) for x in indices.split()]
        if not answer or min(answer) < 1 or max(answer) > len(points):
            raise ValueError(f"the indices must lie between 1 and {len(points)}")
    except ValueError as error:
        shown = line.strip() if len(line) < 100 else f"{line[:100]}…"
        raise ValueError(
            "an example is a line `x1 y1 x2 y2 … output i1 i2 …`, with indices from 1: "
            f"{error}. Received, line {number}: {shown!r}"
        ) from error
    return points, answer


def write(inputs: np.ndarray, targets: np.ndarray) -> Iterator[str]:
    """Lines of that format, without line ends, from arrays as in `sample`.

    >>> list(write(np.array([[[0.5, 0], [1, 0], [0, 1]]]), np.array([[1, 2, 3, 1, 0]])))
    ['0.5 0 1 0 0 1 output 1 2 3 1']
    """
    for points, answer in zip(np.asarray(inputs, np.float32), np.asarray(targets)):
        real = points[points[:, 0] != PADDING].ravel()
        numbers = [np.format_float_positional(x, trim="-") for x in real]
        yield " ".join([*numbers, "output", *map(str, answer[answer > 0].tolist())])
