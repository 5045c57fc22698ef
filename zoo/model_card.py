"""The model card of an entry, written from its recipe and its metrics."""

import json
import shlex

from . import families


def write(recipe, metrics):
    """The card, Markdown.

    Args:
        recipe: the `Recipe`.
        metrics: what `export` writes into `metrics.json`.

    Returns:
        A text.
    """
    card = families.card_of(recipe)
    differences = [f"- {text}" for text in (*recipe.differences, *card.DIFFERENCES)]
    sections = [
        f"# {recipe.name}",
        recipe.task,
        "## Results\n\n" + card.results(recipe, metrics),
        card.pictures(recipe),
        "## Use\n\n" + card.use(recipe, metrics),
        "## Training\n\n" + card.training(recipe, metrics),
        "## Differences from the paper\n\n" + "\n".join(differences) if differences else "",
        test_data_seen(recipe),
        f"Source: {card.SOURCE}. This file is written by "
        "`keras-adaptive export` from `recipe.json` and `metrics.json`.",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def test_data_seen(recipe):
    """The section on what was known of test data, empty if nothing was."""
    if not recipe.test_data_seen:
        return ""
    return (
        "## Test figures that were seen before a change\n\n"
        + "\n".join(f"- {text}" for text in recipe.test_data_seen)
        + "\n\nThe figures above are of the same test examples as those. `keras-adaptive verify "
        f"{recipe.name}` measures them on others."
    )


def loading(recipe, metrics):
    """The arguments by which `zoo.load` finds this entry.

    An entry that is not among those of the package is loaded from the folder that it lies in.
    """
    folder = metrics.get("folder")
    where = "" if folder is None else f", folder={json.dumps(folder, ensure_ascii=False)}"
    return f'"{recipe.name}"{where}'


def asking(recipe, metrics, example):
    """A call of `zoo.predict` that asks this entry about an example."""
    name, *folder = loading(recipe, metrics).split(", ", 1)
    return f"zoo.predict({', '.join([name, json.dumps(example), *folder])})"


def percent(value):
    """A rate in percent with two decimals."""
    return f"{100 * value:.2f} %"


def minutes(seconds):
    """A duration in words.

    >>> minutes(70), minutes(540), minutes(12)
    ('1 minute', '9 minutes', 'less than a minute')
    """
    count = round(seconds / 60)
    return {0: "less than a minute", 1: "1 minute"}.get(count, f"{count:,} minutes")


def markdown(header, rows):
    """A Markdown table.

    Example:

    >>> print(markdown(["a", "b"], [[1, 2]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [header, ["---"] * len(header), *rows]
    texts = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    texts[1] = texts[1].replace(" ", "")
    return "\n".join(texts)


def changes(settings):
    """What a training changed in its recipe, in words."""
    changed = [f"{key}={value}" for key, value in (settings["overrides"] or {}).items()]
    if settings["steps_scale"]:
        changed.append(f"steps × {settings['steps_scale']:g}")
    return ", ".join(changed) or "–"


def command(recipe, metrics):
    """The command that trains the model again."""
    settings = metrics["settings"]
    words = ["keras-adaptive", "train", recipe.name]
    words += ["--backend", metrics["training_backend"], "--seed", str(metrics["training_seed"])]
    if settings["variant"]:
        words += ["--variant", settings["variant"]]
    if settings["steps_scale"]:
        words += ["--steps-scale", f"{settings['steps_scale']:g}"]
    for key, value in (settings["overrides"] or {}).items():
        words += ["--set", f"{key}={value}"]
    return shlex.join(words)
