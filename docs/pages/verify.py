"""The tables of docs/verify.md: the results of `keras-adaptive verify`, from its record."""

from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.entries.card import markdown
from keras_adaptive.zoo.entries.record import agrees, is_current, read, shown, verdict

PAGE = "docs/verify.md"
RECORD = "docs/results/verify.json"


def tables(folder):
    """The tables of the page by their names; without a record they are empty.

    Args:
        folder: the repository.
    """
    entries, models = read(folder / RECORD), folder / "saved_models"
    current = {name: known for name, known in entries.items() if is_current(name, known, models)}
    if not current:
        return {"summary": "", "figures": ""}
    result = verdict(current, [], [])
    missing = [f"`{name}`" for name in store.names(models) if name not in current]
    lines = [
        f"{result['figures']:,} figures of {len(current)} entries; a figure agrees at p ≥ "
        f"{result['limit']:.2g}; {len(result['disagreements'])} do not.",
        "",
        markdown(
            ["entry", "figures", "least p", "agree", "seed", "backend"],
            [summary_row(name, known, result["limit"]) for name, known in current.items()],
        ),
    ]
    if missing:
        lines += ["", f"Not on record: {', '.join(missing)}."]
    rows = [
        [f"`{name}`", figure["what"], figure["figure"].replace("_", " "), *cells(figure)]
        for name, known in current.items()
        for figure in known["figures"]
        if not figure.get("drawn")
    ]
    header = ["entry", "of", "figure", "published", "measured again", "p"]
    return {"summary": "\n".join(lines), "figures": markdown(header, rows)}


def summary_row(name, known, limit):
    """An entry's line."""
    figures = known["figures"]
    least = min((figure["p"] for figure in figures if "p" in figure), default=None)
    agree = sum(agrees(figure, limit) for figure in figures)
    return [
        f"[`{name}`](../saved_models/{name}/README.md)",
        len(figures),
        "–" if least is None else f"{least:.2g}",
        "all" if agree == len(figures) else f"{agree} of {len(figures)}",
        known["seed"],
        known["backend"],
    ]


def cells(figure):
    """The published and the measured value, and p."""
    if "p" not in figure:
        return [f"{figure['published']:g}", f"{figure['measured']:g}", "–"]
    return [*shown(figure), f"{figure['p']:.2g}"]
