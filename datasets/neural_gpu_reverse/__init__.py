"""The task of reversing bits of Kaiser & Sutskever (2016)."""

from . import neural_gpu_reverse

__all__ = ["neural_gpu_reverse"]
