"""The invert task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_invert


class NeuralGPUInvertConfig(BitConfig):
    """Parameters of `neural_gpu_invert.sample`, number of examples, and seed; see there."""

    task = neural_gpu_invert


class Builder(BitBuilder):
    """Up to 41 bits, and their opposites."""

    BUILDER_CONFIGS = configs(NeuralGPUInvertConfig)
