"""The addition task as a data set of TensorFlow Datasets."""

from typing import ClassVar

import tensorflow_datasets as tfds

from ..symbols.number_builder import NumberBuilder, NumberConfig, configs
from . import neural_gpu_addition


class NeuralGPUAdditionConfig(NumberConfig):
    """Parameters of `neural_gpu_addition.sample`, number of examples, and seed; see there."""

    task = neural_gpu_addition


class Builder(NumberBuilder):
    """Sums of two numbers of up to 20 bits (Kaiser & Sutskever 2016, badd)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(NeuralGPUAdditionConfig)
