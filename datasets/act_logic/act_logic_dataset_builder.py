"""The logic task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import act_logic


@dataclasses.dataclass(eq=False, kw_only=True)
class ActLogicConfig(TaskConfig):
    """Parameters of `act_logic.sample`, number of examples, and seed; see there."""

    task = act_logic
    gates: int = 10
    vectors: int = 10
    min_gates: int = 1
    min_vectors: int = 1
    max_gates: int = 10
    max_vectors: int = 10


class Builder(TaskBuilder):
    """Sequences of vectors of up to ten logic gates (Graves 2016, section 3.2)."""

    HOMEPAGE = "https://arxiv.org/abs/1603.08983"
    BUILDER_CONFIGS: ClassVar = [
        ActLogicConfig(),
        ActLogicConfig(vectors=1),
        ActLogicConfig(gates=5, vectors=5),
        # The sequences of the paper's Figure 10.
        ActLogicConfig(min_vectors=5, vectors=5),
        # Longer than the paper's.
        ActLogicConfig(min_vectors=11, vectors=20, max_vectors=20),
    ]
