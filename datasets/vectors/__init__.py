"""What tasks on sequences of vectors share (Andrychowicz & Kurach 2016)."""

from .operation_task import OperationTask
from .pairs import key_bits_of, pairs_read
from .sequences import (
    PADDING,
    check_bits,
    check_width,
    checked,
    chosen,
    draw_bits,
    draw_lengths,
    ended,
    features,
    inside,
    padded,
    read,
    to_bits,
    to_numbers,
    until_end,
    written,
    written_outputs,
)

__all__ = [
    "PADDING",
    "OperationTask",
    "check_bits",
    "check_width",
    "checked",
    "chosen",
    "draw_bits",
    "draw_lengths",
    "ended",
    "features",
    "inside",
    "key_bits_of",
    "padded",
    "pairs_read",
    "read",
    "to_bits",
    "to_numbers",
    "until_end",
    "written",
    "written_outputs",
]
