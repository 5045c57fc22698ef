"""The layers of keras_adaptive."""

from .act import ACTRNN
from .baselines import BahdanauAttention, StackRNN, StackRNNCell
from .neural_gpu import CGRU, NeuralGPU

__all__ = ["ACTRNN", "CGRU", "BahdanauAttention", "NeuralGPU", "StackRNN", "StackRNNCell"]
