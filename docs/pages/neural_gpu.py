"""The tables of docs/neural_gpu.md: ablations, sharper gates, and trainings without an entry."""

from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/neural_gpu.md"
ABLATIONS = "benchmarks/results/neural_gpu_ablations.json"
SHARPNESS = "benchmarks/results/neural_gpu_sharpness.json"
# Trainings without an entry, as `keras-adaptive measure FOLDER --json` told of them.
UNPUBLISHED = "docs/neural_gpu_trainings"


def tables(folder, read):
    """The tables of the page by their names; without results they are empty.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    made = {
        name: table(read(folder / path)) if (folder / path).is_file() else ""
        for name, path, table in (
            ("ablations", ABLATIONS, ablations),
            ("sharpness", SHARPNESS, sharpness),
        )
    }
    return {
        **made,
        "unpublished": "\n\n".join(
            unpublished(read(path)) for path in sorted((folder / UNPUBLISHED).glob("*.json"))
        ),
    }


def ablations(results):
    """What each setting reached beyond the lengths of its training, over all seeds.

    Args:
        results: what `benchmarks/neural_gpu_ablations.py` wrote.
    """
    rows = []
    for setting in results["settings"]:
        longer = [run["longer"]["symbol_error"] for run in setting["runs"]]
        trained = [run["trained"]["sequence_error"] for run in setting["runs"]]
        rows.append(
            [
                setting["what"],
                len(longer),
                *map(percent, (sum(longer) / len(longer), min(longer), max(longer))),
                percent(sum(trained) / len(trained)),
            ]
        )
    together = results["ensemble"]
    if together:
        rows.append(
            [
                f"as the entry: the outputs of {len(together['members'])} seeds averaged",
                1,
                *[percent(together["longer"]["symbol_error"])] * 3,
                percent(together["trained"]["sequence_error"]),
            ]
        )
    longer, trained = results["bits"]["longer"], results["bits"]["trained"]
    header = ["setting", "seeds", f"symbols wrong at {longer} bits: mean", "best", "worst"]
    return markdown([*header, f"sums of {trained} bits wrong: mean"], rows)


def sharpness(results):
    """The sequence errors of each entry at two lengths, by what its gates were multiplied by.

    Args:
        results: what `benchmarks/neural_gpu_sharpness.py` wrote.
    """
    table, header = [], []
    for entry in results["entries"]:
        values = sorted({row["sharpness"] for row in entry["rows"]})
        header = ["entry", "length", *map(str, values), "its recipe has"]
        for length in sorted({row["length"] for row in entry["rows"]}):
            errors = {
                row["sharpness"]: percent(row["sequence_error"])
                for row in entry["rows"]
                if row["length"] == length
            }
            unit = "bits" if entry["unit"] == "bits" else "positions"
            of_entry = [f"`{entry['entry']}`", f"{length} {unit}"]
            table.append([*of_entry, *map(errors.get, values), entry["sharpness"]])
    return markdown(header, table)


def unpublished(results):
    """The errors of a training at all lengths it was measured at."""
    rows = [
        [
            f"`{results['model']}`",
            row["length"] if row["least"] == row["length"] else f"up to {row['length']}",
            f"{row['examples']:,}",
            percent(row["sequence_error"]),
            percent(row["bit_error"]),
        ]
        for row in results["lengths"]
        if row["probe"] is None
    ]
    return markdown(["recipe", "digits", "examples", "sequence error", "symbol error"], rows)
