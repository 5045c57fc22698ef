"""CIFAR-10: photographs of 32×32 pixels in ten classes."""

from . import cifar10

__all__ = ["cifar10"]
