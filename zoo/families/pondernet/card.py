"""The sections of the model card of an entry with a PonderNet."""

from statistics import median

from ....datasets import human_form
from ...entries.card import asking, batches, encoding, error, loading, markdown, percent
from ..act import card as act

SOURCE = (
    "Andrea Banino, Jan Balaguer and Charles Blundell, [PonderNet: Learning to Ponder]"
    "(https://arxiv.org/abs/2107.05407), 2021, section 3.1"
)
NAMES = {"pondernet": "PonderNet", "act": "ACT", "plain": "one step"}


def results(recipe, metrics):
    """The table of errors inside and beyond the training's range."""
    beyond, length = metrics["beyond"], recipe.parameters["length"]
    rows = [
        [f"1 to {length}, as in training", metrics],
        [f"{beyond['min_length']} to {beyond['length']}, beyond it", beyond],
    ]
    lines = [
        "Shares of wrong answers on fresh test vectors, with their 95 % confidence interval after "
        "Wilson. Each example halts at the median.",
        "",
        markdown(
            ["non-zeros", "examples", "error", "mean steps"],
            [
                [words, f"{row['examples']:,}", error(row), f"{row['ponder_steps']:.2f}"]
                for words, row in rows
            ],
        ),
        "",
        spread(metrics["figure"]),
        "",
        f"The paper: {recipe.paper['error']}; ACT: {recipe.paper['error_without_act']}.",
    ]
    comparison = compared(metrics["runs"])
    return "\n".join([*lines, "", comparison] if comparison else lines)


def spread(rows):
    """How the steps of thought depend on the difficulty, in a sentence.

    >>> spread([{"ponder_steps": 2.0}, {"ponder_steps": 2.5}])
    'The mean steps for each number of non-zeros lie between 2.00 and 2.50.'
    >>> spread([{"ponder_steps": 3.0}, {"ponder_steps": 3.0}])
    'The mean steps are 3.00 for each number of non-zeros.'
    """
    steps = [row["ponder_steps"] for row in rows]
    least, most = f"{min(steps):.2f}", f"{max(steps):.2f}"
    if least == most:
        return f"The mean steps are {least} for each number of non-zeros."
    return f"The mean steps for each number of non-zeros lie between {least} and {most}."


def seeds(recipe, metrics):
    """The table of all trainings: errors and steps inside and beyond the training's range."""
    length = recipe.parameters["length"]
    rows = [
        [
            name_of(run),
            run["training_seed"],
            batches(run),
            percent(run["sequence_error"]),
            percent(run["longer_error"]),
            f"{run['ponder_steps']:.2f}",
            f"{run['longer_ponder_steps']:.2f}",
        ]
        for run in metrics["runs"]
    ]
    header = ["halting", "seed", "training steps", f"error, 1 to {length}", "error beyond"]
    return markdown([*header, "steps", "steps beyond"], rows)


def name_of(run):
    """The kind of halting of a training."""
    return NAMES.get(run["variant"], run["variant"])


def compared(runs):
    """Whether PonderNet or ACT goes further beyond its training, in a sentence."""
    errors_by_kind = {
        variant: [run["longer_error"] for run in runs if run["variant"] == variant]
        for variant in ("pondernet", "act")
    }
    if not all(errors_by_kind.values()):
        return ""
    ponder, adaptive = (median(errors) for errors in errors_by_kind.values())
    verdict = "beats" if ponder < adaptive else "does not beat"
    return (
        f"PonderNet {verdict} ACT beyond the training's range: the medians over the seeds are "
        f"{percent(ponder)} and {percent(adaptive)}."
    )


def pictures(recipe):
    """The pictures and what they show."""
    figure = recipe.figure
    return (
        f"![error and steps against difficulty](ponder.png)\n\nError and steps against the number "
        f"of {figure.label}, {figure.examples:,} vectors for each point of PonderNet. The training "
        f"saw 1 to {recipe.parameters['length']}. Of the others the seed with the least error on "
        "validation data is drawn, with about 200 vectors for each point."
    )


def use(recipe, metrics):
    """How to load and serve the model."""
    this = loading(recipe, metrics)
    example = human_form.fitting(recipe.dataset, "+-0+", recipe.parameters)
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({this})                  # a compiled keras.Model, for more training too
quick = zoo.load({this}, max_ponder=4)    # the same, thinking less
{encoding(recipe, example)}
{asking(recipe, metrics, example)}  # the same, with its steps
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes vectors (batch, 1, width) and returns `outputs`, `ponder`
and `ponder_steps`; `serve_with_limits` also takes `max_ponder`. It is for inference only: gradients
through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    return (
        f"At most {settings['max_ponder']} steps of thought, the prior probability to halt "
        f"λ_p = {settings['prior']:g}, β = {settings['beta']:g}. {act.training(recipe, metrics)}"
        "\n\nInside and beyond the training's range. Errors beyond it are on validation data, by "
        f"which the published training was not chosen:\n\n{seeds(recipe, metrics)}"
    )
