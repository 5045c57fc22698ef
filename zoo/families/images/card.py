"""The sections of the model card of an entry for images."""

from statistics import mean

from .... import datasets
from ...entries.card import asking, batches, command, duration, loading, markdown, percent
from ...entries.changes import changes

SOURCE = (
    "Michael Figurnov, Maxwell D. Collins, Yukun Zhu, Li Zhang, Jonathan Huang, Dmitry Vetrov and "
    "Ruslan Salakhutdinov, [Spatially Adaptive Computation Time for Residual Networks]"
    "(https://arxiv.org/abs/1612.02297), CVPR 2017"
)
NAMES = {"sact": "SACT", "act": "ACT", "plain": "none"}
DIFFERENCES = (
    "The FLOPs of the halting units are counted too.",
    "In inference on a CPU, what has halted is not computed.",
)


def results(recipe, metrics):
    """Tables of accuracy, FLOPs and units: of sizes, of kinds of halting, classes and answers."""
    lines = [
        *(of_canvases(recipe, metrics) if metrics["sides"] else of_test_images(metrics)),
        "",
        compared(metrics["runs"]),
        "",
        f"The paper, {recipe.paper['cell']}: wrong on {recipe.paper['error']}; without halting on "
        f"{recipe.paper['error_without_act']}.",
        "",
        "By class:",
        "",
        table("class", [[row["class"], row] for row in metrics["by_difficulty"]]),
        "",
        "Where the answer is right, and where it is wrong:",
        "",
        table("answer", [[row["answer"], row] for row in metrics["by_answer"]]),
    ]
    return "\n".join(lines)


def of_canvases(recipe, metrics):
    """Lines on canvases as large as in training, and on larger ones."""
    side, count = recipe.parameters["side"], datasets.task(recipe.dataset).SHARES[-1]
    rows = [[f"{side} × {side}, as in training", metrics]]
    rows += [[f"{row['side']} × {row['side']}", row] for row in metrics["sides"]]
    return [
        f"On fresh canvases with the {count} digits of the test, which no training saw. FLOPs "
        "count what is computed, as a share of those of the network without halting; units of the "
        "first block are counted at the pixels of the digit's 8×8 and at all others.",
        "",
        table("canvas", rows),
    ]


def of_test_images(metrics):
    """Lines on the test images."""
    return [
        "On test images. FLOPs count what is computed, as a share of those of the network without "
        "halting.",
        "",
        table("test images", [["all", metrics]]),
    ]


def table(first, rows):
    """A table of evaluations; `rows` has the text of the first column and the metrics of each."""
    units = ["units inside", "outside"] if "units_inside" in rows[0][1] else []
    header = [first, "images", "accuracy", "MFLOP", "share of FLOPs", *units]
    return markdown(header, [[words, *row_of(row)] for words, row in rows])


def row_of(row, full=None):
    """The cells of an evaluation; FLOPs are shares of `full`, or of its own without halting."""
    share = round(row["flops"] / full, 4) if full else row["flops_share"]
    units = [f"{row[name]:.2f}" for name in ("units_inside", "units_outside") if name in row]
    return [
        f"{row['examples']:,}",
        f"**{percent(row['accuracy'])}**",
        f"{row['flops'] / 1e6:.2f}",
        f"{100 * share:.1f} %",
        *units,
    ]


def seeds(metrics):
    """The table of all trainings."""
    rows = [[run["training_seed"], f"{run['steps']:,}", run] for run in metrics["runs"]]
    return of_runs(["seed", "steps"], rows)


def of_runs(first, rows):
    """A table of trainings; `rows` has the cells of the columns `first` and the metrics of each.

    FLOPs are shares of those of the deepest network without halting.
    """
    full = max((row[-1]["flops"] for row in rows if row[-1]["variant"] == "plain"), default=None)
    units = ["units inside", "outside"] if "units_inside" in rows[0][-1] else []
    header = ["halting", *first, "images", "accuracy", "MFLOP", "share of FLOPs", *units]
    cells = [[NAMES[run["variant"]], *words, *row_of(run, full)] for *words, run in rows]
    return markdown(header, cells)


def compared(runs):
    """The means over the seeds of each kind of halting, a sentence each.

    Trainings of one kind with other settings, such as τ, are listed instead.
    """
    changed = {(run["variant"], changes(run["settings"])) for run in runs}
    if len(changed) > len({kind for kind, _ in changed}):
        rows = [[changes(run["settings"]), run] for run in runs]
        return f"All trainings, beside each other:\n\n{of_runs(['changed settings'], rows)}"
    sentences = []
    for kind, name in NAMES.items():
        those = [run for run in runs if run["variant"] == kind]
        if those:
            sentences.append(
                f"{name if kind != 'plain' else 'Without halting'}, mean of {len(those)}: "
                f"{percent(mean(run['accuracy'] for run in those))} at "
                f"{percent(mean(run['flops_share'] for run in those))} of the FLOPs."
            )
    return " ".join(sentences)


def pictures(recipe):
    """The pictures and what they show."""
    return (
        "![ponder maps](ponder.png)\n\nThe first 16 test images, with their class and the answer, "
        "each beside its ponder ρ = N + R, of all three blocks together."
    )


def use(recipe, metrics):
    """How to load and serve the model."""
    channels = datasets.task(recipe.dataset).sizes()["channels"]
    larger = ", side=64" if "side" in recipe.parameters else ""
    accepted = f"any size{', with a digit of about 8×8 pixels' if larger else ''}"
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({loading(recipe, metrics)})  # a compiled keras.Model, for more training too
batch = datasets.batch("{recipe.dataset}", 4, split="test"{larger})
print(model.predict(batch["inputs"]).argmax(-1), model.flops(batch["inputs"]))
```

`{asking(recipe, metrics, "picture.png")}` answers a picture of {accepted}. `model.keras` is for
evaluation and further training. The SavedModel in this folder answers without this package: its
endpoint `serve` takes images (batch, height, width, {channels}) and returns `outputs`,
probabilities (batch, 10), and N and R of each block, `steps_0`, `remainder_0`, …;
`serve_with_limits` also takes `max_ponder`. It is for inference only: gradients through it are
silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    rows = [
        [
            NAMES[run["variant"]],
            run["training_seed"],
            changes(run["settings"]),
            batches(run),
            duration(run),
        ]
        for run in metrics["runs"]
    ]
    header = ["halting", "seed", "changed settings", "steps", "duration"]
    return (
        f"3 blocks of {settings['residual_units']} units with {settings['channels']} channels, "
        f"halting bias {settings['halting_bias']:g} at first, τ = "
        f"{recipe.stages[-1].time_penalty:g}.\n\n```\n{command(recipe, metrics)}\n```\n\n"
        f"All trainings:\n\n{markdown(header, rows)}\n\nTheir results on the same test examples:"
        f"\n\n{seeds(metrics)}"
    )
