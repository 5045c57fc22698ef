"""Windows of consecutive symbols of a text, and the text form of bytes."""

from typing import Any

import numpy as np

from ..arguments import check_integers


def cut_windows(text: np.ndarray, starts: np.ndarray, length: int) -> dict[str, np.ndarray]:
    """Windows of a text, each with the symbol that follows each of its symbols.

    Args:
        text: integers (symbols,), bytes or the numbers of words.
        starts: where windows begin, int (windows,).
        length: number of inputs of a window; it has one symbol more, the last target.

    Returns:
        A dict of `inputs` and `targets`, int32 (windows, length), and `weights`, float32, all ones.

    >>> cut_windows(np.frombuffer(b"abcd", np.uint8), np.array([1]), 2)["targets"].tolist()
    [[99, 100]]
    """
    indices = starts[:, None] + np.arange(length + 1)
    result = text[indices].astype(np.int32)
    return {
        "inputs": result[:, :-1],
        "targets": result[:, 1:],
        "weights": np.ones((len(starts), length), np.float32),
    }


def rows_in_order(size: int, index: int, batch_size: int, length: int) -> np.ndarray:
    """Where the windows of batch number `index` begin, for a text in its order.

    The text is cut into `batch_size` rows, and each row of a batch goes on where that of the batch
    before ended. After the last batch of the rows the first one follows.

    Args:
        size: symbols of the text.
        index: number of the batch, from 0.
        batch_size: number of windows.
        length: number of inputs of a window.

    Returns:
        Places in the text, int (windows,).

    Raises:
        ValueError: a row is shorter than a window.

    >>> [rows_in_order(21, index, 2, 3).tolist() for index in range(4)]
    [[0, 10], [3, 13], [6, 16], [0, 10]]
    """
    check_integers(0, index=index)
    check_integers(1, batch_size=batch_size)
    row = (size - 1) // batch_size
    if row < length:
        raise ValueError(
            f"`batch_size` must be at most {max((size - 1) // length, 0):,}, so that each row of "
            f"the text has a window of `length`, {length}. Received: {batch_size}"
        )
    return np.arange(batch_size) * row + index % (row // length) * length


def check_length(length: int, text: np.ndarray, unit: str = "bytes") -> int:
    """Returns `length`, if the text has a window of that many inputs.

    Raises:
        ValueError: it is not a positive integer, or too large.
    """
    check_integers(1, length=length)
    if length >= len(text):
        raise ValueError(
            f"`length` must be below the {len(text):,} {unit} of the split. Received: {length}"
        )
    return length


def encode(text: str, **_: Any) -> np.ndarray:
    """A text as inputs, int32 (1, bytes), in UTF-8.

    >>> encode("né").tolist()
    [[110, 195, 169]]

    Raises:
        ValueError: the text is empty.
    """
    if not text:
        raise ValueError(f"a text of at least one character is needed. Received: {text!r}")
    return np.frombuffer(text.encode(), np.uint8).astype(np.int32)[None]


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of bytes (time,), a list: ASCII characters, or hexadecimal numbers.

    >>> describe(encode("a é\\n")[0])
    ['a', ' ', 'c3', 'a9', '↵']
    """
    return [_format_byte(int(byte)) for byte in np.asarray(inputs)]


def _format_byte(byte):
    if byte == 10:
        return "↵"
    return chr(byte) if 32 <= byte < 127 else f"{byte:02x}"


def decode(outputs: np.ndarray) -> list[str]:
    """The most probable next byte at each step, as text, from probabilities (time, 256)."""
    return describe(np.asarray(outputs).argmax(-1))
