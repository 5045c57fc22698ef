"""What builders of the tasks on vectors share."""

import dataclasses
from typing import Any

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig


@dataclasses.dataclass(eq=False, kw_only=True)
class VectorConfig(TaskConfig):
    """Parameters of the `sample` of a task on vectors, number of examples, and seed; see there.

    As in the paper, lengths up to 32, 200 validation batches of 50 examples, and 2,500 test
    examples. The paper trains on fresh examples; the training examples here are those of one of its
    100 epochs.
    """

    length: int = 32
    min_length: int | None = 1
    train: int = 50_000
    validation: int = 10_000
    test: int = 2_500


@dataclasses.dataclass(eq=False, kw_only=True)
class OperationConfig(VectorConfig):
    """Parameters of the `sample` of a task on operations, number of examples, and seed; see there.

    By default all examples have `length` operations.
    """

    min_length: int | None = None
    bits: int = 5


class VectorBuilder(TaskBuilder, skip_registration=True):
    """A data set of a task on vectors."""

    HOMEPAGE = "https://arxiv.org/abs/1602.03218"
    WITHOUT_REPETITION = ("validation", "test")


def configs(config: type, short: int = 16) -> list[Any]:
    """The configs of a task.

    Args:
        config: its subclass of `VectorConfig`.
        short: a length below the paper's.
    """
    few = {"train": 1_000, "validation": 1_000, "test": 2_500}
    # The paper's test of generalisation: 65 to 128 vectors, or 128 operations.
    least = {} if issubclass(config, OperationConfig) else {"min_length": 65}
    return [
        config(),
        config(length=short),
        config(length=64, **few),
        config(length=128, **least, **few),
    ]
