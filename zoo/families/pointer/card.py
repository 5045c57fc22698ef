"""The sections of the model card of an entry with a pointer network."""

from .... import datasets
from ....formatting import aligned
from ...entries import lengths
from ...entries.card import (
    asking,
    batches,
    command,
    duration,
    encoding,
    error,
    loading,
    markdown,
    percent,
    whole_minutes,
    with_medians,
)
from ...entries.changes import changes
from ..act.card import choice

SOURCE = (
    "Oriol Vinyals, Meire Fortunato and Navdeep Jaitly, [Pointer Networks]"
    "(https://arxiv.org/abs/1506.03134), 2015; with ACT: Alex Graves, Oriol Vinyals, Michael "
    "Figurnov and Rafal Jozefowicz, Learning When to Halt With Adaptive Computation Time, slides, "
    "about 2016"
)
NAMES = {"act": "ACT", "plain": "none: the paper's decoder"}
DIFFERENCES = (
    "An answer ends where its first index returns, as in the authors' files; there is no end "
    "symbol.",
    "The search chooses among what can still become a valid answer.",
    "The slides do not say where ACT was put. Here each step of ACT is a step of the decoder's "
    "LSTM with a new look at the points.",
)
# What is measured beside the error, and how it is written.
SCORES = {
    "area_covered": ("area covered", percent),
    "invalid": ("invalid", percent),
    "length_ratio": ("length / shortest", "{:.4f}".format),
    "valid": ("valid", percent),
}


def results(recipe, metrics):
    """The table of the errors with several numbers of points."""
    low = min({**recipe.parameters, **stage.parameters}["min_length"] for stage in recipe.stages)
    high = recipe.parameters["length"]
    return "\n".join(
        [
            "Shares of fresh test examples whose answer is not exactly that of the data set, by "
            "greedy search, with the 95 % confidence interval after Wilson; and the mean number of "
            f"steps per output. The training saw {low} to {high} points.",
            "",
            by_points(metrics),
            "",
            f"The paper ({recipe.paper['cell']}): {recipe.paper['error']}.",
        ]
    )


def by_points(metrics):
    """The table of what was measured with several numbers of points."""
    names = [name for name in SCORES if name in metrics]
    rows = [
        [
            lengths.name_of(row),
            f"{row['examples']:,}",
            error(row),
            *(SCORES[name][1](row[name]) for name in names),
            f"{row['ponder_steps']:.2f}",
        ]
        for row in metrics["lengths"]
    ]
    header = ["points", "examples", "sequence error", *(SCORES[name][0] for name in names), "steps"]
    return markdown(header, rows)


def scores(metrics):
    """What is measured beside the error, in words."""
    names = [name for name in SCORES if name in metrics]
    return ", ".join(f"{SCORES[name][0]} {SCORES[name][1](metrics[name])}" for name in names)


def trainings_table(recipe, metrics):
    """The table of all trainings, with the same test examples.

    Tours are compared by their length, as several are nearly as short as the shortest.
    """
    points = dict.fromkeys([recipe.parameters["min_length"], recipe.parameters["length"]])
    shown = "length_ratio" if "length_ratio" in metrics else "sequence_error"
    name, text = SCORES.get(shown, ("", percent))
    rows = []
    for run in with_medians(metrics["runs"]):
        by_points = {row["difficulty"]: row[shown] for row in run["by_difficulty"]}
        rows.append(
            [
                NAMES.get(run["variant"], run["variant"]),
                run["training_seed"],
                batches(run),
                whole_minutes(run),
                percent(run["sequence_error"]),
                *(text(by_points[n]) if n in by_points else "–" for n in points),
                f"{run['ponder_steps']:.2f}",
            ]
        )
    columns = [f"{name}, {n} points" if name else f"{n} points" for n in points]
    return markdown(["halting", "seed", "batches", "minutes", "error", *columns, "steps"], rows)


def pictures(recipe):
    """The pictures and what they show."""
    return (
        "![answers over points](ponder.png)\n\nThe first test examples: points, the answer, and "
        "the ponder ρ = N + R before each of its outputs, as the colour of the point that was "
        "chosen.\n\n![learning curve](learning_curve.png)\n\nLoss and errors while it was "
        "trained. In training the true points are fed back; in validation the answer is searched."
    )


def use(recipe, metrics):
    """How to load and serve the model."""
    this, example = loading(recipe, metrics), datasets.task(recipe.dataset).EXAMPLE
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({this})            # a compiled keras.Model, for more training too
wide = zoo.load({this}, beam=4)     # the same, which keeps four answers while it searches
{encoding(recipe, example)}
{asking(recipe, metrics, example)}  # the same, with the ponder of each output
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes points, float32 (batch, n, 2), -1 where there is none, for
any batch and n, and returns `indices` (batch, n + 1), from 1, and 0 after the end, `outputs`,
`ponder`, `ponder_steps` and `log_probability`; `serve_with_limits` also takes `max_ponder` and
`epsilon`. It is for inference only: gradients through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    rows = [
        [
            NAMES.get(run["variant"], run["variant"]),
            run["training_seed"],
            changes(run["settings"]),
            f"{run['steps']:,}",
            duration(run),
            percent(run["validation_error"]),
        ]
        for run in metrics["runs"]
    ]
    header = ["halting", "seed", "changed settings", "batches", "duration", "validation error"]
    return (
        f"Two LSTMs of {settings['units']} units, at most {settings['max_ponder']} looks before "
        f"each output, τ = {recipe.stages[-1].time_penalty:g} at the end, batches of "
        f"{recipe.batch_size}; Adam, gradients clipped at a global norm of "
        f"{settings['clipnorm']:g}.\n\n```\n{command(recipe, metrics)}\n```\n\n"
        + markdown(header, rows)
        + f"\n\n{choice(metrics['runs'])}\n\nOn test examples with as many points as in training:"
        + f"\n\n{trainings_table(recipe, metrics)}"
    )


def answer_table(answer):
    """A table with a line for each index of an answer, and the answer."""
    header = ("index", "point", "steps", "ponder", "confidence")
    indices = answer["answer"].split()
    points = [answer["points"][int(index) - 1] for index in indices]
    shares = [f"{share:.1%}" for share in answer["confidence"]]
    columns = (indices, points, answer["ponder_steps"], answer["ponder"], shares)
    rows = [[str(cell) for cell in row] for row in (header, *zip(*columns, strict=True))]
    described = [f"{name}: {answer[name]}" for name in ("area", "length") if name in answer]
    return "\n".join([*aligned(rows), *described, f"answer: {answer['answer']}"])
