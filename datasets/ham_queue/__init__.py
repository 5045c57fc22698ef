"""The queue task of Andrychowicz & Kurach (2016)."""

from . import ham_queue

__all__ = ["ham_queue"]
