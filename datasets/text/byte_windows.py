"""Windows of consecutive bytes of a text, and the text form of bytes."""

from typing import Any

import numpy as np

from ..arguments import check_integers


def cut_windows(text: np.ndarray, starts: np.ndarray, length: int) -> dict[str, np.ndarray]:
    """Windows of a text, each with the byte that follows each of its bytes.

    Args:
        text: uint8 (bytes,).
        starts: where windows begin, int (windows,).
        length: number of inputs of a window; it has one byte more, the last target.

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


def check_length(length: int, text: np.ndarray) -> int:
    """Returns `length`, if the text has a window of that many inputs.

    Raises:
        ValueError: it is not a positive integer, or too large.
    """
    check_integers(1, length=length)
    if length >= len(text):
        raise ValueError(
            f"`length` must be below the {len(text):,} bytes of the split. Received: {length}"
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
