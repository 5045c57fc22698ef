"""The task of convex hulls of Vinyals, Fortunato & Jaitly (2015)."""

from . import convex_hull

__all__ = ["convex_hull"]
