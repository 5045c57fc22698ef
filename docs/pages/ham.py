"""The tables of docs/ham.md: what networks with memory reached, and with more leaves."""

from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/ham.md"
# Trainings without an entry, as `keras-adaptive measure FOLDER --json` told of them.
UNPUBLISHED = "docs/ham_trainings"
LARGER = "benchmarks/results/ham_leaves.json"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    rows = []
    for name in recipes.names():
        recipe = recipes.load(name)
        if not recipe.family.startswith("ham"):
            continue
        path = folder / "saved_models" / name / "metrics.json"
        measured, published = None, path.is_file()
        if published:
            measured = read(path)["sizes"]
        elif (folder / UNPUBLISHED / f"{name}.json").is_file():
            measured = read(folder / UNPUBLISHED / f"{name}.json")["sizes"]
        trained = str(recipe.largest_length)
        rows.append([_link(name, published), trained, *_cells(measured), *_paper(recipe)])
    header = ["recipe", "leaves in training", "32 leaves", "64", "128", "paper, 32", "paper, 128"]
    path = folder / LARGER
    results = read(path) if path.is_file() else {"entries": []}
    return {
        "trained": markdown(header, rows),
        "larger": larger(results),
        "room": with_room(results),
    }


def larger(results):
    """The errors of the entries with more leaves than on their cards.

    Args:
        results: what `benchmarks/ham_leaves.py` wrote.
    """
    sizes = sorted({row["leaves"] for entry in results["entries"] for row in entry["rows"]})
    table = []
    for entry in results["entries"]:
        rows = {row["leaves"]: row for row in entry["rows"]}
        table.append([f"`{entry['entry']}`", *(_error(rows.get(size)) for size in sizes)])
    return markdown(["entry", *(f"{size:,} leaves" for size in sizes)], table)


def with_room(results):
    """The errors with as many leaves as operations, and with twice as many."""
    table = []
    for entry in results["entries"]:
        rows = entry.get("with_room", ())
        for same, twice in zip(rows[::2], rows[1::2], strict=True):
            table.append(
                [f"`{entry['entry']}`", same["operations"], _error(same), _error(twice)]
            )
    header = ["entry", "operations", "as many leaves", "twice as many leaves"]
    return markdown(header, table)


def _error(row):
    if row is None:
        return "–"
    low, high = map(percent, row["confidence_interval"])
    return f"{percent(row['sequence_error'])} ({low} to {high})"


def _link(name, published):
    if published:
        return f"[`{name}`](../saved_models/{name}/README.md)"
    return f"`{name}`"


def _cells(measured):
    if measured is None:
        return ["not trained", "–", "–"]
    return [percent(row["sequence_error"]) for row in measured]


def _paper(recipe):
    return [recipe.paper.get(key, "–") for key in ("error", "longer_error")]
