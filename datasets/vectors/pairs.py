"""Pairs of a key and a value as vectors of bits, the key first."""

from collections.abc import Sequence

import numpy as np

from ..arguments import check_between
from .sequences import check_bits, parse_vectors


def resolve_key_bits(width: int, key_bits: int | None = None) -> int:
    """How many bits of a pair are its key, by default half of them.

    Args:
        width: of the pair.
        key_bits: None, or a number up to `width`.

    Raises:
        ValueError: there is no half, or `key_bits` is out of its range.

    >>> resolve_key_bits(10)
    5
    """
    if key_bits is None:
        if width % 2:
            raise ValueError(
                "vectors of `inputs` must have a key and a value of the same width where "
                f"`key_bits` is not given. Received: {width} elements"
            )
        return width // 2
    check_bits(key_bits=key_bits)
    check_between(1, width, key_bits=key_bits)
    return key_bits


def parse_pairs(
    text: str, words: Sequence[str], key_bits: int, value_bits: int, example: str = "3:7 1:12 3:0"
) -> np.ndarray:
    """Pairs from words such as `"3:7"`, float32 (words, key_bits + value_bits).

    Args:
        text: the text that the words come from.
        words: strings.
        key_bits: width of a key.
        value_bits: width of a value, 0 for keys only.
        example: a valid text, for the message.

    Raises:
        ValueError: a word is not a pair, or there are no words.
    """
    try:
        return parse_vectors(words or [""], key_bits, value_bits)
    except ValueError as error:
        if value_bits:
            form = f"pairs of a key below {2**key_bits}, a colon and a value below {2**value_bits}"
        else:
            form, example = f"keys below {2**key_bits}", "3 1 3"
        raise ValueError(
            f"an input is {form}, separated by spaces, for instance {example!r}. Received: {text!r}"
        ) from error
