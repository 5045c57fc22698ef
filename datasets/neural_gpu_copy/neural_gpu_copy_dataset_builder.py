"""The copy task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_copy


class NeuralGPUCopyConfig(BitConfig):
    """Parameters of `neural_gpu_copy.sample`, number of examples, and seed; see there."""

    task = neural_gpu_copy


class Builder(BitBuilder):
    """Up to 41 bits, and the same again (Kaiser & Sutskever 2016, section 3.2)."""

    BUILDER_CONFIGS = configs(NeuralGPUCopyConfig)
