"""What builders of both tasks on numbers share."""

import dataclasses
from typing import Any

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig


@dataclasses.dataclass(eq=False, kw_only=True)
class NumberConfig(TaskConfig):
    """Parameters of the `sample` of a task on numbers, number of examples, and seed; see there.

    As in the paper, 10,000 training examples for each of the 20 lengths, on average.
    """

    bits: int = 20
    min_bits: int = 1
    base: int = 2
    aligned: bool = False
    probe: str | None = None
    train: int = 200_000


class NumberBuilder(TaskBuilder, skip_registration=True):
    """A data set of a task on numbers."""

    HOMEPAGE = "https://arxiv.org/abs/1511.08228"
    WITHOUT_REPETITION = ("validation", "test")


def configs(config: type) -> list[Any]:
    """The configs of a task.

    Args:
        config: its subclass of `NumberConfig`.
    """
    return [
        config(),
        # 100 examples for each length, as in the paper's experiment with little data.
        config(train=2_000),
        config(base=4),
        config(base=10),
        config(aligned=True),
        # Longer than any of the training.
        config(bits=200, min_bits=200, train=1_000, validation=1_000, test=1_000),
    ]
