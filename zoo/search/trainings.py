"""Many trainings of one recipe: what searches, studies and the choice of a seed share.

Each training lies in a folder of its own, is resumed where it stopped, and is done once; what was
asked is kept in a file of the folder, and a resumed work must be asked the same.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import keras

from ... import checkpoints
from ...checkpoints.files import read_json
from ..recipe import Recipe
from ..settings import check_option
from ..training import checkpoint
from ..training.run import Run, configure, restore
from ..training.train import train

# Settings of every training: they are changed by those of a single one.
SHARED = ("overrides", "variant", "steps_scale")


@dataclasses.dataclass
class Outcome:
    """What became of a training.

    Attributes:
        folder: of the training.
        steps, seconds: how long it was trained.
        error: why it ended early, where something was not finite; else None.
        recipe: the `Recipe`, if it is none of the zoo, else None.
    """

    folder: Path
    steps: int
    seconds: float
    error: str | None
    _run: Run | None
    recipe: Recipe | None

    @property
    def run(self) -> Run:
        """The `Run`: where the training diverged, its last good checkpoint."""
        if self._run is None:
            self._run = restore(self.folder, recipe=self.recipe)
        return self._run

    def row(self) -> dict[str, Any]:
        """What tables say of the training, beside its settings and what was measured."""
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "diverged": self.error is not None,
        }


class Trainings:
    """Trainings of a recipe in the folders of one.

    Args:
        recipe: the name of a recipe, or a `Recipe` that is none of the zoo.
        folder: where the folders of the trainings lie.
        settings: what all of them have; of it, those of `SHARED` count.
        jit_compile: as in `keras.Model.compile`.
    """

    def __init__(
        self,
        recipe: str | Recipe,
        folder: str | Path,
        settings: Mapping[str, Any],
        jit_compile: bool | str = "auto",
    ):
        self.recipe, self.folder, self.jit_compile = recipe, Path(folder), jit_compile
        self.custom = None if isinstance(recipe, str) else recipe
        self.settings = {name: settings.get(name) for name in SHARED}

    def recipe_of(self, overrides: Mapping[str, Any] | None = None) -> Recipe:
        """The recipe of a training with these settings."""
        name = self.recipe if isinstance(self.recipe, str) else self.recipe.name
        changed = {**self.settings, "overrides": self._overrides(overrides)}
        return configure({"recipe": name, "seed": None, **changed}, self.custom)

    def train(
        self,
        place: str | Path,
        seed: int,
        overrides: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Outcome:
        """Trains with a seed, or goes on with that training.

        Args:
            place: its folder, below that of all.
            seed: of the training.
            overrides: settings that it alone has.
            **settings: others, as of `training.train.train`.

        Returns:
            An `Outcome`; also where the training diverged.
        """
        # Many models are built.
        keras.backend.clear_session()
        folder = self.folder / place
        folder.mkdir(parents=True, exist_ok=True)
        given = {**self.settings, "jit_compile": self.jit_compile, **settings}
        given["overrides"] = self._overrides(overrides)
        try:
            run = train(
                self.recipe, folder, resume=checkpoints.exists(folder), seed=seed, **given
            )
        except FloatingPointError as error:
            at = checkpoint.latest(folder).state["position"]
            return Outcome(folder, at["step"], at["seconds"], str(error), None, self.custom)
        at = run.position
        return Outcome(folder, at.step, at.seconds, None, run, self.custom)

    def restore(self, place: str | Path) -> Run:
        """The training in a folder, below that of all."""
        return restore(self.folder / place, recipe=self.custom)

    def _overrides(self, overrides):
        return {**(self.settings["overrides"] or {}), **(overrides or {})}


def checked(settings: Mapping[str, Any], defaults: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The settings that were given, without those that are None.

    Args:
        settings: those that were given.
        defaults: a value for each setting that there is.
        kind: of what they are, `"search"` or `"study"`.

    Raises:
        ValueError: an unknown setting, or a number that cannot be.
    """
    unknown = sorted(set(settings) - set(defaults))
    if unknown:
        raise ValueError(f"unknown setting {unknown[0]!r}; a {kind} has {', '.join(defaults)}")
    given = {name: value for name, value in settings.items() if value is not None}
    for name in ("trials", "seeds", "examples", "steps_scale", "seed"):
        check_option(name, given.get(name))
    return given


def kept_in(path: Path, keys: Iterable[str], resume: bool, kind: str) -> dict[str, Any] | None:
    """What an earlier work kept in a file; None if there is none.

    Raises:
        ValueError: the file is damaged.
        FileExistsError: there is one, and it is not to be resumed.
    """
    kept = read_json(path, keys)
    if kept and not resume:
        raise FileExistsError(
            f"{path.parent} already holds a {kind}. Resume it, or choose another folder."
        )
    return kept


def resumed(
    kept: Mapping[str, Any], given: Mapping[str, Any], may_change: Collection[str], where: str
) -> dict[str, Any]:
    """The settings of a work that is resumed.

    Args:
        kept: those that it had.
        given: those that are given now.
        may_change: names of those that may differ.
        where: what it is and in which folder, for the message.

    Raises:
        ValueError: another one differs.
    """
    for name, value in given.items():
        if name not in may_change and value != kept[name]:
            raise ValueError(f"{name}: {where} with {kept[name]!r}. Received: {value!r}")
    return {**kept, **given}


