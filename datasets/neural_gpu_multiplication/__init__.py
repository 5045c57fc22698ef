"""The multiplication task of Kaiser & Sutskever (2016)."""

from . import neural_gpu_multiplication

__all__ = ["neural_gpu_multiplication"]
