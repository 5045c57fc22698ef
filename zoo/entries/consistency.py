"""Checks that the texts that users read match `metrics.json`, and its numbers each other."""

import difflib
import itertools
import subprocess
import sys
from pathlib import Path

from ... import statistics
from .. import families
from . import store
from .figures import ERROR


def inconsistencies(names, folder=None):
    """Sentences on differences between what users read and the results.

    Args:
        names: of the entries.
        folder: where entries lie; those of the package by default. In a clone, the tables of
            the README and of the pages are compared too.
    """
    for name in names:
        recipe, metrics = store.recipe(name, folder), store.results(name, folder)
        card = store.card(name, folder)
        yield from differences(f"{name}/README.md", card, families.of(recipe).card(metrics))
        for text in (*shares(recipe, metrics), *repeated(metrics), *others(metrics, folder)):
            yield f"{name}: {text}"
    repository = Path(folder or store.root()).parent
    script = repository / "docs" / "tables.py"
    if script.is_file():
        words = [sys.executable, str(script), str(repository), "--check"]
        checked = subprocess.run(words, capture_output=True, text=True)
        lines = checked.stdout.splitlines()
        if checked.returncode and not lines:
            lines = [f"{script} could not compare the tables: {checked.stderr.strip()}"]
        yield from lines


def differences(name, read, right):
    """Sentences on the lines in which a text differs from the one written from the results."""
    lines = difflib.unified_diff(read.split("\n"), right.split("\n"), lineterm="", n=0)
    for line in itertools.islice(lines, 2, None):
        if line.startswith("-"):
            yield f"{name} says {line[1:]!r}, and the results do not"
        elif line.startswith("+"):
            yield f"{name} does not say {line[1:]!r}, and the results do"


def shares(recipe, metrics):
    """Sentences on errors that are not a whole number of examples, and on wrong intervals."""
    for measurement in families.of(recipe).measurements(metrics):
        errors = measurement.row[ERROR] * measurement.row["examples"]
        if abs(errors - round(errors)) > 0.01:
            share, examples = measurement.row[ERROR], measurement.row["examples"]
            yield f"{measurement.what}: {share} is not a whole number of {examples} examples"
    for row in rows_with_intervals(metrics):
        right = statistics.error_interval(round(row[ERROR] * row["examples"]), row["examples"])
        if max(abs(a - b) for a, b in zip(right, row["confidence_interval"])) > 2e-6:
            yield f"the interval of {row[ERROR]:.4f} is {right}, not {row['confidence_interval']}"


def rows_with_intervals(data):
    """All dicts within a `metrics.json` that have an error and its interval."""
    if isinstance(data, dict):
        if {ERROR, "confidence_interval", "examples"} <= set(data):
            yield data
        data = list(data.values())
    if isinstance(data, list):
        for value in data:
            yield from rows_with_intervals(value)


def repeated(metrics):
    """Sentences on numbers of the published training that differ from those of the entry."""
    if metrics.get("ensemble"):
        return
    for key, value in metrics["runs"][0].items():
        if value != metrics[key]:
            yield f"{key} is {metrics[key]}, and {value} in the list of trainings"


def others(metrics, folder):
    """Sentences on numbers of other entries that differ from those entries' own."""
    for other in metrics.get("other_models", ()):
        if other["model"] in store.names(folder):
            own = store.results(other["model"], folder)
            if any(own[key] != value for key, value in other.items()):
                yield f"its numbers of {other['model']} are not those of that entry"
