"""The table of docs/thought.md: what a given time buys, as `benchmarks/thought.py` measured it."""

from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/thought.md"
RESULTS = "benchmarks/results/thought.json"


def tables(folder, read):
    """The table of the page by its name.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    rows = [
        [
            row["what"],
            row["how"],
            percent(row["sequence_error"]),
            f"{row['ponder_steps']:.2f}",
            f"{row['milliseconds']:.1f}",
        ]
        for row in read(folder / RESULTS)["points"]
    ]
    header = ["way", "setting", "sequence error", "mean steps", "ms per call"]
    return {"thought": markdown(header, rows)}
