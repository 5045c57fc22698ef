"""The sort task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import act_sort


@dataclasses.dataclass(eq=False, kw_only=True)
class ActSortConfig(TaskConfig):
    """Parameters of `act_sort.sample`, number of examples, and seed; see there."""

    task = act_sort
    numbers: int = 15
    min_numbers: int = 2
    max_numbers: int = 15
    min_separation: float = 0.0


class Builder(TaskBuilder):
    """Indices of up to 15 real numbers in ascending order (Graves 2016, section 3.4)."""

    HOMEPAGE = "https://arxiv.org/abs/1603.08983"
    BUILDER_CONFIGS: ClassVar = [
        ActSortConfig(),
        # What the paper suggests against numbers too close to tell apart.
        ActSortConfig(min_separation=0.05),
        ActSortConfig(numbers=5),
        ActSortConfig(numbers=10),
        # Longer than the paper's.
        ActSortConfig(numbers=20, min_numbers=16, max_numbers=20),
    ]
