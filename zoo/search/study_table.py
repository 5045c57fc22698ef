"""The results of a study: its trainings by variant, a table, and the paper's figures."""

import statistics
from pathlib import Path

from ... import plots
from ...checkpoints.files import write_file
from ...statistics import standard_error
from .variants import variants_of

BY_DIFFICULTY = ("difficulty", "sequence_error", "ponder_steps")
COLUMNS = (
    "arm",
    "kind",
    "value",
    "seed",
    "steps",
    "seconds",
    "diverged",
    "time_penalty",
    "error",
    "ponder",
    "ponder_steps",
    "validation_error",
)


def check(path, data):
    """Refuse the contents of a `study.json` whose settings or rows are damaged."""
    columns = {*COLUMNS, "curve", "difficulty"}
    rows = data["rows"] if isinstance(data["rows"], list) else [None]
    whole = all(isinstance(row, dict) and columns <= row.keys() for row in rows)
    if not whole or not isinstance(data["settings"], dict):
        raise ValueError(f"{path} is damaged: it lacks settings, or parts of a row")


def groups(data, variants):
    """The trainings of each variant.

    Args:
        data: the contents of `study.json`.
        variants: the list of `Variant`.

    Returns:
        A list of dicts: `name`, `kind`, `value`, and `runs`, the rows of the variant's trainings.
    """
    rows = {}
    for row in data["rows"]:
        if row["seed"] < data["settings"]["seeds"]:
            rows.setdefault(row["arm"], []).append(row)
    return [
        {
            "name": variant.label,
            "kind": variant.kind,
            "value": variant.value,
            "runs": rows.get(variant.name, []),
        }
        for variant in variants
    ]


def mean(rows, name):
    """The mean of a number of some rows."""
    return statistics.fmean(row[name] for row in rows)


def table(data, recipe):
    """The means of each variant over the seeds, with standard errors, as a table in Markdown."""
    lines = [
        "| | trainings | sequence error | steps N | τ at the end |",
        "|---|---|---|---|---|",
    ]
    for group in groups(data, variants_of(recipe, data["settings"])):
        runs = group["runs"]
        if not runs:
            continue
        error, steps = in_words(runs, "error", ".1%"), in_words(runs, "ponder_steps", ".2f")
        # That of a training which diverged before its first checkpoint is not known.
        known = [run for run in runs if run["time_penalty"] is not None]
        has_penalty = known and group["kind"] not in ("plain", "fixed")
        penalty = f"{mean(known, 'time_penalty'):.2g}" if has_penalty else ""
        lines.append(f"| {group['name']} | {len(runs)} | {error} | {steps} | {penalty} |")
    return "\n".join(lines)


def in_words(runs, column, form):
    """The mean of a column, with its standard error where there are several trainings."""
    words = f"{mean(runs, column):{form}}"
    if len(runs) == 1:
        return words
    return f"{words} ± {standard_error([row[column] for row in runs]):{form}}"


def draw(data, recipe, folder):
    """Write the table and the figures of a study, from its measurements alone.

    Args:
        data: the contents of `study.json`.
        recipe: the `Recipe`.
        folder: where to write.

    Returns:
        A list of the paths.

    Source: Graves (2016), Figures 4 to 20; the last figure is our own.
    """
    folder = Path(folder)
    variants = variants_of(recipe, data["settings"])
    trained = [group for group in groups(data, variants) if group["runs"]]
    for group in trained:
        group["runs"] = [with_names(row) for row in group["runs"]]
    write_file(folder / "study.md", table(data, recipe) + "\n")
    title = recipe.name
    drawn = [
        plots.study.error_bars(folder / "error.png", trained, title),
        plots.study.learning_and_ponder(folder / "learning.png", trained, title),
        plots.study.against_difficulty(
            folder / "difficulty.png", trained, recipe.figure.label, title
        ),
    ]
    if {"tau", "targets"} <= {group["kind"] for group in trained}:
        drawn.append(plots.study.time_penalties(folder / "automatic.png", trained, title))
    shown = data.get("sequences")
    if shown:
        path = folder / "sequences.png"
        drawn.append(plots.ponder_along_sequence(path, shown["sequences"], shown["label"]))
    return drawn


def with_names(row):
    """A row with the points of its curves as dicts."""
    curve = ("step", "error", "ponder_steps")
    return {
        **row,
        "curve": [dict(zip(curve, point, strict=True)) for point in row["curve"]],
        "difficulty": [
            dict(zip(("difficulty", "error", "ponder_steps"), point, strict=True))
            for point in row["difficulty"]
        ],
    }
