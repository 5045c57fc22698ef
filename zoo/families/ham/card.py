"""The sections of the model card of an entry with hierarchical attentive memory."""

from operator import itemgetter

from .... import datasets
from ...entries.card import (
    asking,
    compared,
    encoded,
    error,
    layout,
    loading,
    markdown,
    trained,
    trainings_table,
)
from ...entries.changes import of_paper
from .settings import is_raw

SOURCE = (
    "Marcin Andrychowicz and Karol Kurach, [Learning Efficient Algorithms with Hierarchical "
    "Attentive Memory](https://arxiv.org/abs/1602.03218), 2016"
)


def results(recipe, metrics):
    """The table of errors beside the paper's, and those of the other models of the task."""
    lines = [
        "Shares of fresh test examples with any mistake (sequence error, with the 95 % confidence "
        "interval after Wilson) and of wrong bits, by the number of "
        + " and of ".join(measures(recipe))
        + f". The training saw up to {recipe.largest_length}"
        + (" of both" if has_memory(recipe) else "")
        + ". "
        + ("" if is_raw(recipe) else "An answer that ends too early, too late or never is wrong. ")
        + ("The most probable turns are taken." if takes_turns(recipe) else ""),
        "",
        markdown(
            [*measures(recipe), "examples", "sequence error", "bit error", "paper"],
            [row_of(row, recipe) for row in metrics["sizes"]],
        ),
    ]
    if metrics["other_models"]:
        lines += ["", *compared(recipe, metrics, "sizes", itemgetter("length"), lengths_of)]
    return "\n".join(lines)


def measures(recipe):
    """The quantities that measure the size of an example."""
    inputs = "operations" if is_raw(recipe) else "input vectors"
    return ["leaves", inputs] if has_memory(recipe) else [inputs]


def has_memory(recipe):
    """Whether a recipe's network has a memory; baselines have none."""
    return "accesses_per_output" in recipe.hyperparameters


def takes_turns(recipe):
    """Whether a network attends one leaf at a time."""
    return has_memory(recipe) and not recipe.hyperparameters["soft"]


def row_of(row, recipe):
    """The cells of a measurement."""
    paper = {1: "error", 4: "longer_error"}.get(row["leaves"] // recipe.parameters["length"])
    return [
        *([row["leaves"]] if has_memory(recipe) else []),
        lengths_of(row),
        f"{row['examples']:,}",
        error(row),
        f"{100 * row['symbol_error']:.4f} %",
        of_paper(recipe, paper),
    ]


def lengths_of(row):
    """The lengths of a measurement in words."""
    least, most = row["least"], row["length"]
    return str(most) if least == most else f"{least} to {most}"


def pictures(recipe):
    """The picture and what it shows."""
    return (
        "![learning curve](learning_curve.png)\n\nLoss and errors while it was trained. Validation "
        "is at the size that is trained at the time; longer: with "
        f"{longer_sizes(recipe)}."
    )


def longer_sizes(recipe):
    """The size of the examples beyond those of training, in words."""
    longer = recipe.hyperparameters["longer"]
    return f"{longer} leaves" if has_memory(recipe) else f"up to {longer} input vectors"


def use(recipe, metrics):
    """How to load and serve the model."""
    this = loading(recipe, metrics)
    task = datasets.task(recipe.dataset)
    width = task.sizes(**recipe.parameters)["width"]
    given = task.encode(task.EXAMPLE, **recipe.parameters).shape[1]
    size = max(given, recipe.parameters["length"])
    leaves = ""
    if has_memory(recipe):
        leaves = (
            "The memory has m leaves, rounded up to a power of two. It was not measured\nwith "
            f"fewer than the {recipe.parameters['length']} of training: pad shorter inputs. "
        )
    return f"""```python
import numpy as np

from keras_adaptive import datasets, zoo

{asking(recipe, metrics, task.EXAMPLE)}  # a dict with the answer
model = zoo.load({this})  # a compiled keras.Model, for more training too
{encoded(recipe, task.EXAMPLE)}
rest = {size} - inputs.shape[1]  # as long as in training
padded = np.pad(inputs, ((0, 0), (0, rest), (0, 0)), constant_values=task.PADDING)
outputs = model.predict(padded)[0, : task.output_length(inputs.shape[1])]
print(task.decode(outputs.reshape(len(outputs), -1)))
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes vectors, float32 (batch, m, {width}), with -1 in every
element of those after the end of an example, for any batch and m, and returns `outputs`,
probabilities of ones. {leaves}It is for
inference only: gradients through it are silently zero.{layout(recipe, task.EXAMPLE)}"""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    drawn = "" if settings["soft"] else f" × {settings['samples']} drawn runs"
    return trainings(network(recipe), recipe, metrics, drawn)


def trainings(network, recipe, metrics, drawn=""):
    """The section `training`, given descriptions of the network and of the runs it draws."""
    chosen = choice(metrics["runs"], longer_sizes(recipe))
    lines = [
        *trained(f"{network}: {metrics['weights']:,} weights", recipe, metrics, drawn),
        f"The trainings that the card was made from. {chosen}",
        "",
        trainings_table(metrics, "bits"),
    ]
    return "\n".join(lines)


def network(recipe):
    """A description of the network."""
    settings = recipe.hyperparameters
    units = settings["controller_units"]
    words = "Raw HAM" if units is None else f"An LSTM of {units} units with HAM"
    if settings["soft"]:
        words = words.replace("HAM", "DHAM")
    accesses = settings["accesses_per_output"]
    if accesses > 1:
        words += f" that is accessed {accesses} times before each output"
    return (
        f"{words}, {settings['units']} numbers in each node, perceptrons of {settings['depth']} "
        f"layers with {settings['hidden_units']} hidden units"
    )


def choice(runs, longer):
    """Why the first of the trainings was published, if the numbers say so.

    Args:
        runs: what is known of each training.
        longer: the size of the longer validation examples, in words.
    """
    if len(runs) == 1:
        return "It is the only one: none was chosen."

    def on_validation_data(run):
        return run["longer_error"], run["longer_symbol_error"], run["validation_error"]

    if on_validation_data(runs[0]) == min(map(on_validation_data, runs)):
        return (
            f"The published one is the first. It was chosen for the least error with {longer} on "
            "validation examples, which are longer than any of the training. (The paper does not "
            "say how long its own are.)"
        )
    return f"The published one is the first, though another has a lower error with {longer}."
