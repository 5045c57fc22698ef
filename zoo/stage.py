"""The stages of a training (steps, learning rate, data), and the paper's figure of a recipe."""

import dataclasses
import math
from collections.abc import Mapping

from .settings import STAGE


@dataclasses.dataclass(frozen=True)
class Curriculum:
    """A difficulty that grows whenever the network has learned the current one.

    Args:
        parameters: names of the data set's parameters that grow together.
        start: their value at the beginning.
        stop: their last value, or the name of the recipe's parameter that holds it. The stage ends
            when this value is reached.
        threshold: they grow when the training sequence error over a chunk is below this.
        validation_threshold: the error on validation data, measured after each chunk, must not be
            above this either; None for no such condition.
        doubling: whether the value doubles instead of growing by one.

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
        """Whether the network has learned the current value, given a row of the history."""
        limit = self.validation_threshold
        if limit is not None and row.get("validation_error", 1.0) > limit:
            return False
        return row["sequence_error"] < self.threshold


@dataclasses.dataclass(frozen=True)
class Stage:
    """A part of a training with its own schedule and data.

    Args:
        steps: training steps; rounded up to whole chunks. With a curriculum: the most steps.
        learning_rate: at the start of the stage.
        schedule: `"constant"`; `"cosine"`, which ends at 1 % of `learning_rate`; or
            `"exponential"`, which ends at a tenth.
        hold: the share of the stage during which the learning rate stays at `learning_rate`, before
            the schedule starts.
        time_penalty: τ during the stage.
        parameters: the data set's parameters that differ from the recipe's during the stage.
        hyperparameters: those of the network that differ from the recipe's during the stage, for a
            network that is smaller at first, see `settings.GROWING`. A larger one begins with the
            weights of the stage before (`initial_weights.copy_weights`) and a new optimizer.
        curriculum: a `Curriculum`, or None.
        bins: lengths, in increasing order. Training batch i uses bin i mod the number of bins: its
            examples are longer than the bin before and at most as long as this bin. Without
            bins, every batch has all lengths.
        chunk: steps between two decisions: learning rate, curriculum, checkpoint.
        batch_size: examples in each batch; None for the recipe's.
        validate_every: steps between two measurements on validation data; None for the recipe's.

    Raises:
        ValueError: an argument outside its range.
    """

    steps: int
    learning_rate: float
    schedule: str = "constant"
    hold: float = 0.0
    time_penalty: float = 1e-3
    parameters: Mapping = dataclasses.field(default_factory=dict)
    hyperparameters: Mapping = dataclasses.field(default_factory=dict)
    curriculum: Curriculum | None = None
    bins: tuple[int, ...] = ()
    chunk: int = 500
    batch_size: int | None = None
    validate_every: int | None = None

    def __post_init__(self):
        for name, setting in STAGE.items():
            value = getattr(self, name)
            if not isinstance(value, Curriculum):
                setting.check(name, value)
        # Keras takes no integer.
        object.__setattr__(self, "learning_rate", float(self.learning_rate))

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
    """The paper's figure of ponder and error against difficulty.

    Args:
        number: of the figure in the paper.
        label: the quantity that measures difficulty.
        parameters: names of the data set's parameters that are set to the difficulty.
        stop: the name of the recipe's parameter that is the highest difficulty.
        start: the lowest difficulty.
        fixed: the data set's other parameters in this figure.
        examples: number of sequences for each point.
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
