"""A recipe: how one model of the zoo is trained, as data and one build function."""

import dataclasses
import difflib
import math
from collections.abc import Callable, Mapping

SCHEDULES = ("constant", "cosine", "exponential")


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

    def after(self, level):
        """The value after `level`."""
        return 2 * level if self.doubling else level + 1

    def is_passed(self, row):
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
        for name in ("steps", "chunk"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1. Received: {getattr(self, name)}")
        if not self.learning_rate > 0:
            raise ValueError(f"learning_rate must be positive. Received: {self.learning_rate}")
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {SCHEDULES}. Received: {self.schedule!r}")
        if not 0 <= self.hold < 1:
            raise ValueError(f"hold must lie in [0, 1). Received: {self.hold}")
        if self.time_penalty < 0:
            raise ValueError(f"time_penalty must not be negative. Received: {self.time_penalty}")

    @property
    def chunks(self):
        """Number of chunks in the stage."""
        return -(-self.steps // self.chunk)

    def learning_rate_at(self, step):
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


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Everything that decides how an entry of the zoo is trained.

    Args:
        name: the name of the entry, of its folder and of its file in `zoo/recipes/`.
        dataset: the name of the data set.
        build: `build(recipe) -> keras.Model`, not compiled. It draws its first weights from
            Keras's global generator, which `train` seeds.
        parameters: the data set's parameters that the finished model is measured on.
        training_parameters: those that differ during all of the training.
        hyperparameters: of the network and the optimizer, for `build` and `train`.
        stages: the `Stage`s, in order.
        figure: the `Figure` of the entry's card.
        batch_size: examples a step.
        seed: of the first weights and of the training data.
        validate_every: steps between two measurements on validation data.
        task: one paragraph on the task, for the card.
        paper: what the paper reports: `cell`, `error`, `error_without_act`, each a text.
        differences: how the training differs from the paper's, one sentence each.
        test_data_seen: what was known of test data when something was changed, one sentence each.
        family: what kind of network it is, a module of `zoo/families/`.
        length_parameters: names of the data set's parameters that are the least and the largest
            length, for stages with bins.
        scouted_stages: how many stages a choice between seeds trains with each of them.
        variant: `"act"`, `"plain"` (one step for each input, no halting), or `"fixed-k"`.
        search: what a search tries unless it is told otherwise: from settings, as of
            `with_overrides`, to tuples of values.
    """

    name: str
    dataset: str
    build: Callable
    parameters: Mapping
    hyperparameters: Mapping
    stages: tuple[Stage, ...]
    figure: Figure | None
    batch_size: int
    seed: int = 0
    validate_every: int = 5000
    training_parameters: Mapping = dataclasses.field(default_factory=dict)
    task: str = ""
    paper: Mapping = dataclasses.field(default_factory=dict)
    differences: tuple[str, ...] = ()
    test_data_seen: tuple[str, ...] = ()
    variant: str = "act"
    family: str = "act"
    length_parameters: tuple[str, str] | None = None
    search: Mapping = dataclasses.field(default_factory=dict)
    scouted_stages: int = 1

    @property
    def steps(self):
        """Training steps of all stages (the most, where there is a curriculum)."""
        return sum(stage.chunks * stage.chunk for stage in self.stages)

    @property
    def largest_length(self):
        """The most symbols, vectors or operations that an example of the training has.

        Raises:
            TypeError: the recipe has no `length_parameters`.
        """
        known = self.parameters[self.length_parameters[1]]
        return max([known, *(most for stage in self.stages for most in stage.bins)])

    def stop_of(self, curriculum):
        """The last value of `curriculum`, a whole number."""
        stop = curriculum.stop
        return self.parameters[stop] if isinstance(stop, str) else stop

    def parameters_at(self, stage, level=None, index=0):
        """The data set's parameters of a training batch.

        Args:
            stage: one of `stages`.
            level: the value that the stage's curriculum has reached, if it has one.
            index: of the batch.

        Returns:
            A dict.
        """
        parameters = {**self.parameters, **self.training_parameters, **stage.parameters}
        for name in stage.curriculum.parameters if stage.curriculum else ():
            limit = self.parameters.get(name)
            parameters[name] = level if limit is None else min(level, limit)
        if stage.bins:
            least, largest = self.length_parameters
            place = index % len(stage.bins)
            parameters[largest] = stage.bins[place]
            if place:
                parameters[least] = stage.bins[place - 1] + 1
        return parameters

    def replace(self, **changes):
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def with_variant(self, variant):
        """The same training with another halting rule.

        Args:
            variant: `"act"`, `"plain"`, or `"fixed-k"` with a whole number k ≥ 1.

        Returns:
            A `Recipe`.

        Raises:
            ValueError: another word, or a network without a halting rule.
        """
        if variant == self.variant:
            return self
        if "halting" not in self.hyperparameters:
            raise ValueError(
                f"variant is of networks with a halting rule, which {self.name} has not. "
                f"Received: {variant!r}"
            )
        if variant == "act":
            changes = {"halting": "act", "fixed_steps": None}
        elif variant == "plain":
            changes = {"halting": "fixed", "fixed_steps": 1}
        elif variant.removeprefix("fixed-").isdecimal() and int(variant[6:]) >= 1:
            changes = {"halting": "fixed", "fixed_steps": int(variant[6:])}
        else:
            raise ValueError(
                'variant must be "act", "plain" or "fixed-k" with a whole number k ≥ 1. '
                f"Received: {variant!r}"
            )
        hyperparameters = {**self.hyperparameters, **changes}
        return self.replace(hyperparameters=hyperparameters, variant=variant)

    def with_overrides(self, overrides):
        """A copy with settings changed, as by `--set key=value`.

        Args:
            overrides: a mapping. A key is `batch_size`, `seed` or `validate_every`; a
                hyperparameter; a parameter of the data set; a field of every stage
                (`learning_rate`, `time_penalty`, `steps`, `chunk`, …); or a field of one
                stage, counted from 0 (`stages.2.learning_rate`).

        Returns:
            A `Recipe`.

        Raises:
            ValueError: an unknown key, with the nearest known ones.

        Example:

        >>> stage = Stage(steps=10, learning_rate=0.1)
        >>> recipe = Recipe("a", "b", None, {"bits": 64}, {"units": 128}, (stage,), None, 32)
        >>> recipe.with_overrides({"units": 16, "stages.0.steps": 5}).steps
        500
        """
        recipe = self
        for key, value in overrides.items():
            recipe = recipe._with_override(key, value)
        return recipe

    def _with_override(self, key, value):
        stage_fields = [field.name for field in dataclasses.fields(Stage)]
        head, _, rest = key.partition(".")
        index, _, field = rest.partition(".")
        if key in ("batch_size", "seed", "validate_every"):
            return self.replace(**{key: value})
        if key in self.hyperparameters:
            return self.replace(hyperparameters={**self.hyperparameters, key: value})
        if key in self.parameters:
            return self.replace(parameters={**self.parameters, key: value})
        if key in self.training_parameters:
            return self.replace(training_parameters={**self.training_parameters, key: value})
        if key in stage_fields:
            stages = [dataclasses.replace(stage, **{key: value}) for stage in self.stages]
            return self.replace(stages=tuple(stages))
        if head == "stages" and index.isdecimal() and field in stage_fields:
            if int(index) >= len(self.stages):
                raise ValueError(f"{key}: the recipe has the stages 0 to {len(self.stages) - 1}.")
            stages = list(self.stages)
            stages[int(index)] = dataclasses.replace(stages[int(index)], **{field: value})
            return self.replace(stages=tuple(stages))
        known = ["batch_size", "seed", "validate_every", *self.hyperparameters, *self.parameters]
        known += [*self.training_parameters, *stage_fields]
        near = difflib.get_close_matches(key, known) or sorted(known)
        raise ValueError(f"unknown setting {key!r} of {self.name}. Nearest: {', '.join(near)}")

    def scaled(self, factor):
        """A copy whose stages have `factor` times as many steps.

        Raises:
            ValueError: `factor` is not positive.
        """
        if not factor > 0:
            raise ValueError(f"steps_scale must be positive. Received: {factor}")
        stages = [
            dataclasses.replace(stage, steps=max(1, round(stage.steps * factor)))
            for stage in self.stages
        ]
        return self.replace(stages=tuple(stages))

    def to_dict(self):
        """The recipe as plain data for JSON, without the build function."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del fields["build"]
        fields["stages"] = [dataclasses.asdict(stage) for stage in self.stages]
        fields["figure"] = dataclasses.asdict(self.figure) if self.figure else None
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in fields.items()
        }

    @classmethod
    def from_dict(cls, data):
        """The recipe that `to_dict` gave, also after JSON. It cannot be built."""
        stages = []
        for stage in data["stages"]:
            curriculum = stage["curriculum"]
            if curriculum:
                curriculum = {**curriculum, "parameters": tuple(curriculum["parameters"])}
                curriculum = Curriculum(**curriculum)
            bins = tuple(stage.get("bins", ()))
            stages.append(Stage(**{**stage, "curriculum": curriculum, "bins": bins}))
        figure, lengths = data["figure"], data.get("length_parameters")
        if figure:
            figure = Figure(**{**figure, "parameters": tuple(figure["parameters"])})
        return cls(
            **{
                **data,
                "build": None,
                "stages": tuple(stages),
                "figure": figure,
                "differences": tuple(data["differences"]),
                "test_data_seen": tuple(data.get("test_data_seen", ())),
                "length_parameters": tuple(lengths) if lengths else None,
                "search": {name: tuple(tried) for name, tried in data.get("search", {}).items()},
            }
        )
