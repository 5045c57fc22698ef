"""The sections of the model card of an entry for images."""

from statistics import mean

from ...entries.card import asking, changes, command, loading, markdown, minutes, percent

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
    """Tables of accuracy, FLOPs and units: of the entry, of larger canvases, of all trainings."""
    side = recipe.parameters["side"]
    rows = [[f"{side} × {side}, as in training", metrics]]
    rows += [[f"{row['side']} × {row['side']}", row] for row in metrics["sides"]]
    lines = [
        "On fresh canvases with digits that no training saw. FLOPs count what is computed, as a "
        "share of those of the network without halting; units of the first block are counted at "
        "the pixels of the digit's 8×8 and at all others.",
        "",
        markdown(
            ["canvas", "canvases", "accuracy", "MFLOP", "share", "units inside", "outside"],
            [[words, *row_of(row)] for words, row in rows],
        ),
        "",
        "All trainings, with the same steps:",
        "",
        seeds(metrics),
        "",
        compared(metrics["runs"]),
        "",
        f"The paper, {recipe.paper['cell']}: {recipe.paper['error']}; without halting "
        f"{recipe.paper['error_without_act']}.",
        "",
        "By class:",
        "",
        markdown(
            ["digit", "canvases", "accuracy", "share of FLOPs", "units inside", "outside"],
            [
                [
                    row["class"],
                    row["examples"],
                    percent(row["accuracy"]),
                    percent(row["flops_share"]),
                    f"{row['units_inside']:.2f}",
                    f"{row['units_outside']:.2f}",
                ]
                for row in metrics["by_difficulty"]
            ],
        ),
    ]
    return "\n".join(line for line in lines)


def row_of(row):
    """The cells of an evaluation."""
    return [
        f"{row['examples']:,}",
        f"**{percent(row['accuracy'])}**",
        f"{row['flops'] / 1e6:.2f}",
        f"{row['flops_share']:.1%}",
        f"{row['units_inside']:.2f}",
        f"{row['units_outside']:.2f}",
    ]


def seeds(metrics):
    """The table of all trainings."""
    rows = [
        [NAMES[run["variant"]], run["training_seed"], f"{run['steps']:,}", *row_of(run)]
        for run in metrics["runs"]
    ]
    header = ["halting", "seed", "steps", "canvases", "accuracy", "MFLOP", "share"]
    return markdown([*header, "units inside", "outside"], rows)


def compared(runs):
    """The means over the seeds of each kind of halting, a sentence each."""
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


def pictures():
    """The pictures and what they show."""
    return (
        "![ponder maps](ponder.png)\n\nThe first 16 test canvases, with the digit and the answer, "
        "each beside its ponder ρ = N + R, of all three blocks together."
    )


def use(recipe, metrics):
    """How to load and serve the model."""
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({loading(recipe, metrics)})  # a compiled keras.Model, for more training too
batch = datasets.batch("{recipe.dataset}", 4, split="test", side=64)
print(model.predict(batch["inputs"]).argmax(-1), model.flops(batch["inputs"]))
```

`{asking(recipe, metrics, "picture.png")}` answers a picture of any size. `model.keras` is for
evaluation and for training on. The SavedModel in this folder answers without this package: its
endpoint `serve` takes canvases (batch, height, width, 1) and returns `outputs`, probabilities
(batch, 10), and N and R of each block, `steps_0`, `remainder_0`, …; `serve_with_limits` also takes
`max_ponder`. It is for inference only: gradients through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    rows = [
        [
            NAMES[run["variant"]],
            run["training_seed"],
            changes(run["settings"]),
            f"{run['steps']:,}",
            minutes(run["training_seconds"]),
        ]
        for run in metrics["runs"]
    ]
    header = ["halting", "seed", "changed settings", "steps", "duration"]
    return (
        f"3 blocks of {settings['residual_units']} units with {settings['channels']} channels, "
        f"halting bias {settings['halting_bias']:g} at first, τ = "
        f"{recipe.stages[-1].time_penalty:g}.\n\n```\n{command(recipe, metrics)}\n```\n\n"
        + markdown(header, rows)
    )
