"""The merge task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets as tfds

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_merge


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMMergeConfig(VectorConfig):
    """Parameters of `ham_merge.sample`, number of examples, and seed; see there."""

    task = ham_merge
    value_bits: int = 5


class Builder(VectorBuilder):
    """Two sequences sorted by priorities become one (Andrychowicz & Kurach 2016, section 4.2)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    BUILDER_CONFIGS: ClassVar = configs(HAMMergeConfig)
