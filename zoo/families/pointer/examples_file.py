"""A user's file of examples, in the text format of the authors' files."""

from .... import datasets

SMALLEST_ANSWER = 4  # three points, and the first one again


def read(dataset, path, most):
    """The examples of a file.

    Args:
        dataset: the name of the data set.
        path: of the file, a line `x1 y1 x2 y2 … output i1 i2 …` for each example.
        most: the most points of an example.

    Returns:
        A batch, as the data set's `sample` returns one.

    Raises:
        OSError: the file cannot be read.
        ValueError: it has another format, or an answer that is not closed.
    """
    try:
        with open(path, encoding="utf-8") as file:
            batch = datasets.task(dataset).read(file)
    except UnicodeDecodeError as error:
        raise ValueError(f"--file {path} is no text: {error}") from error
    except ValueError as error:
        raise ValueError(f"--file {path}: {error}") from error
    largest = batch["inputs"].shape[1]
    if largest > most:
        raise ValueError(
            f"--file {path}: an example has at most {most:,} points. Received: {largest}"
        )
    for number, row in enumerate(batch["targets"], 1):
        answer = row[row > 0].tolist()
        is_closed = len(answer) >= SMALLEST_ANSWER and answer[0] == answer[-1]
        if not is_closed or len({*answer}) != len(answer) - 1:
            raise ValueError(
                f"--file {path}: an answer has three points or more, each once, and ends with its "
                f"first one. Received, example {number}: {' '.join(map(str, answer))}"
            )
    return batch
