"""The reverse task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_reverse


class NeuralGPUReverseConfig(BitConfig):
    """Parameters of `neural_gpu_reverse.sample`, number of examples, and seed; see there."""

    task = neural_gpu_reverse


class Builder(BitBuilder):
    """Up to 41 bits, and the same backwards (Kaiser & Sutskever 2016, section 3.2)."""

    BUILDER_CONFIGS = configs(NeuralGPUReverseConfig)
