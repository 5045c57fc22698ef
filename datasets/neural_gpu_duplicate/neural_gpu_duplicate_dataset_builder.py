"""The duplicate task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_duplicate


class NeuralGPUDuplicateConfig(BitConfig):
    """Parameters of `neural_gpu_duplicate.sample`, number of examples, and seed; see there."""

    task = neural_gpu_duplicate


class Builder(BitBuilder):
    """Up to 20 bits, and the same twice (Kaiser & Sutskever 2016, section 3.2)."""

    BUILDER_CONFIGS = configs(NeuralGPUDuplicateConfig)
