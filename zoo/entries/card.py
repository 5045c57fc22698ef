"""The model card of an entry, written from its recipe and its metrics."""

import dataclasses
import itertools
import json
import shlex
import textwrap

from ... import datasets
from ...datasets import human_form
from ...statistics import median_of_each
from .changes import changes, of_data, of_own

LICENCE = "Apache 2.0, as the package."


@dataclasses.dataclass(frozen=True)
class Sections:
    """The sections of a card that a family writes, in Markdown.

    Args:
        source: the paper.
        results: the tables of errors beside the paper's.
        pictures: the pictures and what they show.
        use: how to load, ask and serve the model.
        training: the settings, the command, and all trainings that were run.
        differences: how all models of the family differ from the paper's, one sentence each.
        licence: a sentence on a licence that applies besides the one of the package.
    """

    source: str
    results: str
    pictures: str
    use: str
    training: str
    differences: tuple[str, ...] = ()
    licence: str = ""


def write(recipe, sections, limits, metrics, thinking_less=""):
    """The card, Markdown.

    Args:
        recipe: the `Recipe`.
        sections: the `Sections` of its family.
        limits: sentences on its training sizes, and its errors there and beyond.
        metrics: its `metrics.json`.
        thinking_less: the errors if its number of steps is limited.

    Returns:
        A text.
    """
    own, data = of_own(recipe, metrics), of_data(recipe)
    differences = [own] if own else recipe.differences
    differences = [f"- {text}" for text in (*differences, *sections.differences)]
    parts = [
        f"# {recipe.name}",
        f"{recipe.task} Here with {data}." if data else recipe.task,
        "## Use\n\n" + sections.use,
        "## Results\n\n" + sections.results,
        "## Limits\n\n" + limits,
        "## Licence\n\n" + " ".join([LICENCE, sections.licence]).strip(),
        "## With less thought\n\n" + thinking_less if thinking_less else "",
        "## Pictures\n\n" + sections.pictures,
        "## Differences from the paper\n\n" + "\n".join(differences) if differences else "",
        "" if own else test_data_seen(recipe, metrics["seed"]),
        "## Training\n\n" + folded("Settings, command, and all trainings", sections.training),
        f"Source: {sections.source}. This file is written by "
        "`keras-adaptive export` from `recipe.json` and `metrics.json`.",
    ]
    return "\n\n".join(section for section in parts if section) + "\n"


def folded(summary, text):
    """Markdown that is folded until its summary is clicked.

    >>> print(folded("More", "Much more."))
    <details><summary>More</summary>
    <BLANKLINE>
    Much more.
    <BLANKLINE>
    </details>
    """
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def encoding(recipe, example, answer="task.decode(model.predict(inputs)[0])"):
    """Lines of Python that encode an example and print the answer of `model`.

    Args:
        recipe: the `Recipe` of the model.
        example: in human form.
        answer: the expression of the answer, with `task`, `model` and `inputs`.
    """
    return f"{encoded(recipe, example)}\nprint({answer})"


def encoded(recipe, example):
    """Lines of Python that encode an example as the network of a recipe reads it."""
    call = human_form.call(recipe.dataset, example, recipe.parameters)
    return f'task = datasets.task("{recipe.dataset}")\ninputs = {call}'


def layout(recipe, example):
    """What the numbers of a SavedModel stand for, after an empty line, if its task says it."""
    text = human_form.layout(recipe.dataset, example, recipe.parameters)
    return text and f"\n\n{text}"


def test_data_seen(recipe, seed):
    """The section on what was known about test data; empty if nothing was."""
    earlier = "\n".join(f"- {text}" for text in recipe.test_data_seen)
    title = "## Test figures that were seen before a change" if earlier else "## Test examples"
    if seed:
        which = (
            "Figures of earlier versions are of other test examples. Those of this version, with "
            f"seed {seed}, were measured once, after the training was chosen."
        )
    else:
        which = "The figures above are of the same test examples as those."
    how = "on others" if recipe.dataset in datasets.names() else "again"
    again = f"{which} `keras-adaptive verify {recipe.name}` measures them {how}."
    return "\n\n".join(filter(None, (title, earlier, again))) if seed or earlier else ""


def loading(recipe, metrics):
    """The arguments with which `zoo.load` loads this entry.

    An entry that is not part of the package is loaded from its own folder.
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


def error(row):
    """A sequence error with its interval."""
    low, high = row["confidence_interval"]
    return f"**{percent(row['sequence_error'])}** ({percent(low)} to {percent(high)})"


def compared(recipe, metrics, rows, length, name):
    """Lines with the sequence errors of all models of a task.

    Args:
        recipe: the entry's `Recipe`.
        metrics: its `metrics.json`.
        rows: the key of the measurements, in the entry's and in the others' metrics.
        length: a function of a measurement that says how long its examples are.
        name: a function of a measurement for the header.
    """
    own = [row for row in metrics[rows] if row.get("probe") is None]
    lines = []
    for model, measured in [
        (f"{recipe.name} (this one)", metrics[rows]),
        *((f"[{x['model']}](../{x['model']}/README.md)", x[rows]) for x in metrics["other_models"]),
    ]:
        errors = {length(row): percent(row["sequence_error"]) for row in measured}
        lines.append([model, *(errors.get(length(row), "–") for row in own)])
    header = ["model", *map(name, own)]
    return ["Sequence errors of the models of this task:", "", markdown(header, lines)]


def minutes(seconds):
    """A duration in words.

    >>> minutes(70), minutes(540), minutes(12)
    ('1 minute', '9 minutes', 'less than a minute')
    """
    count = round(seconds / 60)
    return {0: "less than a minute", 1: "1 minute"}.get(count, f"{count:,} minutes")


def duration(metrics):
    """How long a training took in words, and on which accelerator, if any.

    >>> duration({"training_seconds": 540, "accelerator": "NVIDIA H200"})
    '9 minutes on an NVIDIA H200'
    """
    place = f" on an {metrics['accelerator']}" if "accelerator" in metrics else ""
    return minutes(metrics["training_seconds"]) + place


def whole_minutes(metrics):
    """How long a training took as a cell of a table.

    >>> whole_minutes({"training_seconds": 540}), whole_minutes(
    ...     {"training_seconds": 540, "accelerator": "NVIDIA H200"}
    ... )
    ('9', '9 (NVIDIA H200)')
    """
    place = f" ({metrics['accelerator']})" if "accelerator" in metrics else ""
    return f"{metrics['training_seconds'] / 60:.0f}{place}"


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


def command(recipe, metrics):
    """The commands that train the model again, one in each line.

    The first one trains the network that another starts from.
    """
    settings, backend = metrics["settings"], metrics["training_backend"]
    words = words_of({**settings, "recipe": recipe.name, "seed": metrics["training_seed"]}, backend)
    lines = [words]
    while origin := settings.get("weights"):
        settings = origin["settings"]
        words += ["--weights", origin["folder"]]
        words = [*words_of(settings, backend), "--out", origin["folder"]]
        lines.insert(0, words)
    return "\n".join(map(shlex.join, lines))


def words_of(settings, backend):
    """The words of the command of a training, but its folders."""
    words = ["keras-adaptive", "train", settings["recipe"], "--backend", backend]
    if settings["seed"] is not None:
        words += ["--seed", str(settings["seed"])]
    if settings["variant"]:
        words += ["--variant", settings["variant"]]
    if settings["steps_scale"]:
        words += ["--steps-scale", f"{settings['steps_scale']:g}"]
    if settings.get("precision"):
        words += ["--precision", settings["precision"]]
    for key, value in (settings["overrides"] or {}).items():
        words += ["--set", f"{key}={value}"]
    return words


def trained(words, recipe, metrics, of_what=""):
    """Lines on how a network was trained, with the command that repeats it.

    Args:
        words: the network and its optimizer.
        recipe: the entry's `Recipe`.
        metrics: its `metrics.json`.
        of_what: what follows the number of examples in a batch.
    """
    sizes = [str(size) for size, _ in itertools.groupby(map(recipe.batch_size_at, recipe.stages))]
    ended = "" if metrics.get("finished", True) else " when the training was stopped early"
    commit = f"; exported at commit {metrics['commit'][:12]}" if metrics["commit"] else ""
    return [
        f"{words}. Batches of {', then '.join(sizes)}{of_what}, {metrics['steps']:,} of them"
        f"{ended}, {duration(metrics)} "
        f"with the {metrics['training_backend']} backend{commit}. Train it again with",
        "",
        textwrap.indent(command(recipe, metrics), "    "),
        "",
    ]


def batches(run):
    """The number of batches of a training as a cell of a table.

    >>> batches({"steps": 1500}), batches({"steps": 20, "finished": False})
    ('1,500', '20 (stopped early)')
    """
    return f"{run['steps']:,}" + ("" if run.get("finished", True) else " (stopped early)")


def with_medians(runs):
    """The trainings, and the median of those that differ in their seed alone, if there are three.

    Args:
        runs: what is known of each training, `metrics["runs"]`.
    """
    alike = {}
    for run in runs:
        if run.get("finished", True):
            alike.setdefault((run.get("variant"), changes(run["settings"])), []).append(run)
    medians = []
    for group in alike.values():
        seeds = {run["training_seed"] for run in group}
        if len(seeds) == len(group) >= 3:
            one = {"training_seed": f"median of {len(group)}", "settings": group[0]["settings"]}
            medians.append({**median_of_each(group), **one})
    return [*runs, *medians]


def trainings_table(metrics, symbols):
    """The table of trainings of an entry that is also validated on longer examples.

    Args:
        metrics: the `metrics.json` of the entry.
        symbols: what an answer consists of, `"bits"` or `"symbols"`.
    """
    longer = metrics["longer"]
    header = ["seed", "other settings", "batches", "minutes", "validation error"]
    header += [f"validation at {longer}: error", symbols, "test error"]
    rows = [
        [
            run["training_seed"],
            changes(run["settings"]),
            batches(run),
            whole_minutes(run),
            percent(run["validation_error"]),
            percent(run["longer_error"])
            + ("" if run["longer"] == longer else f" (at {run['longer']})"),
            f"{100 * run['longer_symbol_error']:.4f} %",
            percent(run["sequence_error"]),
        ]
        for run in with_medians(metrics["runs"])
    ]
    return markdown(header, rows)
