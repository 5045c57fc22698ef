"""The multiplication task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.number_builder import NumberBuilder, NumberConfig, configs
from . import neural_gpu_multiplication


class NeuralGPUMultiplicationConfig(NumberConfig):
    """Parameters of `neural_gpu_multiplication.sample`, number of examples, and seed; see there."""

    task = neural_gpu_multiplication


class Builder(NumberBuilder):
    """Products of two numbers of up to 20 bits (Kaiser & Sutskever 2016, bmul)."""

    BUILDER_CONFIGS = configs(NeuralGPUMultiplicationConfig)
