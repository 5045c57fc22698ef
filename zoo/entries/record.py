"""The record of the measurements of `verify`."""

import hashlib
import json
from pathlib import Path

from .. import families
from . import store, thinking_less
from .figures import ERROR

RISK = 0.001
# What is published of networks that are measured on all of a text.
OF_TEXTS = ("by_difficulty", "segmentation", "without_act", "bleu", "chrf", "perplexity")


def read(path):
    """The entries of a record; empty if there is no such file."""
    path = Path(path) if path else None
    if path is None or not path.exists():
        return {}
    try:
        entries = dict(json.loads(path.read_text(encoding="utf-8"))["entries"])
        for entry in entries.values():
            # Whatever is missing in one is found here.
            _ = [entry["published"], entry["seed"], entry["seconds"]]
            _ = [(in_words(figure), agrees(figure, 0.0)) for figure in entry["figures"]]
        return entries
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"{path} is not a record of `verify`: {type(error).__name__}, {error}"
        raise ValueError(text) from error


def digest(name, folder=None):
    """A hash of the weights and published numbers of an entry, to recognize outdated records."""
    recipe, metrics = store.recipe(name, folder), store.results(name, folder)
    measurements = families.of(recipe).measurements(metrics)
    measurements += thinking_less.measurements(metrics)
    rows = [[measurement.what, *published_numbers(measurement)] for measurement in measurements]
    if not rows:
        rows = [metrics[key] for key in OF_TEXTS if key in metrics]
    sha256 = hashlib.sha256((store.entry(name, folder) / "model.keras").read_bytes())
    sha256.update(json.dumps(rows).encode())
    return sha256.hexdigest()


def is_current(name, record, folder=None):
    """Whether the record of an entry is up to date."""
    return name in store.names(folder) and record["published"] == digest(name, folder)


def published_numbers(measurement):
    """The numbers of a measurement that are compared."""
    names = ("examples", ERROR, "symbol_error", "ponder", "ponder_steps")
    return [measurement.row.get(name) for name in names]


def verdict(entries, skipped, inconsistent):
    """The results of `verify`, from the records of the entries and the inconsistencies."""
    figures = [(name, figure) for name, entry in entries.items() for figure in entry["figures"]]
    limit = limit_of(sum("p" in figure for _, figure in figures))
    wrong = [f"{name}, {in_words(figure)}" for name, figure in figures if not agrees(figure, limit)]
    return {
        "entries": entries,
        "figures": len(figures),
        "limit": limit,
        "disagreements": [*inconsistent, *wrong],
        "skipped": skipped,
    }


def limit_of(figures):
    """The smallest p-value at which a figure agrees, if this many figures are compared.

    The risk is divided by their number (Bonferroni). So if all published figures are correct, all
    of them agree with a probability of at least 99.9 %.
    """
    return RISK / max(figures, 1)


def agrees(figure, limit):
    """Whether the published and the measured value of a figure agree."""
    if "p" in figure:
        return figure["p"] >= limit
    return abs(figure["published"] - figure["measured"]) <= figure["tolerance"]


def in_words(figure):
    """A figure and both of its values as one line."""
    words = f"{figure['what']}, {figure['figure'].replace('_', ' ')}: published "
    if "p" not in figure:
        return words + f"{figure['published']:g}, measured {figure['measured']:g}"
    published, measured = shown(figure)
    return words + f"{published}, measured {measured}, p = {figure['p']:.2g}"


def shown(figure):
    """The published and the measured value of a figure, with intervals and examples, in words."""
    texts = []
    for value, interval, examples in (
        ("published", "published_interval", "published_examples"),
        ("measured", "interval", "examples"),
    ):
        low, high = figure[interval]
        form = ".2%" if figure["figure"].endswith("error") else ".2f"
        parts = [f"{number:{form}}" for number in (figure[value], max(low, 0), high)]
        texts.append(f"{parts[0]} ({parts[1]} to {parts[2]}, {figure[examples]:,} examples)")
    return texts
