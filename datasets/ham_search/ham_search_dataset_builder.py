"""The search task as a data set of TensorFlow Datasets."""

import dataclasses

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

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

    BUILDER_CONFIGS = configs(HAMSearchConfig)
