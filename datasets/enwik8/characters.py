"""Kinds of bytes in Wikipedia's source: spaces, line ends, words, punctuation, digits, markup."""

import re
from collections.abc import Mapping

import numpy as np

KINDS = (
    "spaces",
    "punctuation",
    "word starts",
    "inside words",
    "digits",
    "XML tags",
    "other markup",
    "line ends",
)
LINE_ENDS = b"\n\r"
PUNCTUATION = b".,;:!?'\"()-"
# Windows cut tags; outside of them text has &lt; and &gt;.
TAG = re.compile(rb"<[^<>]*(?:>|$)|^[^<>]*>")
ENTITY = re.compile(rb"&(?:[a-zA-Z]+|#\d+);")


def kinds(inputs: np.ndarray) -> np.ndarray:
    """The kind of each byte.

    A word is a run of letters (of any language: all bytes from 128 on count as letters). What
    lies between `<` and `>`, these included, is a tag, whatever it contains; entities such as
    `&quot;`, brackets, and all other signs are markup. The end of a line is not a space.

    Args:
        inputs: bytes (windows, time).

    Returns:
        Indices into `KINDS`, of the same shape.

    >>> text = np.frombuffer(b"<id>7</id>\\n a [[cat]].", np.uint8)[None]
    >>> "".join(str(kind) for kind in kinds(text)[0])
    '5555455555702066233661'
    """
    inputs = np.asarray(inputs)
    result = np.full(inputs.shape, KINDS.index("other markup"))
    letters = is_letter(inputs)
    before = np.zeros_like(letters)
    before[:, 1:] = letters[:, :-1]
    result[letters & ~before] = KINDS.index("word starts")
    result[letters & before] = KINDS.index("inside words")
    result[is_space(inputs)] = KINDS.index("spaces")
    result[np.isin(inputs, list(LINE_ENDS))] = KINDS.index("line ends")
    result[(inputs >= ord("0")) & (inputs <= ord("9"))] = KINDS.index("digits")
    result[np.isin(inputs, list(PUNCTUATION))] = KINDS.index("punctuation")
    for row, values in zip(result, inputs.astype(np.uint8)):
        for pattern, kind in ((ENTITY, "other markup"), (TAG, "XML tags")):
            for match in pattern.finditer(values.tobytes()):
                row[slice(*match.span())] = KINDS.index(kind)
    return result


def is_letter(values: np.ndarray) -> np.ndarray:
    """Where bytes are ASCII letters or part of a character beyond ASCII."""
    values = np.asarray(values)
    lower = values | 32
    return ((lower >= ord("a")) & (lower <= ord("z")) & (values < 128)) | (values >= 128)


def is_space(values: np.ndarray) -> np.ndarray:
    """Where bytes are white space."""
    return np.isin(values, list(b" \t" + LINE_ENDS))


def before_words(windows: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether each byte is white space before a byte that is none.

    Args:
        windows: as of a task's `windows`.
    """
    return is_space(windows["inputs"]) & ~is_space(windows["targets"])


def without_spaces(windows: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Windows of a text without its white space, and where it was.

    Args:
        windows: as of a task's `windows`.

    Returns:
        Inputs (windows, time), with as many bytes in each as there were, from the text joined;
        and booleans: whether white space followed each byte.
    """
    text = windows["inputs"].ravel()
    kept = ~is_space(text)
    # At each place whether the next byte was white space.
    follows = np.append(~kept[1:], False)[kept]
    length = windows["inputs"].shape[1]
    count = kept.sum() // length * length
    return text[kept][:count].reshape(-1, length), follows[:count].reshape(-1, length)
