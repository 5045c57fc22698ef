"""The search task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets as tfds

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_search


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMSearchConfig(VectorConfig):
    """Parameters of `ham_search.sample`, number of examples, and seed; see there."""

    task = ham_search
    key_bits: int = 5
    value_bits: int = 5


class Builder(VectorBuilder):
    """The value of a key among up to 31 sorted pairs (Andrychowicz & Kurach 2016, section 4.2)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(HAMSearchConfig)
