"""The variants of a study: the settings that are compared, each with several seeds."""

import dataclasses
import math

from ...datasets.settings import Integer
from ..settings import HYPERPARAMETERS, STAGE
from .space import full_name

# The file of a study.
STUDY = "study.json"
# From settings of a study to descriptions of their values.
KINDS = {
    "plain": "1 for trainings without ACT",
    "fixed": "numbers of steps per input",
    "tau": "time penalties",
    "sampled": "time penalties of networks whose last step is drawn",
    "targets": "target mean numbers of steps",
}
DEFAULTS = {
    "tau": (0.1, 0.01, 0.001, 0.0001),
    "plain": (1,),
    "fixed": (5,),
    "sampled": (),
    "targets": (5,),
    "seeds": 3,
    "overrides": None,
    "steps_scale": None,
    "examples": 1000,
}
# The allowed values of each kind.
VALUES = {
    "plain": Integer("without ACT", 1, 1),
    "fixed": HYPERPARAMETERS["fixed_steps"],
    "tau": STAGE["time_penalty"],
    "sampled": STAGE["time_penalty"],
    "targets": dataclasses.replace(HYPERPARAMETERS["target_ponder"], none=False),
}
# Settings that the variants have.
OF_VARIANTS = ("halting", "fixed_steps", "target_ponder", "time_penalty")


@dataclasses.dataclass(frozen=True)
class Variant:
    """One of the settings that a study compares.

    Args:
        kind: one of `KINDS`.
        value: the time penalty, or a number of steps.
        recipe_variant: as in `Recipe.with_variant`.
        overrides: as in `Recipe.with_overrides`.
    """

    kind: str
    value: float
    recipe_variant: str
    overrides: dict

    @property
    def name(self):
        """The name of its folder."""
        return "plain" if self.kind == "plain" else f"{self.kind}-{self.value:.12g}"

    @property
    def label(self):
        """Its name in figures and tables."""
        shown = {
            "plain": "no ACT",
            "fixed": "{:g} steps",
            "tau": "τ = {:g}",
            "sampled": "sampled, τ = {:g}",
            "targets": "N → {:g}",
        }
        return shown[self.kind].format(self.value)


def defaults_of(recipe):
    """The settings of a study of a recipe, whose targets are not above its most steps.

    Example:

    >>> from keras_adaptive.zoo import recipes
    >>> [defaults_of(recipes.load(name))["targets"] for name in ("act_sort", "pondernet_parity")]
    [[5], []]
    """
    most = recipe.hyperparameters.get("max_ponder", math.inf)
    return {**DEFAULTS, "targets": [target for target in DEFAULTS["targets"] if target <= most]}


def variants_of(recipe, settings):
    """The variants that the settings of a study name.

    Args:
        recipe: the `Recipe`.
        settings: a mapping from each of `KINDS` to a list of values; `overrides`, what every
            training has as in `Recipe.with_overrides`, may be among them.

    Returns:
        A list of `Variant`, in the order of `KINDS`, time penalties falling.

    Raises:
        ValueError: an invalid or repeated value, no variant at all, or a setting of every training
            that a variant would change.

    Example:

    >>> from keras_adaptive.zoo import recipes
    >>> settings = {"plain": [1], "fixed": [4], "tau": [0.001, 0.01], "sampled": [], "targets": []}
    >>> [variant.label for variant in variants_of(recipes.load("act_sort"), settings)]
    ['no ACT', '4 steps', 'τ = 0.01', 'τ = 0.001']
    """
    variants, overrides = [], settings.get("overrides") or {}
    names = {full_name(recipe, name) for name in overrides}
    for name in sorted(names & {*OF_VARIANTS, full_name(recipe, "tau")}):
        raise ValueError(f"{name} differs between the trainings of a study, and cannot be set")
    for kind in KINDS:
        for value in settings[kind]:
            VALUES[kind].check(kind, value)
        values = sorted(settings[kind], reverse=kind in ("tau", "sampled"))
        if len(set(values)) < len(values):
            raise ValueError(f"{kind} has a value twice. Received: {list(settings[kind])}")
        for value in values:
            variant = Variant(kind, value, *changes(recipe, kind, value))
            # Invalid settings are refused before the first training.
            try:
                chosen = recipe.with_variant(variant.recipe_variant)
                chosen.with_overrides({**overrides, **variant.overrides})
            except (TypeError, ValueError) as error:
                raise ValueError(f"{kind}={value!r}: {error}") from error
            variants.append(variant)
    if not variants:
        raise ValueError("a study needs at least one time penalty, or another variant")
    return variants


def changes(recipe, kind, value):
    """Variant and overrides of a variant."""
    if kind == "plain":
        return "plain", {}
    if kind == "fixed":
        return f"fixed-{value}", {}
    if kind == "targets":
        return "act", {"target_ponder": value}
    rule = {"halting": "sampled"} if kind == "sampled" else {}
    return "act", {**rule, full_name(recipe, "tau"): value}
