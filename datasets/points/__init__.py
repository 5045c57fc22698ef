"""What tasks on points of the plane share (Vinyals, Fortunato & Jaitly 2015)."""

from .points import (
    PADDING,
    check_points,
    decode_indices,
    describe_points,
    draw_points,
    lengths_of,
    parse_points,
)
from .text_format import read, write

__all__ = [
    "PADDING",
    "check_points",
    "decode_indices",
    "describe_points",
    "draw_points",
    "lengths_of",
    "parse_points",
    "read",
    "write",
]
