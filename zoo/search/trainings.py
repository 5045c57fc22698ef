"""Many trainings of one recipe, as searches, studies and the choice of a seed need them.

Each training has its own folder, is resumed where it stopped, and runs only once. The settings of
all trainings are saved in their folder, and must be the same when they are resumed.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import keras

from ... import checkpoints
from ...checkpoints.files import read_json
from ..recipe import Recipe
from ..settings import check_option, plain
from ..training import checkpoint
from ..training.run import Run, configure, restore
from ..training.train import train

# Settings of every training; those of a single training take precedence.
SHARED = ("overrides", "variant", "steps_scale")


@dataclasses.dataclass
class Outcome:
    """The outcome of a training.

    Attributes:
        folder: of the training.
        steps, seconds: the duration of the training.
        error: why it ended early, if a value was not finite; otherwise None.
        recipe: the `Recipe`, if it is not part of the zoo; otherwise None.
    """

    folder: Path
    steps: int
    seconds: float
    error: str | None
    _run: Run | None
    recipe: Recipe | None

    @property
    def run(self) -> Run:
        """The `Run`; if the training diverged, that of its last good checkpoint."""
        if self._run is None:
            self._run = restore(self.folder, recipe=self.recipe)
        return self._run

    def row(self) -> dict[str, Any]:
        """The columns of tables on the training itself, besides settings and measurements."""
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "diverged": self.error is not None,
        }


class Trainings:
    """Trainings of a recipe in subfolders of a folder.

    Args:
        recipe: the name of a recipe, or a `Recipe` that is not part of the zoo.
        folder: where the folders of the trainings lie.
        settings: the settings of all trainings; only those in `SHARED` are used.
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
        """Trains with a seed, or resumes that training.

        Args:
            place: its folder, below that of all.
            seed: of the training.
            overrides: settings of this training alone.
            **settings: further arguments of `training.train.train`.

        Returns:
            An `Outcome`, also if the training diverged.
        """
        # Frees the memory of earlier models.
        keras.backend.clear_session()
        folder = self.folder / place
        folder.mkdir(parents=True, exist_ok=True)
        options = {**self.settings, "jit_compile": self.jit_compile, **settings}
        options["overrides"] = self._overrides(overrides)
        try:
            run = train(
                self.recipe, folder, resume=checkpoints.exists(folder), seed=seed, **options
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
    """The settings that were given, as JSON gives them back, without those that are None.

    Args:
        settings: those that were given.
        defaults: a value for each setting that there is.
        kind: of work that has these settings, such as `"study"`, for the message.

    Raises:
        ValueError: an unknown setting, or an invalid number.
    """
    unknown = sorted(set(settings) - set(defaults))
    if unknown:
        raise ValueError(f"unknown setting {unknown[0]!r}; a {kind} has {', '.join(defaults)}")
    received = {name: plain(value) for name, value in settings.items() if value is not None}
    for name in ("trials", "seeds", "examples", "steps_scale", "seed"):
        check_option(name, received.get(name))
    if not isinstance(received.get("overrides", {}), Mapping):
        raise ValueError(f"overrides must be a mapping. Received: {received['overrides']!r}")
    if "seed" in received.get("overrides", {}):
        raise ValueError("overrides: each training has a seed of its own, see `seeds`")
    return received


def kept_in(path: Path, keys: Iterable[str], resume: bool, kind: str) -> dict[str, Any] | None:
    """The data that an earlier work of a kind saved in a file; None if there is none.

    Raises:
        ValueError: the file is damaged.
        FileExistsError: the file exists, and `resume` is False.
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
    """The settings of a search, a study or the choice of a seed that is resumed.

    Args:
        kept: its saved settings.
        given: the settings given now.
        may_change: names of settings that may differ.
        where: the folder and what it holds, for the message.

    Raises:
        ValueError: another setting differs.
    """
    for name, value in given.items():
        if name not in may_change and value != kept[name]:
            raise ValueError(f"{name}: {where} with {kept[name]!r}. Received: {value!r}")
    return {**kept, **given}
