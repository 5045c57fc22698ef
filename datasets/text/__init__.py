"""What tasks on texts share: windows of bytes, and their text form."""

from .byte_windows import check_length, cut_windows, decode, describe, encode

__all__ = ["check_length", "cut_windows", "decode", "describe", "encode"]
