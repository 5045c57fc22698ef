"""The sort bits task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_sort_bits


class NeuralGPUSortBitsConfig(BitConfig):
    """Parameters of `neural_gpu_sort_bits.sample`, number of examples, and seed; see there."""

    task = neural_gpu_sort_bits


class Builder(BitBuilder):
    """Up to 41 bits, and the same sorted (Kaiser & Sutskever 2016, section 3.2)."""

    BUILDER_CONFIGS = configs(NeuralGPUSortBitsConfig)
