"""The layers of keras_adaptive."""

from .act import ACTRNN

__all__ = ["ACTRNN"]
