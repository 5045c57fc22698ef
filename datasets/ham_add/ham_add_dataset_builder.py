"""The addition task as a data set of TensorFlow Datasets."""

from typing import ClassVar

import tensorflow_datasets as tfds

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_add


class HAMAddConfig(VectorConfig):
    """Parameters of `ham_add.sample`, number of examples, and seed; see there."""

    task = ham_add


class Builder(VectorBuilder):
    """Sums of two numbers of up to 15 bits (Andrychowicz & Kurach 2016, section 4.2)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    # Of 16 symbols there are too few examples that differ.
    BUILDER_CONFIGS: ClassVar = configs(HAMAddConfig, short=24)
