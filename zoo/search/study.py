"""A study of one recipe: many time penalties and seeds, with and without ACT, and their figures.

Each training has its own folder and can be resumed. The settings are saved in one file before the
first training, the measurements after every one, and the figures are drawn from this file alone.
"""

import json
from pathlib import Path
from typing import Any

from ...checkpoints.files import csv_text, remove_temporary_files, write_file
from ...checkpoints.lock import lock_folder
from .. import families, recipes
from ..evaluate import evaluate
from ..recipe import Recipe
from . import study_table
from .forecast import announce, say
from .trainings import Trainings, checked, kept_in, resumed
from .variants import DEFAULTS, KINDS, STUDY, defaults_of, variants_of

NAME = STUDY
# Settings that may grow when a study is resumed.
GROWING = (*KINDS, "seeds")


def study(
    recipe: str | Recipe,
    out: str | Path | None = None,
    *,
    resume: bool = False,
    jit_compile: str | bool = "auto",
    **settings: Any,
) -> dict[str, Any]:
    """Train a recipe with many time penalties and seeds, measure each training, and draw figures.

    The trainings are those with each τ, those without ACT (one step for each input), those with a
    fixed number of steps, those that sample their last step instead of averaging, and those whose τ
    is adapted to a target number of steps. All start from the same seeds and are measured on the
    same test examples. `out` receives a folder for each training, the measurements in
    `study.json` and `study.csv`, and the figures.

    Args:
        recipe: the name of a recipe with adaptive computation time, or the `Recipe`.
        out: the folder; `runs/<name>_study` by default.
        resume: continue the study in `out`, if there is one. More seeds, time penalties, fixed
            numbers of steps and targets may be given, beside the earlier ones; other settings must
            be the same. Finished trainings are not repeated, so a finished study is only drawn
            again.
        jit_compile: as in `keras.Model.compile`.
        **settings: `tau`: time penalties, default (0.1, 0.01, 0.001, 0.0001); the paper's grid is
            `space.TIME_PENALTIES`. `plain`: `(1,)` trains without ACT too, `()` does not. `fixed`:
            fixed numbers of steps, default (5,). `sampled`: time penalties of networks with
            `halting.Sampled`, default (). `targets`: target mean numbers of steps, default (5,) if
            the recipe allows so many. `seeds`: their number, default 3; the paper has 20.
            `overrides`, `steps_scale`: of every training, as in `train`. `examples`: of each
            measurement, and at each difficulty; default 1000.

    Returns:
        The contents of `study.json`: `recipe`, `settings`, `rows` (one a training) and `sequences`.

    Raises:
        ValueError: a recipe without ACT, an unknown setting, an invalid value, or with
            `resume` a value that differs from the study's.
        FileExistsError: `out` already holds a study, and `resume` is False.

    Source: Graves (2016), section 3, Figures 4 to 20.
    """
    custom = recipe if isinstance(recipe, Recipe) else None
    loaded = recipe if isinstance(recipe, Recipe) else recipes.load(recipe)
    if "halting" not in loaded.hyperparameters or loaded.figure is None:
        raise ValueError(f"{loaded.name} has no figure of the paper to draw")
    out = Path(out or Path("runs") / f"{loaded.name}_study")
    settings = checked(settings, DEFAULTS, "study")
    for name in KINDS:
        if not isinstance(settings.get(name, ()), (list, tuple)):
            raise ValueError(f"{name} must be a list of numbers. Received: {settings[name]!r}")
    with lock_folder(out):
        data = kept_in(out / NAME, ("recipe", "settings", "rows"), resume, "study")
        if data:
            study_table.check(out / NAME, data)
            if data["recipe"] != loaded.name:
                raise ValueError(f"{out} holds a study of {data['recipe']}, not of {loaded.name}")
            before = {**DEFAULTS, **data["settings"]}
            for name in GROWING:
                if name in settings:
                    settings[name] = grown(before[name], settings[name])
            data["settings"] = resumed(before, settings, GROWING, f"{out} holds a study")
        else:
            settings = {**defaults_of(loaded), **settings}
            data = {"recipe": loaded.name, "settings": settings, "rows": []}
        trainings = Trainings(custom or loaded.name, out, data["settings"], jit_compile)
        work = Study(loaded, trainings, data)
        remove_temporary_files(out)
        work.run()
        study_table.draw(data, loaded, out)
    return data


def grown(before, given):
    """The values of a setting when more are given, or their number; earlier ones are kept.

    >>> grown([0.1, 0.01], [0.01, 0.001]), grown(3, 2)
    ([0.1, 0.01, 0.001], 3)
    """
    if isinstance(before, int):
        return max(before, given)
    return [*before, *(value for value in given if value not in before)]


class Study:
    """A study in a folder.

    Args:
        recipe: the `Recipe`.
        trainings: the `Trainings`.
        data: the contents of `study.json`; results are added to it.
    """

    def __init__(self, recipe, trainings, data):
        self.recipe, self.trainings, self.data = recipe, trainings, data
        self.variants = variants_of(recipe, data["settings"])

    def run(self):
        """Train what has not been trained yet, seed by seed, and measure it."""
        done = {(row["arm"], row["seed"]) for row in self.data["rows"]}
        seeds = range(self.data["settings"]["seeds"])
        wanted = [(variant, seed) for seed in seeds for variant in self.variants]
        left = [(variant, seed) for variant, seed in wanted if (variant.name, seed) not in done]
        self.announce(len(wanted) - len(left))
        # An aborted first training is continued with these settings alone.
        self.save()
        for number, (variant, seed) in enumerate(left, start=len(wanted) - len(left) + 1):
            say(f"training {number} of {len(wanted)}: {variant.label}, seed {seed}")
            self.data["rows"].append(self.trained(variant, seed))
            self.data.pop("sequences", None)
            self.save()
        if "sequences" not in self.data:
            self.data["sequences"] = self.sequences()
            self.save()

    def announce(self, done):
        """Print what will be trained, and how many trainings are done already."""
        announce(
            self.trainings.recipe_of(),
            [variant.label for variant in self.variants],
            (len(self.variants), "setting"),
            self.data["settings"]["seeds"],
            done,
            self.trainings.jit_compile,
        )

    def save(self):
        """Write all measurements, one line for each training."""
        lines = [json.dumps(row, ensure_ascii=False) for row in self.data["rows"]]
        rest = {name: value for name, value in self.data.items() if name != "rows"}
        text = json.dumps(rest, ensure_ascii=False, indent=1)[:-2]
        rows = ",\n  ".join(lines)
        folder = self.trainings.folder
        write_file(folder / NAME, f'{text},\n "rows": [\n  {rows}\n ]\n}}\n')
        write_file(folder / "study.csv", csv_text(self.data["rows"], study_table.COLUMNS))

    def trained(self, variant, seed):
        """Train with one seed, or resume that training, and measure it; returns its row."""
        place = f"{variant.name}/seed-{seed}"
        changed = {"variant": variant.recipe_variant}
        outcome = self.trainings.train(place, seed, variant.overrides, **changed)
        if outcome.error is not None:
            say(outcome.error)
        row = {"arm": variant.name, "kind": variant.kind, "value": variant.value, "seed": seed}
        # A training that diverged is measured at its last good checkpoint.
        return {**row, **outcome.row(), **self.measurements_of(outcome.run)}

    def measurements_of(self, run):
        """Numbers of a training: at its end, along it, and for each difficulty."""
        examples = self.data["settings"]["examples"]
        metrics = evaluate(run.model, run.recipe, examples, seed=0)
        family = families.of(run.recipe)
        chosen = family.selection_metrics(run, examples)
        last = run.history[-1] if run.history else {}
        columns = ("step", "validation_error", "validation_ponder_steps")
        return {
            "time_penalty": last.get("time_penalty"),
            "error": metrics["sequence_error"],
            "ponder": metrics["ponder"],
            "ponder_steps": metrics["ponder_steps"],
            "validation_error": chosen["validation_error"],
            "curve": [
                [row[name] for name in columns]
                for row in run.history
                if row.get("validation_error") is not None
            ],
            "difficulty": [
                [row[name] for name in study_table.BY_DIFFICULTY]
                for row in family.against_difficulty(run.model, examples, seed=0)
            ],
        }

    def sequences(self):
        """Ponder along some sequences, of the best network of the best τ on validation data."""
        groups = [group for group in study_table.groups(self.data, self.variants) if group["runs"]]
        groups = [group for group in groups if group["kind"] == "tau"]
        if not (self.recipe.figure.along_sequences and groups):
            return None
        best = min(groups, key=lambda group: study_table.mean(group["runs"], "validation_error"))
        row = min(best["runs"], key=lambda row: row["validation_error"])
        run = self.trainings.restore(f"{row['arm']}/seed-{row['seed']}")
        family = families.of(run.recipe)
        answers = family.some_sequences(family.probe(run.model))
        return {"label": best["name"], "seed": row["seed"], "sequences": answers}
