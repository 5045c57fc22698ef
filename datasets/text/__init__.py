"""What tasks on texts share: windows of bytes or words, and the text form of bytes."""

from .windows import check_length, cut_windows, decode, describe, encode, rows_in_order

__all__ = ["check_length", "cut_windows", "decode", "describe", "encode", "rows_in_order"]
