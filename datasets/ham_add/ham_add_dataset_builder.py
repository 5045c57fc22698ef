"""The addition task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_add


class HAMAddConfig(VectorConfig):
    """Parameters of `ham_add.sample`, number of examples, and seed; see there."""

    task = ham_add


class Builder(VectorBuilder):
    """Sums of two numbers of up to 15 bits (Andrychowicz & Kurach 2016, section 4.2)."""

    # Of 16 symbols there are too few examples that differ.
    BUILDER_CONFIGS = configs(HAMAddConfig, short=24)
