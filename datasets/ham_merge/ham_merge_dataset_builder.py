"""The merge task as a data set of TensorFlow Datasets."""

import dataclasses

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_merge


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMMergeConfig(VectorConfig):
    """Parameters of `ham_merge.sample`, number of examples, and seed; see there."""

    task = ham_merge
    value_bits: int = 5


class Builder(VectorBuilder):
    """Two sequences sorted by priorities become one (Andrychowicz & Kurach 2016, section 4.2)."""

    BUILDER_CONFIGS = configs(HAMMergeConfig)
