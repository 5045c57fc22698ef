"""What tasks on sequences of vectors share (Andrychowicz & Kurach 2016)."""

from .operation_task import OperationTask
from .pairs import parse_pairs, resolve_key_bits
from .sequences import (
    PADDING,
    add_end_symbol,
    check_bits,
    check_width,
    cut_at_end,
    draw_bits,
    draw_lengths,
    ending,
    format_outputs,
    format_vectors,
    gather,
    make_batch,
    pad_vectors,
    parse_vectors,
    sequence_mask,
    to_bits,
    to_numbers,
    validate_inputs,
)

__all__ = [
    "PADDING",
    "OperationTask",
    "add_end_symbol",
    "check_bits",
    "check_width",
    "cut_at_end",
    "draw_bits",
    "draw_lengths",
    "ending",
    "format_outputs",
    "format_vectors",
    "gather",
    "make_batch",
    "pad_vectors",
    "parse_pairs",
    "parse_vectors",
    "resolve_key_bits",
    "sequence_mask",
    "to_bits",
    "to_numbers",
    "validate_inputs",
]
