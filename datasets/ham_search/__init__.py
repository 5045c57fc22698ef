"""The search task of Andrychowicz & Kurach (2016)."""

from . import ham_search

__all__ = ["ham_search"]
