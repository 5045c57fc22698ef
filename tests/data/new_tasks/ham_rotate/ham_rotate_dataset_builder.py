"""The rotate task as a data set of TensorFlow Datasets."""

import dataclasses

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import VectorBuilder, VectorConfig, configs
from . import ham_rotate


@dataclasses.dataclass(eq=False, kw_only=True)
class HAMRotateConfig(VectorConfig):
    """Parameters of `ham_rotate.sample`, number of examples, and seed; see there."""

    task = ham_rotate
    bits: int = 6


class Builder(VectorBuilder):
    """Up to 32 vectors, and the same rotated."""

    BUILDER_CONFIGS = configs(HAMRotateConfig)
