"""The Neural GPU: a convolutional gated recurrent unit on a mental image.

Source: Kaiser & Sutskever, "Neural GPUs Learn Algorithms" (2016), arXiv:1511.08228; hard
nonlinearities and diagonal gates: Freivalds & Liepins, "Improving the Neural GPU Architecture for
Algorithm Learning" (2017), arXiv:1702.08727.
"""

from .activations import cutoff_sigmoid, hard_sigmoid, hard_tanh, saturation
from .cgru import CGRU
from .model import NeuralGPUModel
from .neural_gpu import NeuralGPU, set_steps_multiplier

__all__ = [
    "CGRU",
    "NeuralGPU",
    "NeuralGPUModel",
    "cutoff_sigmoid",
    "hard_sigmoid",
    "hard_tanh",
    "saturation",
    "set_steps_multiplier",
]
