"""The addition task of Andrychowicz & Kurach (2016)."""

from . import ham_add

__all__ = ["ham_add"]
