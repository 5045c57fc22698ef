"""The table of docs/sequences.md: thinking again, at equal batches and in the same time."""

import dataclasses
from collections.abc import Callable
from statistics import mean

from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/sequences.md"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two kinds of halting on one task.

    Attributes:
        score: the name of the score, with the direction in which it is better.
        read: a function from a row of the entry's trainings to the score.
        written: a function from the score to text.
        at_equal_batches: how many batches the networks had.
        in_equal_time: how many they had with ACT, and with one step.
    """

    score: str
    read: Callable
    written: Callable
    at_equal_batches: int
    in_equal_time: tuple[int, int]


def score_of(name):
    """A function from a row of trainings to one of its scores."""
    return lambda run: run[name]


def ratio_at(points):
    """A function from a row of trainings to the length of its tours of so many points."""

    def read(run):
        ratios = {row["difficulty"]: row["length_ratio"] for row in run["by_difficulty"]}
        return ratios[points]

    return read


def fixed(digits):
    """A function from a number to text with so many digits after the point."""
    return f"{{:.{digits}f}}".format


WRONG = "wrong ↓", score_of("sequence_error"), percent
COMPARISONS = {
    "hull_pointer": Comparison(*WRONG, 30_000, (13_000, 30_000)),
    "hull50_pointer": Comparison(*WRONG, 26_000, (10_400, 26_000)),
    "tour_pointer": Comparison(
        "length / shortest, 10 cities ↓", ratio_at(10), fixed(4), 30_000, (13_000, 30_000)
    ),
    "tour20_pointer": Comparison(
        "length / shortest, 20 cities ↓", ratio_at(20), fixed(4), 26_000, (11_200, 26_000)
    ),
    "act_words": Comparison(
        "perplexity ↓", score_of("perplexity"), fixed(1), 1_500, (1_500, 2_400)
    ),
    "act_enwik8": Comparison(
        "bits per byte ↓", score_of("bits_per_character"), fixed(3), 500, (230, 500)
    ),
    "translation_en_de": Comparison("BLEU ↑", score_of("bleu"), fixed(1), 1_500, (1_500, 1_800)),
}


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    rows = []
    for name, comparison in COMPARISONS.items():
        path = folder / "saved_models" / name / "metrics.json"
        if path.is_file():
            rows.append(row_of(name, comparison, read(path)["runs"]))
    same = "in the same time"
    header = ["model", "score", "ACT", "one step", f"ACT, {same}", f"one step, {same}"]
    return {"comparison": markdown(header, rows) if rows else ""}


def row_of(name, comparison, runs):
    """The row of an entry."""
    batches, (adaptive, plain) = comparison.at_equal_batches, comparison.in_equal_time
    cells = [
        text_of(comparison, runs, variant, steps)
        for variant, steps in (
            *(("act", batches), ("plain", batches)),
            *(("act", adaptive), ("plain", plain)),
        )
    ]
    return [f"[`{name}`](../saved_models/{name}/README.md)", comparison.score, *cells]


def text_of(comparison, runs, variant, steps):
    """The score of the trainings of a variant with so many batches, on average."""
    found = [run for run in runs if (run["variant"], run["steps"]) == (variant, steps)]
    if not found:
        return "–"
    seeds = f" ({len(found)} seeds)" if len(found) > 1 else ""
    return comparison.written(mean(map(comparison.read, found))) + seeds
