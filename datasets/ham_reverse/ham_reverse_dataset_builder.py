"""The reverse task as a data set of TensorFlow Datasets."""

import dataclasses

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_reverse


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMReverseConfig(VectorConfig):
    """Parameters of `ham_reverse.sample`, number of examples, and seed; see there."""

    task = ham_reverse
    bits: int = 10


class Builder(VectorBuilder):
    """Up to 32 vectors, and the same backwards (Andrychowicz & Kurach 2016, section 4.2)."""

    BUILDER_CONFIGS = configs(HAMReverseConfig)
