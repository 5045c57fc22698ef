"""The sort task of Andrychowicz & Kurach (2016)."""

from . import ham_sort

__all__ = ["ham_sort"]
