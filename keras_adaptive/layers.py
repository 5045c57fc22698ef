"""The layers of keras_adaptive."""

from .act import ACTRNN
from .neural_gpu import CGRU, NeuralGPU

__all__ = ["ACTRNN", "CGRU", "NeuralGPU"]
