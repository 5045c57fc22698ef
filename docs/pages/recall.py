"""The tables of docs/recall.md: what recall networks of several seeds reached."""

from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/recall.md"
ENTRY = "recall_prefix_sums"
# Trainings from other seeds, as `keras-adaptive measure FOLDER --json` told of them.
OTHERS = "docs/results/recall_seed_*.json"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    trainings = {}
    published = folder / "saved_models" / ENTRY / "metrics.json"
    if published.is_file():
        trainings[f"[`{ENTRY}`](../saved_models/{ENTRY}/README.md)"] = read(published)
    for path in sorted(folder.glob(OTHERS)):
        trainings[path.stem.removeprefix("recall_").replace("_", " ")] = read(path)
    if not trainings:
        return {"recall": ""}
    rows = [
        [name, *map(stopped, run["lengths"]), *map(wrong, run["fixed"]), slope(run["line"])]
        for name, run in trainings.items()
    ]
    first = next(iter(trainings.values()))
    header = ["training", *(f"{row['length']} bits" for row in first["lengths"])]
    header += [f"{row['length']} bits, {row['steps']:,} steps" for row in first["fixed"]]
    return {"recall": markdown([*header, "steps per bit"], rows)}


def stopped(row):
    """The error where each string stops by itself, and the mean steps."""
    return f"{wrong(row)}, {row['ponder_steps']:.0f} steps"


def wrong(row):
    """The share of strings with a mistake."""
    return percent(row["sequence_error"])


def slope(line):
    """How many more steps per bit takes, and how well the steps lie on a line."""
    return f"{line['slope']:.3f} (R² {line['r_squared']:.4f})"
