"""The task of copying bits of Kaiser & Sutskever (2016)."""

from . import neural_gpu_copy

__all__ = ["neural_gpu_copy"]
