"""The priority queue task of Andrychowicz & Kurach (2016)."""

from . import ham_priority_queue

__all__ = ["ham_priority_queue"]
