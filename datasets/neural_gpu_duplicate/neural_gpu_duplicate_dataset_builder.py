"""The duplicate task as a data set of TensorFlow Datasets."""

from typing import ClassVar

import tensorflow_datasets as tfds

from ..symbols.bit_builder import BitBuilder, BitConfig, configs
from . import neural_gpu_duplicate


class NeuralGPUDuplicateConfig(BitConfig):
    """Parameters of `neural_gpu_duplicate.sample`, number of examples, and seed; see there."""

    task = neural_gpu_duplicate


class Builder(BitBuilder):
    """Up to 20 bits, and the same twice (Kaiser & Sutskever 2016, section 3.2)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(NeuralGPUDuplicateConfig)
