"""The reverse task of Andrychowicz & Kurach (2016)."""

from . import ham_reverse

__all__ = ["ham_reverse"]
