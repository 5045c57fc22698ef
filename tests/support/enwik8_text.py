"""The end of the first megabyte of enwik8, which lies in tests/data; see the README there."""

import gzip
from pathlib import Path

PART = Path(__file__).parents[1] / "data" / "enwik8_test_part.gz"
SIZE = 1_066_628


def test_part():
    """The test part of `act_enwik8_small`, 53,332 bytes."""
    return gzip.decompress(PART.read_bytes())


def write_head(path):
    """Write a text of 1,066,628 bytes whose test part alone is real; the rest is zeros."""
    part = test_part()
    path.write_bytes(bytes(SIZE - len(part)) + part)
    return path
