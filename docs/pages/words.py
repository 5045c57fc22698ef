"""The tables of docs/words.md: what language models on words reached, from docs/results."""

from keras_adaptive.zoo.entries.card import markdown

PAGE = "docs/words.md"
# Trainings of `act_words`: what `evaluate --json` said, and what a training took.
TRAININGS = {
    "plain": "one step",
    "act": "ACT, up to 10 steps",
    "fixed": "five steps",
    "plain_long": "one step, trained longer",
}
RESULTS = "docs/results/words_{}.json"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    found = {
        name: read(folder / RESULTS.format(name))
        for name in TRAININGS
        if (folder / RESULTS.format(name)).is_file()
    }
    ponder = found.get("act", {}).get("by_difficulty", ())
    return {
        "perplexity": perplexities(found) if found else "",
        "frequencies": frequencies(ponder) if ponder else "",
        "while training": learning(found) if found else "",
    }


def perplexities(found):
    """The perplexities of the trainings on the test part."""
    rows = []
    for name, result in found.items():
        low, high = result["confidence_interval"]
        rows.append(
            [
                TRAININGS[name],
                f"{result['steps']:,}",
                f"{result['cpu_seconds'] / 60:.0f}",
                f"**{result['perplexity']:.1f}** ({low:.1f} to {high:.1f})",
                f"{result['ponder_steps']:.2f}",
            ]
        )
    header = ["network", "batches", "CPU minutes", "test perplexity", "steps for each word"]
    return markdown(header, rows)


def frequencies(rows):
    """Steps and perplexity by how frequent the word is that was read."""
    cells = [
        [row["kind"], f"{row['words']:,}"]
        + [f"{row[key]:.2f}" for key in ("ponder_steps", "ponder", "perplexity", "entropy")]
        for row in rows
    ]
    return markdown(["word read", "words", "steps N", "ponder ρ", "perplexity", "entropy"], cells)


def learning(found):
    """The perplexities on a part of the validation data, while the networks were trained."""
    steps = sorted({row["step"] for result in found.values() for row in result["validation"]})
    rows = []
    for step in steps:
        at = {
            name: {row["step"]: row["perplexity"] for row in result["validation"]}.get(step)
            for name, result in found.items()
        }
        if sum(value is not None for value in at.values()) > 1 or step == steps[-1]:
            cells = ["" if value is None else f"{value:.1f}" for value in at.values()]
            rows.append([f"{step:,}", *cells])
    return markdown(["batches", *(TRAININGS[name] for name in found)], rows)
