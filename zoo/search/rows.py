"""The trainings of a search: one row for each trial and seed, in files that are written whole."""

import csv
import io
import json
import math
import os
import statistics
from pathlib import Path

from ...checkpoints.files import read_json, write_file
from .. import families

RESULT = "result.json"
TABLES = ("trials.json", "trials.csv")
FIRST = ("trial", "seed", "objective", "steps", "seconds", "diverged")
# The worst that a network can do.
WORST_ERROR = 1.0
# What can be minimised: what families measure on validation data.
MEASURED = (
    "validation_error",
    "validation_ponder",
    "validation_ponder_steps",
    "validation_symbol_error",
    "validation_bits_per_character",
    "longer_error",
    "longer_symbol_error",
    "longer_ponder_steps",
)


def has_workers():
    """Whether several processes work on the search, as a variable of KerasTuner says."""
    return "KERASTUNER_TUNER_ID" in os.environ


def weights_of(objective):
    """What is minimised: names of what is measured, and their weights.

    Args:
        objective: a name, such as `"error"` or `"ponder"`; a mapping from names to weights; or
            both as a text, `"error=1,ponder=0.01"`.

    Returns:
        A dict from full names (`validation_error`) to weights.

    Raises:
        ValueError: a name or a weight that cannot be.

    Example:

    >>> weights_of("error=1,ponder=0.01")
    {'validation_error': 1.0, 'validation_ponder': 0.01}
    """
    given = objective
    if isinstance(objective, str):
        pairs = [pair.partition("=")[::2] for pair in objective.split(",")]
        objective = [(name.strip(), weight or 1) for name, weight in pairs]
    else:
        objective = list(objective.items())
    weights = {}
    for name, weight in objective:
        full = name if name in MEASURED else f"validation_{name}"
        if full not in MEASURED:
            known = ", ".join(name.removeprefix("validation_") for name in MEASURED)
            raise ValueError(f"objective must be made of {known}. Received: {given!r}")
        if full in weights:
            raise ValueError(f"objective has {name} twice. Received: {given!r}")
        try:
            weights[full] = float(weight)
        except (TypeError, ValueError):
            weights[full] = math.nan
        if not 0 < weights[full] < math.inf:
            raise ValueError(
                f"the weight of {name} in the objective must be a number above 0. "
                f"Received: {given!r}"
            )
    return weights


def check_measured(weights, recipe):
    """Refuse an objective that is not measured of a recipe's networks.

    Args:
        weights: as of `weights_of`.
        recipe: the `Recipe`.

    Raises:
        ValueError: it is not; the message says what is.
    """
    known = [name for name in MEASURED if name in families.of(recipe).columns]
    for name in weights:
        if name not in known:
            name, *words = (x.removeprefix("validation_") for x in (name, *known))
            raise ValueError(f"objective: {recipe.name} has no {name}; it has {', '.join(words)}")


def score(row, weights, recipe):
    """The objective of one training: a weighted sum, of the worst values if it diverged."""
    if row["diverged"]:
        steps = recipe.hyperparameters.get("max_ponder", 0.0)
        return sum(
            weight * (steps if "ponder" in name else WORST_ERROR)
            for name, weight in weights.items()
        )
    return sum(weight * row[name] for name, weight in weights.items())


def measured(row):
    """The part of a row that was measured on validation data."""
    return {k: v for k, v in row.items() if k.startswith(("validation_", "longer_"))}


def rows(folder):
    """All rows of a search, by trial and seed."""
    found = []
    for path in Path(folder).glob(f"trial_*/seed-*/{RESULT}"):
        found.append(read_json(path, ("trial", "seed", "overrides", "objective", "share")))
    return sorted(found, key=lambda row: (int(row["trial"]), row["seed"]))


def add(folder, row):
    """Keep the row of a training beside it, and write the tables anew.

    The tables are made of the rows beside the trainings, so that several workers can add theirs.
    """
    folder = Path(folder)
    write_file(folder / row["folder"] / RESULT, json.dumps(row, indent=1))
    write_tables(folder)


def write_tables(folder):
    """Write all rows to `trials.json` and `trials.csv`."""
    found = rows(folder)
    write_file(Path(folder) / TABLES[0], json.dumps(found, indent=1))
    write_file(Path(folder) / TABLES[1], csv_of(found))


def csv_of(found):
    """Rows as the text of a CSV file with a column for each setting."""
    flat = [
        {**{k: v for k, v in row.items() if k != "overrides"}, **row["overrides"]} for row in found
    ]
    settings = dict.fromkeys(name for row in found for name in row["overrides"])
    names = dict.fromkeys([*FIRST[:2], *settings, *FIRST[2:]])
    names |= dict.fromkeys(name for row in flat for name in row)
    return csv_text(flat, names)


def csv_text(found, columns):
    """Rows as the text of a CSV file; what has no column is left out."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text, list(columns), restval="", extrasaction="ignore", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def ranking(found, seeds):
    """The trials of all whose seeds there are rows, the best first.

    Args:
        found: rows, as of `rows`.
        seeds: how many seeds a trial has.

    Returns:
        A list of dicts: `trial`, `overrides`, `steps` and `diverged` (summed over the seeds),
        and the means of `objective` and of what was measured.
    """
    trials = {}
    for row in found:
        trials.setdefault(row["trial"], []).append(row)
    ranked = []
    for number, of_trial in trials.items():
        if len(of_trial) < seeds:
            continue
        ranked.append(
            {
                "trial": number,
                "overrides": of_trial[0]["overrides"],
                "steps": sum(row["steps"] for row in of_trial),
                "diverged": sum(row["diverged"] for row in of_trial),
                "objective": mean(row["objective"] for row in of_trial),
                **means(of_trial),
            }
        )
    return sorted(ranked, key=lambda trial: (trial["objective"], int(trial["trial"])))


def means(found):
    """Means of what was measured, over the rows that did not diverge."""
    whole = [measured(row) for row in found if not row["diverged"]]
    return {name: mean(row[name] for row in whole) for name in (whole[0] if whole else ())}


def mean(values):
    """The mean of some numbers, as tables have it."""
    return round(statistics.fmean(values), 6)
