"""Renews published entries: the texts of their recipes, their cards, pictures and measurements.

    python docs/renew.py                        # the texts and cards of all entries
    python docs/renew.py act_enwik8_small --measure --others runs/text_plain
    python docs/renew.py hull_pointer --add runs/plain runs/fixed  # more trainings on the card
    python docs/renew.py act_logic --limits     # measures errors against the limit
    python docs/renew.py --pictures             # draws the pictures again
    python docs/renew.py --studies              # draws the figures of the studies again

With `--measure` the model answers the test examples again, and its baseline is the best of the
trainings without ACT that are given (for entries with adaptive computation time). With
`--seed`, they are other test examples. Weights stay as they are: `keras-adaptive export` publishes
a training.
"""

import argparse
import csv
import dataclasses
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

from keras_adaptive import checkpoints
from keras_adaptive.checkpoints.files import replace_folder, write_json
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.entries import store, thinking_less
from keras_adaptive.zoo.entries.export import (
    Request,
    are_comparable,
    keep_baseline,
    metrics_of,
    row_of,
)
from keras_adaptive.zoo.entries.figures import other_models
from keras_adaptive.zoo.evaluate import evaluate
from keras_adaptive.zoo.search import study, study_table
from keras_adaptive.zoo.training.run import restore

STUDIES = Path(__file__).parent / "studies"
# What a recipe says in words, and no training depends on.
WORDS = ("task", "paper", "differences", "test_data_seen")


def renew(
    name,
    others=(),
    measure=False,
    folder=None,
    limits=False,
    pictures=False,
    added=(),
    seed=None,
):
    """Write an entry again; it is replaced when all its files are written.

    Args:
        name: of the entry.
        others: folders of trainings without ACT, with `measure`.
        measure: whether the model is measured again.
        folder: where entries lie; those of the package by default.
        limits: whether errors are measured under limits on the steps.
        pictures: whether the card's pictures are drawn again.
        added: folders of trainings that the card is to list as well, each once.
        seed: of the test examples, with `measure`; those of before by default.

    Returns:
        The path of the entry.

    Raises:
        ValueError: an unknown or damaged entry, `measure` of one without a halting rule, or a
            training of another recipe.
    """
    path, metrics = store.entry(name, folder), store.results(name, folder)
    words = {key: getattr(recipes.load(name), key) for key in WORDS}
    recipe = store.recipe(name, folder).replace(**words)
    if recipe.figure is not None:
        label = recipes.load(name).figure.label
        recipe = recipe.replace(figure=dataclasses.replace(recipe.figure, label=label))
    runs = [restore(other) for other in others]
    if measure:
        seed = metrics["seed"] if seed is None else seed
        metrics = measured_again(recipe, {**metrics, "seed": seed}, runs, folder)
    new = [row for row in rows_of(recipe, metrics, added) if row not in metrics["runs"]]
    metrics = {**metrics, "runs": [*metrics["runs"], *new]}
    if "other_models" in metrics:
        rows = next(key for key in ("lengths", "sizes") if key in metrics)
        metrics["other_models"] = other_models(recipe, folder or store.root(), rows)
    if measure or limits:
        family = families.of(recipe)
        metrics |= thinking_less.measure(family, store.load(name, folder=folder))
    with replace_folder(path) as new:
        shutil.copytree(path, new, dirs_exist_ok=True)
        metrics = keep_baseline(metrics, runs, new)
        thinking_less.draw(new, metrics)
        if pictures:
            model = store.load(name, folder=folder)
            families.of(recipe).draw_card(new, model, metrics, history_of(path))
        write_json(new / "recipe.json", recipe.to_dict())
        write_json(new / "metrics.json", metrics)
        card = families.of(recipe).card(metrics)
        (new / "README.md").write_text(card, encoding="utf-8")
        checkpoints.write_manifest(new)
    return path


def rows_of(recipe, metrics, folders):
    """The rows of trainings for the table of an entry, measured on its test examples."""
    rows = []
    for run in map(restore, folders):
        if not are_comparable(recipes.load(recipe.name), run.recipe):
            raise ValueError(f"{run.folder} is a training of {run.recipe.name}")
        found = metrics_of(run, metrics["examples"], metrics["examples"], metrics["seed"])
        rows.append(row_of(found, families.of(run.recipe)))
    return rows


def history_of(entry):
    """The rows of an entry's `history.csv`, without the columns that a row leaves empty."""
    with open(entry / "history.csv", newline="", encoding="utf-8") as file:
        return [
            {name: float(value) for name, value in row.items() if value}
            for row in csv.DictReader(file)
        ]


def measured_again(recipe, metrics, runs, folder):
    """The `metrics.json` of an entry with adaptive computation time, measured now."""
    if "halting" not in recipe.hyperparameters:
        raise ValueError(f"{recipe.name} is measured by `export`, with its training")
    model, family = store.load(recipe.name, folder=folder), families.of(recipe)
    numbers = evaluate(model, recipe, metrics["examples"], metrics["seed"])
    metrics = {**metrics, **numbers}
    examples, seed = metrics["examples"], metrics["seed"]
    trainings = [metrics, *(metrics_of(run, examples, seed=seed) for run in runs)]
    published = [row_of(training, family) for training in trainings]
    known = [run for run in metrics["runs"][1:] if run["variant"] == recipe.variant or not runs]
    request, run = Request(folder, examples, seed=seed), SimpleNamespace(recipe=recipe)
    rest = family.entry_metrics(run, model, [*trainings, *known], request)
    return {**metrics, "runs": [*published, *known], **rest}


def redraw_studies():
    """Draw the figures of the published studies from their measurements; returns the paths."""
    files = sorted(STUDIES.glob(f"*/{study.NAME}"))
    studies = [(file.parent, json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return [
        path
        for folder, data in studies
        for path in study_table.draw(data, recipes.load(data["recipe"]), folder)
    ]


def main(arguments=None):
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python docs/renew.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries; default: all")
    parser.add_argument("--measure", action="store_true", help="measure the model again")
    parser.add_argument("--seed", type=int, help="of the test examples, with --measure")
    parser.add_argument("--limits", action="store_true", help="measure errors under limits")
    parser.add_argument("--pictures", action="store_true", help="draw the pictures again")
    parser.add_argument("--others", nargs="*", default=[], help="trainings without ACT")
    parser.add_argument("--add", nargs="*", default=[], help="trainings to list as well")
    parser.add_argument("--studies", action="store_true", help="draw the studies' figures instead")
    options = parser.parse_args(arguments)
    if options.studies:
        print(*redraw_studies(), sep="\n")
        return 0
    for name in options.names or store.names():
        others = map(Path, options.others)
        kinds = options.measure, None, options.limits, options.pictures
        print(renew(name, others, *kinds, map(Path, options.add), options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
