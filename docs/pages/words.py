"""The tables of docs/words.md: what language models on words reached."""

from keras_adaptive.zoo.entries.card import markdown
from keras_adaptive.zoo.families.language import card, words_card

PAGE = "docs/words.md"
ENTRY = "act_words"
# Earlier, shorter trainings: what `evaluate --json` said, and what a training took.
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
    path = folder / "saved_models" / ENTRY / "metrics.json"
    published = read(path) if path.is_file() else None
    return {
        "words": card.trainings(published["runs"], "perplexity", 1) if published else "",
        "frequencies": words_card.frequencies(published["by_difficulty"]) if published else "",
        "perplexity": perplexities(found) if found else "",
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
    header = ["network", "batches", "CPU minutes", "test perplexity", "steps per word"]
    return markdown(header, rows)


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
