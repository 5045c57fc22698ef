"""The sections of the model card of an entry that predicts the bytes of a text."""

from ....datasets.enwik8.enwik8 import SIZE
from ...entries import baseline
from ...entries.card import (
    asking,
    batches,
    encoding,
    loading,
    markdown,
    trained,
    whole_minutes,
)
from ...entries.changes import changes
from ..act.card import SOURCE as PAPER
from .at_spaces import RATIOS
from .passage import BEFORE, PASSAGES, SHOWN

SCORE = "bits_per_character"
LICENCE = (
    "The passages in its pictures are text of Wikipedia by its authors, under the GNU Free "
    "Documentation License and CC BY-SA."
)
EXAMPLE = "some text"
SOURCE = f"{PAPER}.5"
DIFFERENCES = ("The halting unit sees the cell's output, which Equation 5 of the paper allows.",)


def results(recipe, metrics):
    """What was trained on what, the bits per character, and the two tables."""
    lines = [
        trained_on(recipe),
        "",
        f"Bits per character on {windows(recipe, metrics)}, each read from a state of zeros, with "
        "the 95 % confidence interval (over windows, as if they were independent):",
        "",
        scores(recipe, metrics),
        "",
        f"The network without ACT: {baseline.in_words(metrics)}.",
        "",
        "What the bytes of the test part cost, by the kind of the byte that is read; loss and "
        "entropy are those of the prediction of the next byte:",
        "",
        kinds_table(metrics["by_difficulty"]),
        "",
        *at_spaces(metrics),
        *boundaries(metrics),
    ]
    return "\n".join(lines)


def windows(recipe, metrics):
    """The windows that were measured, in words."""
    count, length = f"{metrics['examples']:,}", recipe.parameters["length"]
    if recipe.parameters["size"] == SIZE:
        return f"{count} windows of {length} bytes, drawn from the test part"
    return f"the {count} consecutive windows of {length} bytes of the test part"


def at_spaces(metrics):
    """How long it ponders where a word's first byte is predicted, beside inside words."""
    if "space_ratio" not in metrics:
        return []
    return [
        "At a space, where a word's first byte is predicted, ponder ρ is "
        f"{ratio_in_words(metrics)} times that inside words, and the number of steps N is "
        f"{ratio_in_words(metrics, 'space_steps_ratio')} times that there (with the 95 % "
        "confidence intervals).",
        "",
    ]


def trained_on(recipe):
    """What was trained on what, in plain words."""
    size = recipe.parameters["size"]
    if size == SIZE:
        return (
            "**Trained on windows drawn from the first 90,000,000 bytes of enwik8**, validation on "
            "the next 5 million, test on the last 5 million, as the field has it. The field reads "
            "the test part as one text; here each window begins with a state of zeros, and the "
            "paper reports errors on its training set."
        )
    return (
        f"**Trained on the first {size * 90 // 100:,} bytes of enwik8** (90 % of its first "
        f"{size:,}); validation on the next 5 %, test on the last 5 %. The field trains on "
        "90,000,000 bytes and tests on the last 5,000,000, and the paper reports errors on its "
        "training set: **these numbers compare with neither**, only with each other."
    )


def scores(recipe, metrics):
    """The table of bits per character with and without ACT."""
    rows = [row("with ACT", metrics, recipe.paper["error"], "**")]
    plain = metrics["without_act"]
    if plain:
        same = plain["steps"] == metrics["steps"]
        name = f"without ACT, same size{' and steps' if same else ''}"
        rows.append(row(name, plain, recipe.paper["error_without_act"]))
    header = ["", "bits per character", "steps per byte", "ponder ρ", "paper"]
    return markdown(header, rows)


def row(name, metrics, paper, mark="", score=SCORE, digits=3):
    """A line of `scores`, or of the table of another score with some digits."""
    low, high = metrics["confidence_interval"]
    value, low, high = (f"{number:.{digits}f}" for number in (metrics[score], low, high))
    return [
        name,
        f"{mark}{value}{mark} ({low} to {high})",
        f"{metrics['ponder_steps']:.2f}",
        f"{metrics['ponder']:.2f}",
        paper,
    ]


def kinds_table(rows):
    """The means over all bytes of a kind as a table, from `Language.by_difficulty`."""
    header = ["byte read", "bytes", "ponder ρ", "steps N", "loss (bits)", "entropy (bits)"]
    keys = ("ponder", "ponder_steps", SCORE, "entropy")
    cells = [
        [row["kind"], f"{row['bytes']:,}", *(f"{row[key]:.2f}" for key in keys)] for row in rows
    ]
    return markdown(header, cells)


def boundaries_table(metrics):
    """How well peaks find the boundaries between words."""
    rows = [
        [
            row["text"],
            f"{row['signal']}, {row['side']}",
            *(f"{100 * row[name]:.1f} %" for name in ("precision", "recall", "f1")),
            f"{100 * row['every_byte']:.1f} %",
        ]
        for row in metrics["segmentation"]
    ]
    header = ["text", "boundary at peaks of", "precision", "recall", "F1", "every byte"]
    return markdown(header, rows)


def boundaries(metrics):
    """The table of boundaries, and what it says."""
    return [
        "`keras-adaptive segment` proposes a boundary where ponder (or loss, or entropy) has a "
        "peak of a least height, after the byte of the peak or before it; height and side were "
        "chosen on the validation part, for each signal and text. (That there are two sides was "
        "added after the test part's figures for boundaries after a peak had been seen.) Measured "
        "on the test part: the boundaries between words, at white space, and where it was after "
        "all of it had been removed (no text without spaces was trained on). The last column is "
        "the F1 of a boundary at every byte. **With spaces, “is it a space?” finds all of them**: "
        "only the second half of the table is a test.",
        "",
        boundaries_table(metrics),
    ]


def pictures(recipe):
    """The pictures and what they show."""
    prose, tags = PASSAGES["prose"], PASSAGES["XML tags"]
    return (
        f"![ponder, loss and entropy along prose]({prose})\n\nPonder, prediction loss and "
        f"prediction entropy at each byte of {SHOWN} bytes of the test part (as Figure 23 of the "
        "paper): the passage with the most letters, spaces, punctuation and word starts. The "
        f"{BEFORE} bytes before it were read first.\n\n"
        f"![ponder, loss and entropy along XML tags]({tags})\n\nThe same at the passage with the "
        "most bytes in XML tags (as Figure 24).\n\n"
        "![bits per character while training](learning_curve.png)\n\nBits per character and ponder "
        "while the network was trained."
    )


def use(recipe, metrics):
    """How to load, serve and question the model."""
    name, commands = recipe.name, ""
    if metrics.get("folder") is None:
        commands = f"""```bash
keras-adaptive plot {name} "A text, to see what it ponders about."
keras-adaptive segment {name} "whereonewordendsandthenextbegins" --by loss
```

"""
    return f"""{commands}```python
from keras_adaptive import datasets, zoo

model = zoo.load({loading(recipe, metrics)})  # bytes to probabilities (batch, time, 256)
{encoding(recipe, EXAMPLE, "model.predict(inputs)[0, -1].argmax()")}  # the most probable next byte
{asking(recipe, metrics, EXAMPLE)}  # ponder, loss and entropy at each byte
```

Measuring it needs the text, see the README of the data set `enwik8`. The
{served("bytes")}"""


def served(unit):
    """What the SavedModel takes and returns, the end of a sentence that begins with "The"."""
    return f"""\
SavedModel in this folder answers without this package: its endpoint `serve` takes {unit} int32
(batch, time) and returns `outputs`, `ponder` and `ponder_steps`; `serve_with_limits` also takes
`max_ponder` and `epsilon`. It is for inference only: gradients through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    words = (
        f"{settings['units']} LSTM units ({recipe.paper['cell']} in the paper); Adam, gradients "
        f"clipped at a global norm of {settings['clipnorm']:g}"
    )
    return with_trainings(recipe, metrics, words, "random windows", "bytes")


def with_trainings(recipe, metrics, network, rows, unit, score=SCORE, digits=3):
    """The section `training`, of a network and the rows of its batches in words."""
    length = recipe.parameters_at(recipe.stages[0])["length"]
    adaptive = [run for run in metrics["runs"] if run["variant"] == metrics["variant"]]
    only = ", the only one with ACT" if len(adaptive) == 1 else ""
    lines = [
        *trained(network, recipe, metrics, f" {rows} of {length} {unit}"),
        f"The trainings that the card was made from. The published one is the first{only}.",
        "",
        trainings(metrics["runs"], score, digits),
    ]
    return "\n".join(lines)


def trainings(runs, score=SCORE, digits=3):
    """The table of all trainings with their scores."""
    header = ["variant", "seed", "other settings", "steps", "minutes", "validation", "test", "N"]
    with_ratios = any("space_ratio" in run for run in runs)
    header += ["ρ at spaces / inside words", "N at spaces / inside words"] if with_ratios else []
    rows = [
        [
            run["variant"],
            run["training_seed"],
            changes(run["settings"]),
            batches(run),
            whole_minutes(run),
            f"{run[f'validation_{score}']:.{digits}f}",
            f"{run[score]:.{digits}f}",
            f"{run['ponder_steps']:.2f}",
            *(map(ratio_in_words, [run] * 2, RATIOS.values()) if with_ratios else ()),
        ]
        for run in runs
    ]
    return markdown(header, rows)


def ratio_in_words(metrics, name="space_ratio"):
    """The ponder or the steps at spaces beside those inside words, with the interval.

    >>> ratio_in_words({"space_ratio": 1.25, "space_ratio_interval": [1.2, 1.3]})
    '1.25 (1.20 to 1.30)'
    """
    low, high = metrics[f"{name}_interval"]
    return f"{metrics[name]:.2f} ({low:.2f} to {high:.2f})"
