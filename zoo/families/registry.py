"""The families, by their names in recipes."""

from .act.family import ACT
from .ham.baseline import HAMBaseline
from .ham.family import HAM
from .images.family import Images
from .language.family import Language
from .language.words import Words
from .neural_gpu.baseline import NeuralGPUBaseline
from .neural_gpu.family import NeuralGPU
from .pointer.family import Pointer
from .pondernet.family import PonderNetFamily
from .recall.family import RecallFamily
from .translation.family import Translation

CLASSES = {
    "act": ACT,
    "baseline": NeuralGPUBaseline,
    "ham": HAM,
    "ham_baseline": HAMBaseline,
    "images": Images,
    "language": Language,
    "neural_gpu": NeuralGPU,
    "pointer": Pointer,
    "pondernet": PonderNetFamily,
    "recall": RecallFamily,
    "translation": Translation,
    "words": Words,
}
