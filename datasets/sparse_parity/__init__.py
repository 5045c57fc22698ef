"""The parity of sparse vectors, as PonderNet was asked for it (Banino et al. 2021)."""

from . import sparse_parity

__all__ = ["sparse_parity"]
