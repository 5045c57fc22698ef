"""The stages of a training: how long, at which learning rate, on what; and the paper's figure."""

import dataclasses
import math
from collections.abc import Mapping

from .settings import STAGE


@dataclasses.dataclass(frozen=True)
class Curriculum:
    """Difficulty that grows whenever the network has learned what it is given.

    Args:
        parameters: names of the data set's parameters that grow together.
        start: their value at the beginning.
        stop: their last value, or the name of the parameter of the recipe that gives it. The
            stage ends when the network is given this value.
        threshold: they grow when the training sequence error over a chunk is below this.
        validation_threshold: and the error on validation data, measured after each chunk, is not
            above this; None if it does not matter.
        doubling: they grow by their own value instead of by one.

    Raises:
        ValueError: a threshold is outside (0, 1].
    """

    parameters: tuple[str, ...]
    start: int
    stop: int | str
    threshold: float
    validation_threshold: float | None = None
    doubling: bool = False

    def __post_init__(self):
        for name in ("threshold", "validation_threshold"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise ValueError(f"{name} must lie in (0, 1]. Received: {value}")

    def after(self, level: int) -> int:
        """The value after `level`."""
        return 2 * level if self.doubling else level + 1

    def is_passed(self, row: Mapping) -> bool:
        """Whether the network has learned what it is given, by a row of the history."""
        limit = self.validation_threshold
        if limit is not None and row.get("validation_error", 1.0) > limit:
            return False
        return row["sequence_error"] < self.threshold


@dataclasses.dataclass(frozen=True)
class Stage:
    """A stretch of training with one schedule.

    Args:
        steps: training steps; rounded up to whole chunks. With a curriculum: the most steps.
        learning_rate: at the start of the stage.
        schedule: `"constant"`; `"cosine"`, which ends at 1 % of `learning_rate`; or
            `"exponential"`, which ends at a tenth.
        hold: the share of the stage that a schedule stays at `learning_rate` first.
        time_penalty: τ during the stage.
        parameters: the data set's parameters that differ from the recipe's during the stage.
        curriculum: a `Curriculum`, or None.
        bins: values of the recipe's `length_parameters`; training batch i has lengths above those
            of the bin before and up to those of bin i mod the number of bins. Without bins all
            lengths are in every batch.
        chunk: steps between two decisions: learning rate, curriculum, checkpoint.

    Raises:
        ValueError: an argument outside its range.
    """

    steps: int
    learning_rate: float
    schedule: str = "constant"
    hold: float = 0.0
    time_penalty: float = 1e-3
    parameters: Mapping = dataclasses.field(default_factory=dict)
    curriculum: Curriculum | None = None
    bins: tuple[int, ...] = ()
    chunk: int = 500

    def __post_init__(self):
        for name, setting in STAGE.items():
            value = getattr(self, name)
            if not isinstance(value, Curriculum):
                setting.check(name, value)

    @property
    def chunks(self) -> int:
        """Number of chunks in the stage."""
        return -(-self.steps // self.chunk)

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of the chunk that begins at `step` of this stage.

        Example:

        >>> Stage(steps=1000, learning_rate=0.1, schedule="cosine", hold=0.5).learning_rate_at(750)
        0.0505
        """
        if self.schedule == "constant":
            return self.learning_rate
        start = self.hold * self.steps
        progress = min(max((step - start) / (self.steps - start), 0.0), 1.0)
        if self.schedule == "exponential":
            return round(self.learning_rate * 0.1**progress, 12)
        share = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress))
        return round(self.learning_rate * share, 12)


@dataclasses.dataclass(frozen=True)
class Figure:
    """How the paper draws ponder and error against difficulty.

    Args:
        number: of the paper's figure.
        label: what difficulty is.
        parameters: names of the data set's parameters that are set to the difficulty.
        stop: the name of the recipe's parameter that is the highest difficulty.
        start: the lowest difficulty.
        fixed: the data set's other parameters in this figure.
        examples: sequences for each point.
        along_sequences: whether the card also shows ponder along sequences.
    """

    number: int
    label: str
    parameters: tuple[str, ...]
    stop: str
    start: int = 1
    fixed: Mapping = dataclasses.field(default_factory=dict)
    examples: int = 1000
    along_sequences: bool = True
