"""Searches over the settings of a recipe, with KerasTuner.

Each trial trains the recipe once with every seed. Each training has its own folder and can be
resumed; KerasTuner receives the means, and the tables list every training.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import checkpoints
from ...checkpoints.files import remove_temporary_files, write_file, write_json
from ...checkpoints.lock import lock_folder
from .. import families, recipes
from ..recipe import Recipe
from ..training import checkpoint
from . import rows as trials
from .forecast import announce, say
from .space import DEFAULT_METHOD, Range, space_in, space_of, to_json
from .trainings import SHARED, Trainings, checked, kept_in, resumed

NAME = trials.SEARCH
# The default settings of a search.
DEFAULTS = {
    "method": DEFAULT_METHOD,
    "trials": None,
    "seeds": 1,
    "objective": "error",
    "overrides": None,
    "variant": None,
    "steps_scale": None,
    "examples": 1000,
    "seed": 0,
}
# The default number of trials for methods that have no end of their own.
TRIALS = 20


def tuner(
    recipe: str | Recipe,
    out: str | Path | None = None,
    *,
    over: Mapping[str, Any] | None = None,
    resume: bool = False,
    jit_compile: str | bool = "auto",
    **settings: Any,
) -> Any:
    """A KerasTuner search over settings of a recipe, ready for `search()`.

    Every training is kept in `out`, in `trial_<number>/seed-<seed>/`, and all of them in the tables
    `trials.json` and `trials.csv`, which are replaced after each: settings, seed, steps, and the
    measurements on validation data. A training whose loss is not finite counts as an error of 1
    and the largest possible ponder.

    With KerasTuner's variables `KERASTUNER_TUNER_ID`, `KERASTUNER_ORACLE_IP` and
    `KERASTUNER_ORACLE_PORT` set, several processes work on one search; they share `out` and need
    `resume=True`.

    Args:
        recipe: the name of a recipe, or the `Recipe`.
        out: the folder; `runs/<name>_search` by default.
        over: the search space: a mapping from settings to lists of values, to ranges
            (`"1e-4:1e-1"`), or to None for the values that the recipe declares. By default
            all settings that it declares. `tau` is the time penalty.
        resume: continue the search in `out`, if there is one, with its settings; `trials` may be
            larger than before.
        jit_compile: as in `keras.Model.compile`.
        **settings: `method`: `"grid"`, `"random"` (default), `"bayesian"` or `"hyperband"`.
            `trials`: their number; by default the full grid, all trials of Hyperband, or 20.
            `seeds`: trainings of each trial, with the seeds 0, 1, …; default 1.
            `objective`: the quantity to minimise, measured on validation data: `"error"` (default),
            `"ponder"`, another column of the table, or a weighted sum, `{"error": 1, "ponder":
            0.01}`. `overrides`, `variant`, `steps_scale`: of every training, as in `train`.
            `examples`: of each measurement; default 1000. `seed`: of the search method.

    Returns:
        A `keras_tuner.Tuner` with `search()`, `rows()`, `get_best_hyperparameters()`,
        `get_best_models()` and the other methods of KerasTuner's tuners.

    Raises:
        ValueError: an unknown recipe or setting, or an invalid value; with `resume`, a value that
            differs from the search's.
        FileExistsError: `out` already holds a search, and `resume` is False.
    """
    custom = recipe if isinstance(recipe, Recipe) else None
    loaded = recipe if isinstance(recipe, Recipe) else recipes.load(recipe)
    out = Path(out or Path("runs") / f"{loaded.name}_search")
    settings = checked(settings, DEFAULTS, "search")
    with lock_folder(out, shared=trials.has_workers()):
        previous = kept_in(out / NAME, ("recipe", "space", *DEFAULTS), resume, "search")
        if previous:
            if "objective" in settings:
                settings["objective"] = trials.weights_of(settings["objective"])
            if "trials" in settings:
                _check_longer(out, previous["trials"], settings["trials"])
            given = {"recipe": loaded.name, **settings}
            settings = resumed(previous, given, ("trials",), f"{out} holds a search")
            if over is not None:
                same_space(previous, loaded, over, out)
        else:
            settings = new_settings(loaded, over, settings)
        plan = Plan(settings, out, custom, jit_compile)
        if not trials.has_workers():
            remove_temporary_files(out, *out.glob("trial_*"))
        write_json(out / NAME, settings)
        # KerasTuner takes a second to load; commands that only train do not import it.
        from .keras_tuner import RecipeTuner

        return RecipeTuner(plan)


def _check_longer(out, before, trials):
    """Refuse to make a search shorter; `None` trials are all there are."""
    if (math.inf if trials is None else trials) >= (math.inf if before is None else before):
        return
    held = "all trials, which cannot be made shorter"
    if before is not None:
        held = f"{before}, which can be made longer"
    raise ValueError(f"trials: {out} holds a search of {held}. Received: {trials}")


def new_settings(recipe, over, settings):
    """The settings of a new search."""
    settings = {"recipe": recipe.name, **DEFAULTS, **settings}
    settings["space"] = space_given(settings, recipe, over)
    settings["objective"] = trials.weights_of(settings["objective"])
    if settings["trials"] is None and settings["method"] in ("random", "bayesian"):
        settings["trials"] = TRIALS
    return settings


def same_space(previous, recipe, over, out):
    """Refuse to resume a search with another search space."""
    space = space_given(previous, recipe, over)
    if space != previous["space"]:
        raise ValueError(
            f"over (--over and --tau): {out} holds a search over {previous['space']}. "
            f"Received: {space}"
        )


def space_given(settings, recipe, over):
    """The search space of a search with these settings, as plain data."""
    shared = {name: settings[name] for name in SHARED}
    return to_json(space_of(recipe, over, settings["method"], **shared))


class Plan:
    """A search in a folder: the trainings of each trial, and their results.

    Args:
        settings: a dict with `recipe`, `space` and the keys of `DEFAULTS`.
        folder: of the search.
        custom: the `Recipe`, if it is not part of the zoo.
        jit_compile: as in `keras.Model.compile`.
    """

    def __init__(self, settings, folder, custom=None, jit_compile="auto"):
        self.settings, self.folder = settings, Path(folder)
        self.space = space_in(settings)
        recipe = custom or settings["recipe"]
        self.trainings = Trainings(recipe, folder, settings, jit_compile)
        self.recipe = self.trainings.recipe_of()
        trials.check_measured(settings["objective"], self.recipe)

    @property
    def trials(self):
        """The number of trials, or None if it is not known in advance."""
        settings = self.settings
        if settings["method"] != "grid" or any(isinstance(v, Range) for v in self.space.values()):
            return settings["trials"]
        size = math.prod(map(len, self.space.values()))
        return min(size, settings["trials"] or size)

    def announce(self):
        """Print what will be trained, and what is done already."""
        announce(
            self.recipe,
            [f"{name}={value}" for name, value in self.settings["space"].items()],
            (self.trials, "trial" if self.trials else "trials by hyperband"),
            self.settings["seeds"],
            len(self.rows()),
            self.trainings.jit_compile,
            measured=not trials.has_workers(),
        )

    def run_trial(self, trial, overrides, share=1.0, earlier=None):
        """Train with every seed; trainings that are done are not repeated.

        Args:
            trial: the number of the trial, a text.
            overrides: its settings.
            share: of all steps, after which training stops.
            earlier: the number of a trial whose trainings are continued.

        Returns:
            A dict: `objective` and the measurements, as means over the seeds.
        """
        done = {(row["trial"], row["seed"]): row for row in self.rows()}
        rows = []
        for seed in range(self.settings["seeds"]):
            row = done.get((trial, seed))
            if row is None:
                total = self.trials or "?"
                say(
                    f"trial {int(trial) + 1} of {total}, seed {seed + 1} of "
                    f"{self.settings['seeds']}: {describe(overrides)}"
                )
                row = self.same(done.values(), trial, overrides, share, seed)
                row = row or self.train(trial, overrides, share, seed, earlier)
                trials.add(self.folder, row)
            rows.append(row)
        objective = trials.mean(row["objective"] for row in rows)
        best = trials.ranking(self.rows(), self.settings["seeds"])[0]
        say(
            f"trial {int(trial) + 1}: objective {objective:g}; the best is {best['objective']:g}, "
            f"of trial {int(best['trial']) + 1}"
        )
        return {"objective": objective, **trials.means(rows)}

    def same(self, done, trial, overrides, share, seed):
        """The row of an earlier training with the same settings, as a row of this trial."""
        for row in done:
            if (row["overrides"], row["share"], row["seed"]) == (overrides, share, seed):
                folder = f"trial_{trial}/seed-{seed}"
                (self.folder / folder).mkdir(parents=True, exist_ok=True)
                return {**row, "trial": trial, "folder": folder}
        return None

    def train(self, trial, overrides, share, seed, earlier):
        """Train with one seed, or resume that training; returns the row of the training."""
        place = f"trial_{trial}/seed-{seed}"
        folder, limit = self.folder / place, None
        if earlier is not None and not checkpoints.exists(folder):
            before = checkpoint.latest(self.folder / f"trial_{earlier}" / f"seed-{seed}")
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / checkpoint.NAME, before.path.read_bytes())
        if share < 1:
            limit = math.ceil(share * self.trainings.recipe_of(overrides).steps)
        outcome = self.trainings.train(place, seed, overrides, until_step=limit)
        row = {"trial": trial, "seed": seed, "overrides": overrides, "share": share}
        row |= {"folder": place, "trained_in": place, **outcome.row()}
        if outcome.error is None:
            family = families.of(outcome.run.recipe)
            metrics = family.selection_metrics(outcome.run, self.settings["examples"])
            row |= trials.measurements_of(metrics)
        else:
            say(outcome.error)
        row["objective"] = trials.score(row, self.settings["objective"], self.recipe)
        return row

    def rows(self):
        """All trainings so far, as in `trials.json`."""
        return trials.rows(self.folder)

    def write_tables(self):
        """Write the tables once more, with the rows of all workers."""
        trials.write_tables(self.folder)

    def model_of(self, trial):
        """The model of the best seed of a trial."""
        rows = [row for row in self.rows() if row["trial"] == trial]
        if not rows:
            raise ValueError(f"trial {trial} has not been trained yet")
        best = min(rows, key=lambda row: row["objective"])
        return self.trainings.restore(best["trained_in"]).model


def describe(overrides):
    """Settings as text."""
    return ", ".join(f"{name}={value}" for name, value in overrides.items())
