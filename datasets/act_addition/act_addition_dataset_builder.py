"""The addition task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import act_addition


@dataclasses.dataclass(eq=False, kw_only=True)
class ActAdditionConfig(TaskConfig):
    """Parameters of `act_addition.sample`, number of examples, and seed; see there."""

    task = act_addition
    digits: int = 5
    numbers: int = 5
    min_digits: int = 1
    min_numbers: int = 1
    max_digits: int = 5
    max_numbers: int = 5
    first_target: bool = False


class Builder(TaskBuilder):
    """Running sums of up to five numbers of up to five digits (Graves 2016, section 3.3)."""

    HOMEPAGE = "https://arxiv.org/abs/1603.08983"
    BUILDER_CONFIGS: ClassVar = [
        ActAdditionConfig(),
        # Every sequence has a target.
        ActAdditionConfig(min_numbers=2),
        ActAdditionConfig(digits=3),
        # The sequences of the paper's Figure 14.
        ActAdditionConfig(min_numbers=3, numbers=3),
        # Longer than the paper's.
        ActAdditionConfig(min_numbers=6, numbers=10, max_numbers=10),
    ]
