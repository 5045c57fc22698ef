"""A recipe: how one model of the zoo is trained, as data and one build function."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from ..datasets.arguments import nearest
from . import recipe_check, settings
from .stage import Curriculum, Figure, Stage

__all__ = ["Curriculum", "Figure", "Recipe", "Stage"]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Everything that decides how an entry of the zoo is trained.

    Args:
        name: the name of the entry, of its folder and of its file in `zoo/recipes/`.
        dataset: the name of the data set.
        build: the name of one of its family's `networks`; or a function of the recipe that returns
            a `keras.Model`, not compiled.
        parameters: the data set's parameters that the finished model is measured on.
        training_parameters: those that differ during all of the training.
        hyperparameters: of the network and the optimizer, for `build` and `train`.
        stages: the `Stage`s, in order.
        figure: the `Figure` of the entry's card.
        batch_size: examples in each batch, of the stages that have no other number.
        seed: of the initial weights and of the training data.
        validate_every: steps between two measurements on validation data, in the stages that have
            no other number.
        task: one paragraph on the task, for the card.
        paper: what the paper reports: `cell`, `error`, `error_without_act`, each a text.
        differences: how the training differs from the paper's, one sentence each.
        test_data_seen: what was known about test data when something was changed, one sentence
            each.
        family: the kind of network, a folder of `zoo/families/`.
        length_parameters: names of the data set's parameters for the smallest and the largest
            length, used by stages with bins.
        scouted_stages: the number of stages that are trained with each seed before the best seed is
            chosen.
        variant: `"act"`, `"plain"` (one step for each input, no halting), or `"fixed-k"`.
        search: the default search space: a mapping from settings, as in `with_overrides`, to tuples
            of values.
    """

    name: str
    dataset: str
    build: str | Callable[..., Any] | None
    parameters: Mapping[str, Any]
    hyperparameters: Mapping[str, Any]
    stages: tuple[Stage, ...]
    figure: Figure | None
    batch_size: int
    seed: int = 0
    validate_every: int = 5000
    training_parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    task: str = ""
    paper: Mapping[str, str] = dataclasses.field(default_factory=dict)
    differences: tuple[str, ...] = ()
    test_data_seen: tuple[str, ...] = ()
    variant: str = "act"
    family: str = "act"
    length_parameters: tuple[str, str] | None = None
    search: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    scouted_stages: int = 1

    @property
    def steps(self) -> int:
        """Training steps of all stages (the most, where there is a curriculum)."""
        return sum(stage.chunks * stage.chunk for stage in self.stages)

    @property
    def largest_length(self) -> int:
        """The largest number of symbols, vectors or operations in a training example.

        Raises:
            TypeError: the recipe has no `length_parameters`.
        """
        if self.length_parameters is None:
            raise TypeError(f"{self.name} has no lengths")
        known = self.parameters[self.length_parameters[1]]
        return max([known, *(most for stage in self.stages for most in stage.bins)])

    def stop_of(self, curriculum: Curriculum) -> int:
        """The last value of `curriculum`, an integer."""
        stop = curriculum.stop
        return self.parameters[stop] if isinstance(stop, str) else stop

    def batch_size_at(self, stage: Stage) -> int:
        """The number of examples in a training batch of one of `stages`."""
        return stage.batch_size or self.batch_size

    def built_at(self, stage: Stage) -> Self:
        """The recipe of the network as it is during one of `stages`."""
        if not stage.hyperparameters:
            return self
        return self.replace(hyperparameters={**self.hyperparameters, **stage.hyperparameters})

    def parameters_at(
        self, stage: Stage, level: int | None = None, index: int = 0
    ) -> dict[str, Any]:
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
            parameters[name] = level if level is None or limit is None else min(level, limit)
        if stage.bins and self.length_parameters is not None:
            least, largest = self.length_parameters
            place = index % len(stage.bins)
            parameters[largest] = stage.bins[place]
            if place:
                parameters[least] = stage.bins[place - 1] + 1
        return parameters

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def with_variant(self, variant: str) -> Self:
        """The same training with another halting rule.

        Args:
            variant: `"act"`, `"plain"`, or `"fixed-k"` with a whole number k ≥ 1.

        Returns:
            A `Recipe`.

        Raises:
            ValueError: an unknown variant, or a network without a halting rule.
        """
        if variant == self.variant:
            return self
        if "halting" not in self.hyperparameters:
            raise ValueError(
                f"variant needs a network with a halting rule, which {self.name} does not have. "
                f"Received: {variant!r}"
            )
        word, _, steps = variant.partition("-") if isinstance(variant, str) else ("", "", "")
        changes: dict[str, Any]
        if variant == "act":
            changes = {"halting": "act", "fixed_steps": None}
        elif variant == "plain":
            changes = {"halting": "fixed", "fixed_steps": 1}
        elif word == "fixed" and steps.isascii() and steps.isdecimal() and steps[0] != "0":
            changes = {"halting": "fixed", "fixed_steps": shortened(steps)}
        else:
            raise ValueError(
                'variant must be "act", "plain" or "fixed-k" with a whole number k ≥ 1. '
                f"Received: {variant!r}"
            )
        settings.HYPERPARAMETERS["fixed_steps"].check("k of fixed-k", changes["fixed_steps"])
        hyperparameters = {**self.hyperparameters, **changes}
        return self.replace(hyperparameters=hyperparameters, variant=variant)

    def with_overrides(self, overrides: Mapping[str, Any]) -> Self:
        """A copy with settings changed, as by `--set key=value`.

        Args:
            overrides: a mapping. A key is `batch_size`, `seed` or `validate_every`; a
                hyperparameter; a parameter of the data set; a field of every stage
                (`learning_rate`, `time_penalty`, `steps`, `chunk`, …); or a field of one
                stage, counted from 0 (`stages.2.learning_rate`); see `full_name`.
                `zoo.settings` has what each may be.

        Returns:
            A `Recipe`.

        Raises:
            ValueError: an unknown key (the message has the nearest ones), an invalid value, or
                settings that contradict each other.

        Example:

        >>> from keras_adaptive.zoo import recipes
        >>> recipe = recipes.load("act_parity").with_overrides({"units": 16, "stages.0.steps": 5})
        >>> recipe.hyperparameters["units"], recipe.stages[0].steps
        (16, 5)
        """
        if not isinstance(overrides, Mapping):
            raise ValueError(f"overrides must be a mapping. Received: {overrides!r}")
        recipe = self
        for key, value in overrides.items():
            recipe = recipe._with_override(key, value)
        if overrides:
            recipe_check.check(recipe, map(self.full_name, overrides))
        return recipe

    def full_name(self, name: str) -> str:
        """The setting that a name means, for training and search alike.

        `tau` stands for `time_penalty`. If the recipe declares the time penalty of one stage for
        searches, both names mean the one of that stage, not that of all stages.

        Example:

        >>> from keras_adaptive.zoo import recipes
        >>> recipes.load("act_parity").full_name("tau"), recipes.load("act_sort").full_name("tau")
        ('stages.1.time_penalty', 'time_penalty')
        """
        if name not in ("tau", "time_penalty"):
            return name
        declared = [known for known in self.search if known.endswith(".time_penalty")]
        return declared[0] if len(declared) == 1 else "time_penalty"

    def check_setting(self, key: str, value: Any) -> None:
        """Refuse an unknown setting, or an invalid value.

        Raises:
            ValueError: see `with_overrides`.
        """
        key = self.full_name(key)
        self._stages_of(key)
        setting = settings.setting_of(self, key)
        if setting is not None:
            setting.check(key, value)

    def _with_override(self, key: str, value: Any) -> Self:
        self.check_setting(key, value)
        key = self.full_name(key)
        if key in settings.RECIPE:
            return self.replace(**{key: value})
        for kind in ("hyperparameters", "parameters", "training_parameters"):
            if key in getattr(self, kind):
                return self.replace(**{kind: {**getattr(self, kind), key: value}})
        stages, field = self._stages_of(key), key.rsplit(".", 1)[-1]
        value = tuple(value) if field == "bins" else value
        return self.replace(
            stages=tuple(
                dataclasses.replace(stage, **{field: value}) if index in stages else stage
                for index, stage in enumerate(self.stages)
            )
        )

    def _stages_of(self, key: str) -> Sequence[int]:
        """The indices of the stages that a key changes.

        Raises:
            ValueError: the key is unknown.
        """
        others: set[str] = {*settings.RECIPE, *self.hyperparameters, *self.parameters}
        others |= {*self.training_parameters}
        if key in others:
            return ()
        if key in settings.STAGE:
            return range(len(self.stages))
        head, _, rest = str(key).partition(".")
        index, _, field = rest.partition(".")
        if head == "stages" and index.isascii() and index.isdecimal() and field in settings.STAGE:
            if len(index) < 10 and int(index) < len(self.stages):
                return (int(index),)
            raise ValueError(f"{key}: the recipe has the stages 0 to {len(self.stages) - 1}.")
        near = nearest(field or key, sorted({*others, *settings.STAGE}))
        raise ValueError(f"unknown setting {key!r} of {self.name}. Nearest: {near}")

    def scaled(self, factor: float) -> Self:
        """A copy whose stages have `factor` times as many steps.

        Raises:
            ValueError: `factor` is not positive, or not finite.
        """
        settings.check_option("steps_scale", factor)
        stages = [
            dataclasses.replace(stage, steps=max(1, round(stage.steps * factor)))
            for stage in self.stages
        ]
        return self.replace(stages=tuple(stages))

    def configured(
        self,
        *,
        variant: str | None = None,
        overrides: Mapping[str, Any] | None = None,
        steps_scale: float | None = None,
        seed: int | None = None,
    ) -> Self:
        """A copy with the settings of a training; None leaves a setting as it is.

        Args:
            variant: as in `with_variant`.
            overrides: as in `with_overrides`.
            steps_scale: as in `scaled`.
            seed: replaces the recipe's.

        Returns:
            A `Recipe`.

        Raises:
            ValueError: see these methods.
        """
        for name in ("halting", "fixed_steps"):
            if variant not in (None, "act") and name in (overrides or {}):
                raise ValueError(f"{name} is what variant {variant!r} sets: give one of the two")
        recipe = self if variant is None else self.with_variant(variant)
        recipe = recipe.with_overrides(overrides or {})
        recipe = recipe if steps_scale is None else recipe.scaled(steps_scale)
        return recipe if seed is None else recipe.with_overrides({"seed": seed})

    def to_dict(self) -> dict[str, Any]:
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
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The recipe of a dict from `to_dict`, also read from JSON. It cannot be built."""
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


def shortened(digits: str) -> int:
    """The integer that digits spell; of more than 20 digits only the first 20, which are too many
    for any setting."""
    return int(digits[:20])
