"""The task of sorting bits of Kaiser & Sutskever (2016)."""

from . import neural_gpu_sort_bits

__all__ = ["neural_gpu_sort_bits"]
