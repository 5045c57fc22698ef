"""The addition task of Kaiser & Sutskever (2016)."""

from . import neural_gpu_addition

__all__ = ["neural_gpu_addition"]
