"""The travelling salesman as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import tsp


@dataclasses.dataclass(eq=False, kw_only=True)
class TspConfig(TaskConfig):
    """Parameters of `tsp.sample`, number of examples, and seed; see there."""

    task = tsp
    length: int = 10
    min_length: int = 5


class Builder(TaskBuilder):
    """5 to 10 points, and the shortest tour through them (Vinyals et al. 2015, section 3.3)."""

    HOMEPAGE = "https://arxiv.org/abs/1506.03134"
    BUILDER_CONFIGS: ClassVar = [
        TspConfig(),
        # As many as the authors' files have.
        *(TspConfig(length=n, min_length=n) for n in (5, 10)),
        TspConfig(length=12),
    ]
