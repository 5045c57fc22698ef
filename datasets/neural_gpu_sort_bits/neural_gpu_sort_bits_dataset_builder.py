"""The sort bits task as a data set of TensorFlow Datasets."""

from typing import ClassVar

import tensorflow_datasets as tfds

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_sort_bits


class NeuralGPUSortBitsConfig(BitConfig):
    """Parameters of `neural_gpu_sort_bits.sample`, number of examples, and seed; see there."""

    task = neural_gpu_sort_bits


class Builder(BitBuilder):
    """Up to 41 bits, and the same sorted (Kaiser & Sutskever 2016, section 3.2)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(NeuralGPUSortBitsConfig)
