"""The rotate task."""

from . import ham_rotate

__all__ = ["ham_rotate"]
