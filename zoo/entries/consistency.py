"""Whether the numbers that users read are those of `metrics.json`, and those fit together."""

import difflib
import itertools
import subprocess
import sys
from pathlib import Path

from .. import families
from . import agreement, store
from .figures import ERROR


def inconsistencies(names, folder=None):
    """Sentences on what users read and the results do not say.

    Args:
        names: of the entries.
        folder: where entries lie; those of the package by default. In a clone the tables of the
            README and of the pages are compared too.
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
        found = checked.stdout.splitlines()
        if checked.returncode and not found:
            found = [f"{script} could not compare the tables: {checked.stderr.strip()}"]
        yield from found


def differences(name, read, right):
    """Sentences on the lines of a text that are not those that the results give."""
    lines = difflib.unified_diff(read.split("\n"), right.split("\n"), lineterm="", n=0)
    for line in itertools.islice(lines, 2, None):
        if line.startswith("-"):
            yield f"{name} says {line[1:]!r}, and the results do not"
        elif line.startswith("+"):
            yield f"{name} does not say {line[1:]!r}, and the results do"


def shares(recipe, metrics):
    """Sentences on shares of examples that are none, and on intervals that are not theirs."""
    for one in families.of(recipe).measurements(metrics):
        errors = one.row[ERROR] * one.row["examples"]
        if abs(errors - round(errors)) > 0.01:
            yield f"{one.what}: {one.row[ERROR]} is no share of {one.row['examples']} examples"
    for row in rows_with_intervals(metrics):
        right = agreement.wilson(round(row[ERROR] * row["examples"]), row["examples"])
        if max(abs(a - b) for a, b in zip(right, row["confidence_interval"])) > 2e-6:
            yield f"the interval of {row[ERROR]:.4f} is {right}, not {row['confidence_interval']}"


def rows_with_intervals(found):
    """All dicts within a `metrics.json` that have an error and its interval."""
    if isinstance(found, dict):
        if {ERROR, "confidence_interval", "examples"} <= set(found):
            yield found
        found = list(found.values())
    if isinstance(found, list):
        for one in found:
            yield from rows_with_intervals(one)


def repeated(metrics):
    """Sentences on numbers of the published training that are not those of the entry."""
    if metrics.get("ensemble"):
        return
    for key, value in metrics["runs"][0].items():
        if value != metrics[key]:
            yield f"{key} is {metrics[key]}, and {value} in the list of trainings"


def others(metrics, folder):
    """Sentences on numbers of other entries that are not those entries' own."""
    for other in metrics.get("other_models", ()):
        if other["model"] in store.names(folder):
            own = store.results(other["model"], folder)
            if any(own[key] != value for key, value in other.items()):
                yield f"its numbers of {other['model']} are not those of that entry"
