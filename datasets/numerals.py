"""Numbers as people write them."""

import math
import re

DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def parse_number(text: str) -> float:
    """The number that a decimal number stands for; Python itself also reads `1_000` and `nan`.

    Raises:
        ValueError: `text` is not of that form, or too large for a float.

    >>> parse_number("-1.5e3")
    -1500.0
    """
    if not DECIMAL.fullmatch(text) or not math.isfinite(float(text)):
        shown = text if len(text) < 40 else f"{text[:40]}…"
        raise ValueError(f"{shown!r} is not a number")
    return float(text)
