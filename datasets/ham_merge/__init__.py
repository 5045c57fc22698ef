"""The merge task of Andrychowicz & Kurach (2016)."""

from . import ham_merge

__all__ = ["ham_merge"]
