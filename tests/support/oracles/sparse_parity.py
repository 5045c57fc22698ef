"""Parity of sparse vectors: as parity, one element after the other."""

from .act_parity import answer

__all__ = ["answer"]
