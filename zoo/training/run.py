"""A training in a folder: its recipe, model, position and history."""

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import keras

from ... import checkpoints, datasets
from ...backend import accelerator
from ...checkpoints.files import csv_text, write_file
from ...initial_weights import copy_weights
from ...weight_averages import use_averages
from .. import families
from ..recipe import Recipe, Stage
from ..recipes import configure
from . import checkpoint
from .checkpoint import Position

STEPS_PER_EXECUTION = 20
# Columns of every history, before those of its family.
COLUMNS = ("step", "stage", "seconds", "level", "learning_rate", "time_penalty", "loss")


@dataclasses.dataclass
class Run:
    """A training in a folder: its recipe, model, position and history.

    `accelerator` is the processor that it began on, if not a CPU; `source` is the file that it was
    restored from, `saved` the step of its last checkpoint. `built_for` is the number of the stage
    whose network `model` is, and `jit_compile` as in `keras.Model.compile`.
    """

    recipe: Recipe
    model: keras.Model
    folder: Path
    settings: dict[str, Any]
    position: Position
    history: list[dict[str, Any]]
    backend: str = dataclasses.field(default_factory=keras.backend.backend)
    accelerator: str | None = dataclasses.field(default_factory=accelerator)
    source: Path | None = None
    saved: int = 0
    built_for: int = 0
    jit_compile: bool | str = "auto"

    @property
    def stage(self) -> Stage:
        """The current stage."""
        return self.recipe.stages[self.position.stage]

    def grow(self) -> bool:
        """Give the weights to the network of the current stage; whether it is another one."""
        before, self.built_for = self.recipe.stages[self.built_for], self.position.stage
        recipe, trained = self.recipe.built_at(self.stage), self.model
        if recipe == self.recipe.built_at(before):
            return False
        use_averages(trained)
        self.model = network(recipe, self.jit_compile, self.settings.get("precision"))
        copy_weights(self.model, trained)
        return True

    def save(self, folder: Path | None = None) -> None:
        """Write checkpoint and history; by default into the folder of the training."""
        own = folder is None
        folder = self.folder if folder is None else folder
        folder.mkdir(parents=True, exist_ok=True)
        state = {
            "settings": self.settings,
            "position": dataclasses.asdict(self.position),
            "history": self.history,
            "keras": keras.__version__,
            "backend": self.backend,
            "accelerator": self.accelerator,
        }
        checkpoints.save(folder / checkpoint.NAME, self.model, state)
        write_file(folder / "history.csv", table(self.history, families.of(self.recipe)))
        if own:
            self.saved = self.position.step


def table(history: Iterable[Mapping[str, Any]], family: Any) -> str:
    """Rows of a history as the text of a CSV file, with the columns of a family."""
    return csv_text(history, (*COLUMNS, *family.columns), strict=True)


def start(
    recipe: Recipe,
    folder: str | Path,
    settings: dict[str, Any],
    jit_compile: bool | str = "auto",
    precision: str | None = None,
    stage: int = 0,
) -> Run:
    """A run at step 0, with the network of a stage.

    The model has a dtype policy, `precision`; None is Keras's own.
    """
    model = network(recipe.built_at(recipe.stages[stage]), jit_compile, precision)
    run = Run(recipe, model, Path(folder), settings, Position(), [])
    run.built_for, run.jit_compile = stage, jit_compile
    return run


def network(recipe: Recipe, jit_compile: bool | str, precision: str | None) -> keras.Model:
    """The compiled network of a recipe, with initial weights."""
    # Initializers of Keras draw from its global generator.
    keras.utils.set_random_seed(recipe.seed)
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy(precision or policy)
    try:
        model = families.of(recipe).build()
    finally:
        keras.config.set_dtype_policy(policy)
    # Keras's trainer on torch takes one step at a time.
    steps = 1 if keras.config.backend() == "torch" else STEPS_PER_EXECUTION
    families.of(recipe).compile(model, jit_compile, steps)
    return model


def symbols_of(recipe: Recipe) -> list[str] | None:
    """The digests of the symbols that a data set learns from its text; None for all others."""
    digest = getattr(datasets.task(recipe.dataset), "digest", None)
    return None if digest is None else digest(**recipe.parameters)


def restore(
    folder: str | Path,
    settings: Mapping[str, Any] | None = None,
    recipe: Recipe | None = None,
    jit_compile: bool | str = "auto",
    to_train: bool = False,
) -> Run:
    """The run in a folder, restored from its last checkpoint.

    Args:
        folder: the argument `out` of `train`.
        settings: settings that replace those of the run; None keeps a setting.
        recipe: the `Recipe` that was trained, if it is not part of the zoo.
        jit_compile: as in `keras.Model.compile`.
        to_train: whether the model has the precision of its training.

    Returns:
        A `Run`.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: the checkpoint is damaged, or of another network; or the data set's symbols are
            no longer those of the training.
    """
    saved = checkpoint.latest(folder)
    if saved.instead:
        print(f"{saved.instead}; taking the one before it", file=sys.stderr)
    state = saved.state
    merged = state["settings"]
    for key, value in (settings or {}).items():
        if not value and key == "overrides":
            continue
        if key == "overrides":
            # Later names win, where two mean the same.
            kept = {name: old for name, old in (merged[key] or {}).items() if name not in value}
            merged[key] = {**kept, **value}
        elif key == "recipe" and value != merged[key]:
            raise ValueError(f"{folder} holds a training of {merged[key]}, not of {value}")
        elif value is not None:
            merged[key] = value
    precision = merged.get("precision") if to_train else None
    position, recipe = Position(**state["position"]), configure(merged, recipe)
    if position.stage >= len(recipe.stages):
        raise ValueError(
            f"{saved.path} is of stage {position.stage}, and {recipe.name} has "
            f"{len(recipe.stages)}"
        )
    run = start(recipe, folder, merged, jit_compile, precision, position.trained_stage)
    known = merged.get("symbols")
    if known is not None and known != symbols_of(run.recipe):
        raise ValueError(
            f"{folder} was trained on other symbols than those of {run.recipe.dataset} here: its "
            "text, or the library that learns subwords from it, has changed"
        )
    run.position = position
    checkpoints.restore(saved, run.model)
    run.history = state["history"]
    run.backend, run.accelerator = state["backend"], state.get("accelerator")
    run.source, run.saved = saved.path, run.position.step
    return run


def resume_position(run: Run) -> None:
    """Adapt the position of a resumed training to its recipe, which may have changed.

    A finished training continues if stages were added or its last stage was made longer. A training
    past the end of a stage that was made shorter continues with the next stage, or is finished.
    """
    position, last = run.position, len(run.recipe.stages) - 1
    if not position.done:
        if position.stage_step >= run.stage.chunks * run.stage.chunk:
            position.stage_step, position.level = 0, None
            position.done = position.stage == last
            position.stage = min(position.stage + 1, last)
        return
    done = sum(row["stage"] == last for row in run.history)
    if position.stage < last:
        position.stage, position.done = position.stage + 1, False
    elif run.stage.curriculum is None and done < run.stage.chunks:
        position.stage_step, position.done = done * run.stage.chunk, False
