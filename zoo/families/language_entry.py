"""What an entry that predicts bytes consists of, and how commands speak of it."""

from pathlib import Path

import numpy as np

from ... import datasets, plots
from ...datasets.enwik8 import characters
from .. import baseline, segmentation
from ..evaluate import measure
from ..figures import Exact
from ..model_card import markdown
from . import act_entry
from .act_entry import limited, parameters, refuse_with_example
from .language import ALL, SCORE, Probe, ask, bits, by_difficulty, summary

__all__ = [
    "EXAMPLES",
    "KEPT",
    "add_endpoints",
    "check_plot",
    "draw",
    "exact",
    "kinds_table",
    "limited",
    "measured",
    "parameters",
    "plot",
    "published",
    "spoken",
    "told",
]

# Windows; the test part of the first megabyte has 106.
EXAMPLES = 100
KEPT = (
    "variant",
    "training_seed",
    "training_backend",
    "settings",
    "steps",
    "training_seconds",
    "validation_bits_per_character",
    "validation_ponder_steps",
    "bits_per_character",
    "confidence_interval",
    "examples",
    "ponder",
    "ponder_steps",
)
# How far two processors may be apart: in means over all bytes, and where a single halt can count.
ROUNDED = 2e-3
NEARLY = 2e-2
# Bytes of a passage in a picture, and how many are read before it.
SHOWN = 160
BEFORE = 200
PASSAGES = {"prose": "sequence.png", "XML tags": "tags.png"}


def measured(run, model, trainings, request):
    """The baseline without ACT, how peaks find words, and the passages for the pictures."""
    probe = Probe(model)
    return {
        "without_act": act_entry.best_plain(trainings, f"validation_{SCORE}", KEPT),
        "segmentation": segmentation.measured(probe, run.recipe),
        "passages": {name: passage(name, probe, run.recipe) for name in PASSAGES},
    }


def published(recipe, metrics):
    """Nothing is drawn at random: the test part is measured as a whole, see `exact`."""
    return []


def exact(recipe, metrics, model, folder):
    """All numbers of the card, from the whole text.

    Raises:
        FileNotFoundError: the text is not there.
    """
    probe = Probe(model)
    found = [*scores_again("with ACT", metrics, probe, recipe)]
    plain = baseline.load(metrics, folder)
    if plain is not None:
        found += scores_again("without ACT", metrics["without_act"], Probe(plain), recipe)
    pieces = {(row["text"], row["signal"]): row for row in segmentation.measured(probe, recipe)}
    for row in metrics["segmentation"]:
        again = pieces[row["text"], row["signal"]]
        what = f"boundaries, {row['text']}, {row['signal']} {row['side']}"
        found.append(Exact(what, "side", 0, int(row["side"] != again["side"])))
        names = ("height", *segmentation.NUMBERS, "every_byte")
        found += [Exact(what, name, row[name], again[name], NEARLY) for name in names]
    return found


def scores_again(what, row, probe, recipe):
    """The bits per character of a model on both parts, of the one with ACT also by kinds."""
    validation = f"validation_{SCORE}"
    measured = measure(probe, recipe, ALL, split="validation")
    yield Exact(what, validation, row[validation], summary(measured)[SCORE], ROUNDED)
    measured = measure(probe, recipe, ALL)
    numbers = summary(measured)
    for name in (SCORE, "ponder", "ponder_steps"):
        yield Exact(what, name, row[name], numbers[name], ROUNDED)
    kinds = {row["kind"]: row for row in by_difficulty(measured)}
    for one in row.get("by_difficulty", ()):
        for name, published in one.items():
            if name != "kind":
                again = kinds[one["kind"]][name]
                yield Exact(f"bytes: {one['kind']}", name, published, again, NEARLY)


def passage(kind, probe, recipe):
    """What the model does along a passage of the test part.

    Args:
        kind: `"prose"`, the passage with the most letters, spaces and punctuation; or
            `"XML tags"`, that with the most bytes in tags.
        probe: a `Probe`.
        recipe: the model's `Recipe`.

    Returns:
        A dict as of `ask` without answers, for `SHOWN` bytes, and `start`, the place of the first
        in the test part. `BEFORE` bytes are read before them, from a state of zeros.
    """
    parameters = {**recipe.parameters, "length": BEFORE + SHOWN}
    task = datasets.task(recipe.dataset)
    windows = task.windows("test", **parameters)
    kinds = characters.kinds(windows["inputs"])[:, BEFORE:]
    prose = ("spaces", "punctuation", "word starts", "inside words")
    names = ("XML tags",) if kind == "XML tags" else prose
    wanted = np.isin(kinds, [characters.KINDS.index(name) for name in names])
    best = int(wanted.sum(axis=1).argmax())
    inputs, targets = (windows[name][best : best + 1] for name in ("inputs", "targets"))
    found = probe(inputs)
    found["bits"] = bits(found["outputs"], targets)
    return {
        "start": best * (BEFORE + SHOWN) + BEFORE,
        "inputs": task.describe(inputs[0, BEFORE:]),
        **{
            name: [round(float(value), 3) for value in found[name][0, BEFORE:]]
            for name in ("ponder", "bits", "entropy")
        },
    }


def add_endpoints(archive, model):
    """Give the SavedModel its endpoints, as `act_entry` does, for bytes int32 (batch, time)."""
    act_entry.add_endpoints(archive, model)


def draw(folder, model, recipe, metrics, history):
    """Write the pictures of the card."""
    for name, file in PASSAGES.items():
        plots.text.ponder_under_text(folder / file, metrics["passages"][name])
    plots.text.bits_while_training(folder / "learning_curve.png", {"with ACT": history})


def told(metrics):
    """The numbers of an evaluation in words."""
    low, high = metrics["confidence_interval"]
    return (
        f"{metrics[SCORE]:.3f} bits per character ({low:.3f} to {high:.3f}, {metrics['examples']} "
        f"windows), ponder {metrics['ponder']:.2f}, steps {metrics['ponder_steps']:.2f}"
    )


def kinds_table(rows):
    """The means over all bytes of a kind as a table, from `by_difficulty`."""
    header = ["byte read", "bytes", "ponder ρ", "steps N", "loss (bits)", "entropy (bits)"]
    keys = ("ponder", "ponder_steps", SCORE, "entropy")
    cells = [
        [row["kind"], f"{row['bytes']:,}", *(f"{row[key]:.2f}" for key in keys)] for row in rows
    ]
    return markdown(header, cells)


def spoken(found):
    """What a model does while it reads, as a table with a line for each byte."""
    lines = [("byte", "next", "ponder", "steps", "loss", "entropy")]
    for place, pair in enumerate(zip(found["inputs"], found["answers"], strict=True)):
        loss = found["bits"][place]
        lines.append(
            (
                *(repr(letter) if letter == " " else letter for letter in pair),
                f"{found['ponder'][place]:.2f}",
                str(found["ponder_steps"][place]),
                "" if loss is None else f"{loss:.2f}",
                f"{found['entropy'][place]:.2f}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)


def check_plot(name, recipe, request):
    """Refuse a picture that cannot be drawn; `request` as for `plot`.

    Raises:
        ValueError: no text, one that is too long, or no such kind of file.
    """
    plots.check_format(request.out or f"{name}.png")
    refuse_with_example(request)
    if not request.input:
        raise ValueError(f'{name} draws what it does with a text: plot {name} "some text"')
    count = len(request.input.encode())
    if count > plots.text.MOST:
        raise ValueError(f"a text of 1 to {plots.text.MOST} bytes can be drawn. Received: {count}")


def plot(name, model, recipe, request):
    """Draw ponder, loss and entropy under each character of a text.

    Args:
        name: of the entry.
        model: the loaded model.
        recipe: its `Recipe`.
        request: has `out` and `input`, the text.

    Returns:
        A dict: `picture`, its file, and what `ask` says.

    Raises:
        ValueError: no text, or one that is too long.
    """
    found = ask(Probe(model), recipe, request.input)
    out = Path(request.out or f"{name}.png")
    plots.text.ponder_under_text(out, found, name)
    return {"picture": str(out), **found}
