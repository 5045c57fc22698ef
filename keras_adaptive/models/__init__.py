"""Models that train adaptive layers and say apart what the loss is made of."""

from ..neural_gpu.model import NeuralGPUModel
from .adaptive import AdaptiveModel
from .adaptive_resnet import AdaptiveResNet
from .pointer import PointerNetwork
from .pondernet import PonderNetModel
from .recall import RecallModel
from .translation import TranslationNetwork

__all__ = [
    "AdaptiveModel",
    "AdaptiveResNet",
    "NeuralGPUModel",
    "PointerNetwork",
    "PonderNetModel",
    "RecallModel",
    "TranslationNetwork",
]
