"""What a model gets wrong when it may take few steps only."""

import keras

from ... import halting, plots
from .card import markdown, percent
from .figures import Measurement

# In metrics.json.
KEY = "against_limit"
PICTURE = "limit.png"
EXAMPLES = 2000
KEPT = ("examples", "sequence_error", "confidence_interval", "bits_per_character", "ponder_steps")


def limits_up_to(most: int) -> tuple[int, ...]:
    """Numbers of steps up to `most`, in steps that grow.

    >>> limits_up_to(25)
    (1, 2, 3, 5, 8, 13, 21, 25)
    """
    found, following = [1], 2
    while following < most:
        found.append(following)
        following += found[-2] if len(found) > 1 else 1
    return (*found, most) if most > 1 else (1,)


def measure(family, model: keras.Model, examples: int = EXAMPLES) -> dict:
    """The errors of a model under each of its family's `limits_measured`, for `metrics.json`.

    Returns:
        A dict of `KEY`: a list of dicts: `max_ponder`, and what `Family.summary` gives of `KEPT`.
        Empty for families without such limits.
    """
    if not family.limits_measured:
        return {}
    probe, rows = family.probe(model), []
    for limit in family.limits_measured:
        with halting.limits(max_ponder=limit):
            found = family.summary(family.measure(probe, examples))
        rows.append({"max_ponder": limit, **{key: found[key] for key in KEPT if key in found}})
    return {KEY: rows}


def section(metrics) -> str:
    """The table of a card, empty if nothing was measured."""
    rows = metrics.get(KEY)
    if not rows:
        return ""
    texts = "bits_per_character" in rows[0]
    shown = [
        [
            row["max_ponder"],
            f"{row['bits_per_character']:.3f}" if texts else percent(row["sequence_error"]),
            f"{row['ponder_steps']:.2f}",
        ]
        for row in rows
    ]
    header = ["most steps", "bits for each byte" if texts else "sequence error", "mean steps"]
    return (
        f"When it may take few steps only (`max_ponder`), on {rows[0]['examples']:,} test "
        f"{'windows' if texts else 'examples'}:\n\n{markdown(header, shown)}\n\n"
        f"![error against the limit]({PICTURE})"
    )


def draw(folder, metrics) -> None:
    """Write the picture of a card, if there is something to draw."""
    rows = metrics.get(KEY)
    if rows:
        plots.error_against_limit(folder / PICTURE, {metrics["model"]: rows})


def measurements(metrics) -> list[Measurement]:
    """What `verify` measures again of it."""
    return [
        Measurement(f"at most {row['max_ponder']} steps", row, max_ponder=row["max_ponder"])
        for row in metrics.get(KEY, ())
        if "sequence_error" in row
    ]
