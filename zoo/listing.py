"""The list of the pretrained models, read from their files without loading Keras."""

from ..formatting import aligned
from . import recipes
from .entries import store
from .entries.headline import cells, headline

# The keys of `--json` for each measurement at a length or size.
OF_MEASUREMENTS = {
    "lengths": ("probe", "least", "length", "examples", "sequence_error"),
    "sizes": ("leaves", "least", "length", "examples", "sequence_error", "symbol_error"),
}
SCORES = ("bits_per_character", "bleu", "perplexity", "sequence_error")
HEADER = ("model", "task", "trained on", "error", "error on larger inputs", "MB")


def listing(folder=None):
    """The pretrained models and the recipes.

    Args:
        folder: where entries lie; those of the package by default.

    Returns:
        A dict: `models`, a list of dicts with the measurements of each model, its `headline` (see
        there) and `megabytes`, the size of its folder; `damaged`, what is wrong with those that
        cannot be read, by name; and `recipes`, the names of all recipes.
    """
    models, damaged = [], {}
    for name in store.names(folder):
        try:
            models.append(described(store.entry(name, folder)))
        except (ValueError, OSError) as error:
            damaged[name] = str(error)
    return {"models": models, "damaged": damaged, "recipes": list(recipes.names())}


def described(entry):
    """The summary of the entry in a folder, for `--json`."""
    metrics, recipe = store.read(entry, "metrics.json"), store.read(entry, "recipe.json")
    summary = {key: metrics[key] for key in ("model", "dataset")}
    summary |= {key: metrics[key] for key in (*SCORES, "ponder_steps") if key in metrics}
    if "symbol_error" in metrics:
        summary["bit_error"] = metrics["symbol_error"]
    for key, columns in OF_MEASUREMENTS.items():
        if key in metrics:
            summary[key] = [{name: row[name] for name in columns} for row in metrics[key]]
    size = sum(path.stat().st_size for path in entry.rglob("*") if path.is_file())
    return {**summary, "headline": headline(recipe, metrics), "megabytes": round(size / 1e6, 1)}


def table(data):
    """The list in columns: products, then experiments, then recipes without a model.

    Args:
        data: of `listing`.
    """
    rows = {False: [], True: []}
    for model in data["models"]:
        figures = model["headline"]
        rows[figures["experiment"]].append(
            [
                model["model"],
                figures["task"],
                figures["trained_on"],
                *cells(figures),
                f"{model['megabytes']:.1f}",
            ]
        )
    texts = aligned([HEADER, *rows[False], *rows[True]], str.ljust)
    count = 1 + len(rows[False])
    lines = texts[:count]
    if rows[True]:
        lines += ["", "Experiments, which did not learn their task:", *texts[count:]]
    if data["damaged"]:
        lines += ["", "Damaged:", *(f"{name}: {why}" for name, why in data["damaged"].items())]
    trained = {model["model"] for model in data["models"]} | set(data["damaged"])
    others = [name for name in data["recipes"] if name not in trained]
    if others:
        lines += ["", f"Recipes that are not trained yet: {', '.join(others)}"]
    return "\n".join(lines)
