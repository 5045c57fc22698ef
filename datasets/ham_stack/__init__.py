"""The stack task of Andrychowicz & Kurach (2016)."""

from . import ham_stack

__all__ = ["ham_stack"]
