"""Errors of a model whose number of steps is limited."""

import keras

from ... import halting, plots
from .card import markdown, percent
from .figures import Measurement

# The key in metrics.json.
KEY = "against_limit"
PICTURE = "limit.png"
EXAMPLES = 2000
COLUMNS = (
    "examples",
    "sequence_error",
    "confidence_interval",
    "bits_per_character",
    "perplexity",
    "ponder_steps",
)


def limits_up_to(most: int) -> tuple[int, ...]:
    """Increasing limits of steps up to `most`, with growing distances.

    >>> limits_up_to(25)
    (1, 2, 3, 5, 8, 13, 21, 25)
    """
    limits, following = [1], 2
    while following < most:
        limits.append(following)
        following += limits[-2] if len(limits) > 1 else 1
    return (*limits, most) if most > 1 else (1,)


def measure(family, model: keras.Model, examples: int = EXAMPLES, seed: int = 0) -> dict:
    """The errors of a model under each of its family's `limits_measured`, for `metrics.json`.

    Returns:
        A dict with the key `KEY`, a list of dicts with `max_ponder` and the `COLUMNS` of
        `Family.summary`. Empty for families without such limits.
    """
    if not family.limits_measured:
        return {}
    probe, rows = family.probe(model), []
    for limit in family.limits_measured:
        with halting.limits(max_ponder=limit):
            metrics = family.summary(family.measure(probe, examples, seed=seed))
        rows.append(
            {"max_ponder": limit, **{key: metrics[key] for key in COLUMNS if key in metrics}}
        )
    return {KEY: rows}


def section(metrics) -> str:
    """The table of a card; empty if nothing was measured."""
    rows = metrics.get(KEY)
    if not rows:
        return ""
    scores = {
        "bits_per_character": ("bits per byte", "{:.3f}".format),
        "perplexity": ("perplexity", "{:.1f}".format),
        "sequence_error": ("sequence error", percent),
    }
    score = next(name for name in scores if name in rows[0])
    texts, (words, shown_as) = score != "sequence_error", scores[score]
    shown = [
        [row["max_ponder"], shown_as(row[score]), f"{row['ponder_steps']:.2f}"] for row in rows
    ]
    header = ["step limit", words, "mean steps"]
    return (
        f"With a limit on its steps (`max_ponder`), on {rows[0]['examples']:,} test "
        f"{'windows' if texts else 'examples'}:\n\n{markdown(header, shown)}\n\n"
        f"![error against the limit]({PICTURE})"
    )


def draw(folder, metrics) -> None:
    """Write the picture of a card, if there is something to draw."""
    rows = metrics.get(KEY)
    if rows:
        plots.error_against_limit(folder / PICTURE, {metrics["model"]: rows})


def measurements(metrics) -> list[Measurement]:
    """The measurements that `verify` repeats."""
    return [
        Measurement(f"at most {row['max_ponder']} steps", row, max_ponder=row["max_ponder"])
        for row in metrics.get(KEY, ())
        if "sequence_error" in row
    ]
