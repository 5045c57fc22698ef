"""The text format of the authors' files: `x1 y1 x2 y2 … output i1 i2 …`, a line an example."""

from collections.abc import Iterable, Iterator

import numpy as np

from ..numerals import parse_number
from .points import PADDING, SMALLEST, check_points


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
        values = [parse_number(x) for x in numbers.split()]
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


def read_file(path: str, most: int) -> dict[str, np.ndarray]:
    """The examples of a file whose answers are closed, as those of polygons and tours are.

    Args:
        path: of the file, see `read`.
        most: the most points of an example.

    Returns:
        A dict as in `sample`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it has another format, or an answer that is not closed.
    """
    try:
        with open(path, encoding="utf-8") as file:
            batch = read(file)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    largest = batch["inputs"].shape[1]
    if largest > most:
        raise ValueError(
            f"{path}: an example has at most {most:,} points. Received: {largest}"
        )
    for number, row in enumerate(batch["targets"], 1):
        answer = row[row > 0].tolist()
        is_closed = len(answer) > SMALLEST and answer[0] == answer[-1]
        if not is_closed or len({*answer}) != len(answer) - 1:
            raise ValueError(
                f"{path}: an answer has three points or more, each once, and ends with its "
                f"first one. Received, example {number}: {' '.join(map(str, answer))}"
            )
    return batch
