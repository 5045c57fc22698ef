"""The layers of keras_adaptive."""

from .act import ACTRNN
from .attention import AttentionCell, BahdanauAttention
from .baselines import StackRNN, StackRNNCell
from .ham import DHAM, HAM
from .neural_gpu import CGRU, NeuralGPU
from .pondernet import PonderNet
from .recall import Recall
from .residual import ResidualACT, ResidualUnit

__all__ = [
    "ACTRNN",
    "CGRU",
    "DHAM",
    "HAM",
    "AttentionCell",
    "BahdanauAttention",
    "NeuralGPU",
    "PonderNet",
    "Recall",
    "ResidualACT",
    "ResidualUnit",
    "StackRNN",
    "StackRNNCell",
]
