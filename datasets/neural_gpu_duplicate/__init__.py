"""The task of duplicating bits of Kaiser & Sutskever (2016)."""

from . import neural_gpu_duplicate

__all__ = ["neural_gpu_duplicate"]
