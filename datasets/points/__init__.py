"""What tasks on points of the plane share (Vinyals, Fortunato & Jaitly 2015)."""

from .points import (
    PADDING,
    answers_of,
    check_points,
    decode_indices,
    describe_points,
    draw_points,
    lengths_of,
    make_batch,
    output_length,
    parse_points,
)
from .text_format import read, read_file, write

__all__ = [
    "PADDING",
    "answers_of",
    "check_points",
    "decode_indices",
    "describe_points",
    "draw_points",
    "lengths_of",
    "make_batch",
    "output_length",
    "parse_points",
    "read",
    "read_file",
    "write",
]
