"""The table of a search: one row for each trial and seed, in files that are replaced atomically."""

import math
import os
import statistics
from collections.abc import Mapping
from pathlib import Path

from ...checkpoints.files import csv_text, read_json, write_file, write_json
from .. import families

SEARCH, RESULT = "search.json", "result.json"
TABLES = ("trials.json", "trials.csv")
FIRST = ("trial", "seed", "objective", "steps", "seconds", "diverged")
# What a training that diverged has reached: an error of 1, or no more than by guessing evenly.
WORST = {"validation_bits_per_character": 8.0, "validation_perplexity": 33_278.0}
WORST_ERROR = 1.0
# Possible objectives: the columns that families measure on validation data.
MEASURED = (
    "validation_error",
    "validation_ponder",
    "validation_ponder_steps",
    "validation_symbol_error",
    "validation_bits_per_character",
    "validation_perplexity",
    "longer_error",
    "longer_symbol_error",
    "longer_ponder_steps",
)


def has_workers():
    """Whether several processes work on the search, as a variable of KerasTuner says."""
    return "KERASTUNER_TUNER_ID" in os.environ


def weights_of(objective):
    """The weights of an objective.

    Args:
        objective: a name, such as `"error"` or `"ponder"`; a mapping from names to weights; or
            both as a text, `"error=1,ponder=0.01"`.

    Returns:
        A dict from full names (`validation_error`) to weights.

    Raises:
        ValueError: an unknown name, or an invalid weight.

    Example:

    >>> weights_of("error=1,ponder=0.01")
    {'validation_error': 1.0, 'validation_ponder': 0.01}
    """
    received = objective
    if isinstance(objective, str):
        pairs = [pair.partition("=")[::2] for pair in objective.split(",")]
        objective = [(name.strip(), weight or 1) for name, weight in pairs]
    elif isinstance(objective, Mapping):
        objective = list(objective.items())
    else:
        raise ValueError(f"objective must be a name or a mapping. Received: {objective!r}")
    weights = {}
    for name, weight in objective:
        full = name if name in MEASURED else f"validation_{name}"
        if full not in MEASURED:
            known = ", ".join(name.removeprefix("validation_") for name in MEASURED)
            raise ValueError(f"objective must be made of {known}. Received: {received!r}")
        if full in weights:
            raise ValueError(f"objective has {name} twice. Received: {received!r}")
        try:
            weights[full] = float(weight)
        except (TypeError, ValueError):
            weights[full] = math.nan
        if not 0 < weights[full] < math.inf:
            raise ValueError(
                f"the weight of {name} in the objective must be a number above 0. "
                f"Received: {received!r}"
            )
    return weights


def check_measured(weights, recipe):
    """Refuse an objective that is not measured for a recipe's networks.

    Args:
        weights: as in `weights_of`.
        recipe: the `Recipe`.

    Raises:
        ValueError: a column is not measured; the message lists those that are.
    """
    known = [name for name in MEASURED if name in families.of(recipe).columns]
    for name in weights:
        if name not in known:
            name, *words = (x.removeprefix("validation_") for x in (name, *known))
            raise ValueError(f"objective: {recipe.name} has no {name}; it has {', '.join(words)}")


def score(row, weights, recipe):
    """The objective of one training: a weighted sum; of the worst values if it diverged."""
    if row["diverged"]:
        steps = recipe.hyperparameters.get("max_ponder", 0.0)
        return sum(
            weight * (steps if "ponder" in name else WORST.get(name, WORST_ERROR))
            for name, weight in weights.items()
        )
    return sum(weight * row[name] for name, weight in weights.items())


def measurements_of(row):
    """The part of a row that was measured on validation data."""
    return {k: v for k, v in row.items() if k.startswith(("validation_", "longer_"))}


def rows(folder):
    """All rows of a search, by trial and seed.

    Raises:
        ValueError: a row is damaged.
    """
    results = []
    for path in Path(folder).glob(f"trial_*/seed-*/{RESULT}"):
        try:
            results.append(read_json(path, ("trial", "seed", "overrides", "objective", "share")))
        except ValueError as error:
            raise ValueError(
                f"{error}; remove it and resume the search, which measures that training again"
            ) from error
    return sorted(results, key=lambda row: (int(row["trial"]), row["seed"]))


def add(folder, row):
    """Save the row of a training in its folder, and write the tables again.

    The tables are made from the rows in all folders, so several workers can add rows.
    """
    folder = Path(folder)
    write_json(folder / row["folder"] / RESULT, row)
    write_tables(folder)


def write_tables(folder):
    """Write all rows to `trials.json` and `trials.csv`."""
    results = rows(folder)
    write_json(Path(folder) / TABLES[0], results)
    write_file(Path(folder) / TABLES[1], csv_of(results))


def csv_of(results):
    """Rows as the text of a CSV file with a column for each setting."""
    flat = [
        {**{k: v for k, v in row.items() if k != "overrides"}, **row["overrides"]}
        for row in results
    ]
    settings = dict.fromkeys(name for row in results for name in row["overrides"])
    names = dict.fromkeys([*FIRST[:2], *settings, *FIRST[2:]])
    names |= dict.fromkeys(name for row in flat for name in row)
    return csv_text(flat, names)


def ranking(results, seeds):
    """The trials whose seeds are all trained, the best first.

    Args:
        results: the list of `rows`.
        seeds: how many seeds a trial has.

    Returns:
        A list of dicts: `trial`, `overrides`, `steps` and `diverged` (summed over the seeds),
        `share` (of the steps of a whole training; these come first), and the means of `objective`
        and of what was measured.
    """
    trials = {}
    for row in results:
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
                "share": min(row["share"] for row in of_trial),
                "objective": mean(row["objective"] for row in of_trial),
                **means(of_trial),
            }
        )
    # Hyperband trains most trials for a part of the steps.
    return sorted(ranked, key=lambda x: (-x["share"], x["objective"], int(x["trial"])))


def means(results):
    """Means of what was measured, over the rows that did not diverge."""
    complete = [measurements_of(row) for row in results if not row["diverged"]]
    return {name: mean(row[name] for row in complete) for name in (complete[0] if complete else ())}


def mean(values):
    """The mean of numbers, rounded for tables."""
    return round(statistics.fmean(values), 6)
