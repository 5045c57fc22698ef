"""The invert task."""

from . import neural_gpu_invert

__all__ = ["neural_gpu_invert"]
