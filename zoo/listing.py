"""The list of the pretrained models, from their files alone, so that it comes at once."""

from . import recipes
from .entries import store
from .entries.headline import cells, headline

# What `--json` has of each measurement at one length or size.
OF_MEASUREMENTS = {
    "lengths": ("probe", "least", "length", "examples", "sequence_error"),
    "sizes": ("leaves", "least", "length", "examples", "sequence_error", "symbol_error"),
}
SCORES = ("bits_per_character", "sequence_error")
HEADER = ("model", "task", "trained on", "wrong there", "wrong beyond", "MB")


def listing(folder=None):
    """The pretrained models and the recipes.

    Args:
        folder: where entries lie; those of the package by default.

    Returns:
        A dict: `models`, a list of dicts with what was measured of each, `headline` among it (see
        there), and `megabytes`, the size of its folder; and `recipes`, the names of all recipes.
    """
    return {
        "models": [described(store.entry(name, folder)) for name in store.names(folder)],
        "recipes": list(recipes.names()),
    }


def described(entry):
    """What `--json` says of the entry in a folder."""
    metrics, recipe = store.read(entry, "metrics.json"), store.read(entry, "recipe.json")
    found = {key: metrics[key] for key in ("model", "dataset")}
    found |= {key: metrics[key] for key in (*SCORES, "ponder_steps") if key in metrics}
    if "symbol_error" in metrics:
        found["bit_error"] = metrics["symbol_error"]
    for key, kept in OF_MEASUREMENTS.items():
        if key in metrics:
            found[key] = [{name: row[name] for name in kept} for row in metrics[key]]
    size = sum(path.stat().st_size for path in entry.rglob("*") if path.is_file())
    return {**found, "headline": headline(recipe, metrics), "megabytes": round(size / 1e6, 1)}


def table(data):
    """The list in columns: products, then experiments, then recipes without a model.

    Args:
        data: of `listing`.
    """
    rows = {False: [], True: []}
    for model in data["models"]:
        found = model["headline"]
        rows[found["experiment"]].append(
            [
                model["model"],
                found["task"],
                found["trained_on"],
                *cells(found),
                f"{model['megabytes']:.1f}",
            ]
        )
    everything = [HEADER, *rows[False], *rows[True]]
    widths = [max(map(len, column)) for column in zip(*everything)]

    def line(row):
        return "  ".join(map(str.ljust, row, widths)).rstrip()

    lines = [line(HEADER), *map(line, rows[False])]
    if rows[True]:
        lines += ["", "Experiments, which did not learn their task:", *map(line, rows[True])]
    trained = {model["model"] for model in data["models"]}
    others = [name for name in data["recipes"] if name not in trained]
    if others:
        lines += ["", f"Recipes that are not trained yet: {', '.join(others)}"]
    return "\n".join(lines)
