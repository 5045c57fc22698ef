"""The prefix sums as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..symbols.bit_builder import BitBuilder, BitConfig
from . import prefix_sums


@dataclasses.dataclass(eq=False, kw_only=True)
class PrefixSumsConfig(BitConfig):
    """Parameters of `prefix_sums.sample`, number of examples, and seed; see there."""

    task = prefix_sums
    length: int = 32
    train: int = 10_000


class Builder(BitBuilder):
    """32 bits, and their prefix sums modulo two (Bansal et al. 2022, section 4.1)."""

    HOMEPAGE = "https://arxiv.org/abs/2202.05826"
    BUILDER_CONFIGS: ClassVar = [
        PrefixSumsConfig(),
        # Shorter than the paper.
        PrefixSumsConfig(length=24),
        # Of all lengths.
        PrefixSumsConfig(min_length=1),
        # The paper's test of generalisation.
        PrefixSumsConfig(length=512, train=1_000, validation=1_000, test=1_000),
    ]
