"""The sections of the model card of an entry with a Neural GPU."""

from ...entries.card import (
    asking,
    compared,
    encoding,
    error,
    layout,
    loading,
    markdown,
    percent,
    trained,
    trainings_table,
)
from ...entries.lengths import LENGTHS, name_of

SOURCE = (
    "Łukasz Kaiser and Ilya Sutskever, [Neural GPUs Learn Algorithms]"
    "(https://arxiv.org/abs/1511.08228), 2016"
)
UNITS = {"bits": "digits of a number", "length": "positions"}


def results(recipe, metrics):
    """The tables of errors at all lengths beside the paper's and the other models'."""
    unit = recipe.length_parameters[1]
    lines = [
        "Shares of fresh test examples with any mistake (sequence error, with the 95 % confidence "
        f"interval after Wilson) and of wrong symbols, at lengths in {UNITS[unit]}. The training "
        f"saw up to {recipe.parameters[unit]}. The paper's numbers are those of the best of 729 "
        "trainings.",
        "",
        markdown(
            [unit, "examples", "sequence error", "symbol error", "paper"],
            [row_of(row, recipe) for row in metrics["lengths"] if row["probe"] is None],
        ),
    ]
    probes = [row for row in metrics["lengths"] if row["probe"]]
    if probes:
        lines += [
            "",
            "Probes, kinds of numbers that are rarely drawn at random:",
            "",
            markdown(
                [f"{unit} (probe)", "examples", "sequence error", "symbol error"],
                [row_of(row, recipe)[:-1] for row in probes],
            ),
        ]
    if metrics.get("more_steps"):
        multiplier = recipe.hyperparameters["more_steps"]
        own = recipe.hyperparameters.get("steps_multiplier", 1)
        before = "one step" if own == 1 else f"{own} steps"
        header = [f"{unit} (probe)", "examples", "sequence error", "symbol error"]
        lines += [
            "",
            f"**With {multiplier} steps per symbol, not the paper's one**, and the same "
            f"weights, which were trained with {before} "
            f"(`zoo.load({loading(recipe, metrics)}, steps_multiplier={multiplier})`):",
            "",
            markdown(header, [row_of(row, recipe)[:-1] for row in metrics["more_steps"]]),
        ]
    if metrics["other_models"]:
        lines += ["", *compared(recipe, metrics, "lengths", name_of, name_of)]
    return "\n".join(lines)


def row_of(row, recipe):
    """The cells of a measurement."""
    paper = "–"
    if row["probe"] is None and row["least"] == row["length"]:
        known = row["length"] in LENGTHS[recipe.length_parameters[1]]
        usual = recipe.paper.get("error", "–") if known else "–"
        paper = recipe.paper.get("errors", {}).get(str(row["length"]), usual)
    return [
        name_of(row),
        f"{row['examples']:,}",
        error(row),
        f"{100 * row['symbol_error']:.4f} %",
        paper,
    ]


def learning_curve(recipe):
    """The picture of the learning curve and what it shows."""
    settings, unit = recipe.hyperparameters, UNITS[recipe.length_parameters[1]]
    longer = f"{settings['longer']} {unit}"
    if "longer_at_first" in settings:
        longer = f"{settings['longer_at_first']} {unit} in the first stage, then {longer}"
    return (
        "![learning curve](learning_curve.png)\n\nLoss and errors while it was trained; longer: "
        f"at {longer}."
    )


def pictures(recipe):
    """The pictures and what they show."""
    return (
        f"{learning_curve(recipe)}\n\n"
        "![mental image](mental_image.gif)\n\nThe mental image while the model answers one "
        "example: positions from left to right with the symbols of the input below, what it would "
        "answer now above, and the maps from top to bottom. [All steps](mental_image.png) on one "
        "sheet."
    )


def use(recipe, metrics):
    """How to load and serve the model."""
    example = {"bits": "110101{}011011", "length": "0011"}[recipe.length_parameters[1]]
    if recipe.parameters.get("base", 2) > 2:
        example = "1203{}3021"  # Digits of every base from 4 on.
    example = example.format("*" if "multiplication" in recipe.dataset else "+")
    return f"""```python
from keras_adaptive import datasets, zoo

{asking(recipe, metrics, example)}  # a dict with the answer; inputs of any length
model = zoo.load({loading(recipe, metrics)})  # a compiled keras.Model, for more training too
{encoding(recipe, example)}
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes symbols, int32 (batch, n), with -1 after the end of an
example, for any batch and n, and returns `outputs`, probabilities (batch, n, classes). It is for
inference only: gradients through it are silently zero.{layout(recipe, example)}"""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    return trainings(network(recipe), recipe, metrics)


def trainings(network, recipe, metrics):
    """The section `training`, given a description of the network."""
    cell = recipe.paper.get("cell", "not said")
    lines = [
        *trained(f"{network} (the paper: {cell})", recipe, metrics),
        *scouted(recipe, metrics),
        f"The trainings that the card was made from. {published(recipe, metrics)}",
        "",
        trainings_table(metrics, "symbols"),
    ]
    return "\n".join(lines)


def published(recipe, metrics):
    """Which of the trainings the published model is made from."""
    if "ensemble" not in metrics:
        return choice(recipe, metrics["runs"])
    return (
        f"The published model answers with the mean of the outputs of the first "
        f"{metrics['ensemble']}; batches, minutes, command, curve and pictures are those of the "
        "first."
    )


def scouted(recipe, metrics):
    """Lines on the seeds whose first stage was trained; empty if there was no such choice."""
    if not metrics["scouted"]:
        return []
    settings = recipe.hyperparameters
    longer = settings.get("longer_at_first", settings["longer"])
    unit = UNITS[recipe.length_parameters[1]]
    rows = [
        [
            seed["seed"],
            f"{seed['steps']:,}",
            *(
                ("diverged", "")
                if "diverged" in seed
                else (percent(seed["longer_error"]), f"{100 * seed['longer_symbol_error']:.4f} %")
            ),
        ]
        for seed in metrics["scouted"]
    ]
    return [
        "The first stage was trained with several seeds, and the one with the fewest wrong symbols "
        f"at {longer} {unit} on validation data was trained to the end:",
        "",
        markdown(["seed", "batches", f"validation at {longer}: error", "symbols"], rows),
        "",
    ]


def network(recipe):
    """A description of the network."""
    settings = {"maps": 24, "width": 4, "num_layers": 2, **recipe.hyperparameters}
    layers = "one layer" if settings["num_layers"] == 1 else f"{settings['num_layers']} layers"
    words = f"{layers} of CGRU with {settings['maps']} maps and width {settings['width']}"
    if settings.get("diagonal"):
        words += ", diagonal gates"
    if settings.get("nonlinearity") == "hard":
        words += ", hard nonlinearities"
    if settings.get("steps_multiplier", 1) > 1:
        words += f", {settings['steps_multiplier']} steps per symbol"
    if settings.get("relaxation", 1) > 1:
        words += f", trained with {settings['relaxation']} relaxed sets of parameters"
    return words[0].upper() + words[1:]


def choice(recipe, runs):
    """Why the first of the trainings was published, if the numbers say so."""
    if len(runs) == 1:
        return "It is the only one that was trained to the end."

    def on_validation_data(run):
        return run["longer_error"], run["longer_symbol_error"], run["validation_error"]

    unit = UNITS[recipe.length_parameters[1]]
    longer = f"{runs[0]['longer']} {unit}"
    alike = [run for run in runs if run["longer"] == runs[0]["longer"]]
    if on_validation_data(runs[0]) == min(map(on_validation_data, alike)):
        return (
            f"The published one is the first. It was chosen for the least error at {longer} on "
            "validation data (where these are equal, the least share of wrong symbols)."
        )
    return f"The published one is the first, though another has a lower error at {longer}."
