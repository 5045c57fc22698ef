"""What builders of the tasks on bits share."""

import dataclasses
from typing import Any

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig


@dataclasses.dataclass(eq=False, kw_only=True)
class BitConfig(TaskConfig):
    """Parameters of the `sample` of a task on bits, number of examples, and seed; see there.

    As in the paper, 10,000 training examples for each of the 41 lengths, on average.
    """

    length: int = 41
    min_length: int | None = None
    train: int = 410_000


class BitBuilder(TaskBuilder, skip_registration=True):
    """A data set of a task on bits."""

    HOMEPAGE = "https://arxiv.org/abs/1511.08228"
    WITHOUT_REPETITION = ("validation", "test")


def configs(config: type) -> list[Any]:
    """The configs of a task.

    Args:
        config: its subclass of `BitConfig`.
    """
    return [
        config(),
        # 100 examples for each length, as in the paper's experiment with little data.
        config(train=4_100),
        # Without the shortest, of which there are few.
        config(min_length=20),
        # Longer than any of the training.
        config(length=401, min_length=401, train=1_000, validation=1_000, test=1_000),
    ]
