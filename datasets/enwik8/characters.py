"""Kinds of bytes in Wikipedia's source: spaces, words, punctuation, digits, tags, markup."""

import re

import numpy as np

KINDS = (
    "spaces",
    "punctuation",
    "word starts",
    "inside words",
    "digits",
    "XML tags",
    "other markup",
)
PUNCTUATION = b".,;:!?'\"()-"
# Windows cut tags; outside of them text has &lt; and &gt;.
TAG = re.compile(rb"<[^<>]*(?:>|$)|^[^<>]*>")
ENTITY = re.compile(rb"&(?:[a-zA-Z]+|#\d+);")


def kinds(inputs):
    """The kind of each byte.

    A word is a run of letters (of any language: all bytes from 128 on count as letters). What
    stands between `<` and `>`, these included, is a tag, whatever it is made of; entities such as
    `&quot;`, brackets, and all other signs are markup.

    Args:
        inputs: bytes (windows, time).

    Returns:
        Indices into `KINDS`, of the same shape.

    >>> text = np.frombuffer(b"<id>7</id> a [[cat]].", np.uint8)[None]
    >>> "".join(str(kind) for kind in kinds(text)[0])
    '555545555502066233661'
    """
    inputs = np.asarray(inputs)
    found = np.full(inputs.shape, KINDS.index("other markup"))
    letters = is_letter(inputs)
    before = np.zeros_like(letters)
    before[:, 1:] = letters[:, :-1]
    found[letters & ~before] = KINDS.index("word starts")
    found[letters & before] = KINDS.index("inside words")
    found[is_space(inputs)] = KINDS.index("spaces")
    found[(inputs >= ord("0")) & (inputs <= ord("9"))] = KINDS.index("digits")
    found[np.isin(inputs, list(PUNCTUATION))] = KINDS.index("punctuation")
    for row, values in zip(found, inputs.astype(np.uint8)):
        for pattern, kind in ((ENTITY, "other markup"), (TAG, "XML tags")):
            for match in pattern.finditer(values.tobytes()):
                row[slice(*match.span())] = KINDS.index(kind)
    return found


def is_letter(values):
    """Where bytes are ASCII letters or part of a character beyond ASCII."""
    values = np.asarray(values)
    lower = values | 32
    return ((lower >= ord("a")) & (lower <= ord("z")) & (values < 128)) | (values >= 128)


def is_space(values):
    """Where bytes are white space."""
    return np.isin(values, list(b" \t\n\r"))
