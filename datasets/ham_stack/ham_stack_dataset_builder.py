"""The stack task as a data set of TensorFlow Datasets."""

from typing import ClassVar

import tensorflow_datasets as tfds

from ..vectors.builder import OperationConfig, VectorBuilder, configs
from . import ham_stack


class HAMStackConfig(OperationConfig):
    """Parameters of `ham_stack.sample`, number of examples, and seed; see there."""

    task = ham_stack


class Builder(VectorBuilder):
    """Operations on a stack, and what its POPs return (Andrychowicz & Kurach 2016, section 4.3)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(HAMStackConfig)
