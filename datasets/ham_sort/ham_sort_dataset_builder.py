"""The sort task as a data set of TensorFlow Datasets."""

import dataclasses

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_sort


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMSortConfig(VectorConfig):
    """Parameters of `ham_sort.sample`, number of examples, and seed; see there."""

    task = ham_sort
    key_bits: int = 5
    value_bits: int = 5


class Builder(VectorBuilder):
    """Up to 32 pairs, in the order of their keys (Andrychowicz & Kurach 2016, section 4.2)."""

    BUILDER_CONFIGS = configs(HAMSortConfig)
