"""The sections of the model card of an entry with a recall network."""

from ...entries.card import asking, compared, encoding, error, loading, markdown
from ...entries.lengths import name_of
from ..neural_gpu.card import trainings

SOURCE = (
    "Arpit Bansal, Avi Schwarzschild, Eitan Borgnia, Zeyad Emam, Furong Huang, Micah Goldblum and "
    "Tom Goldstein, [End-to-end Algorithm Synthesis with Recurrent Networks: Logical Extrapolation "
    "Without Overthinking](https://arxiv.org/abs/2202.05826), 2022"
)


def results(recipe, metrics):
    """The tables of errors and steps at all lengths, and after fixed numbers of steps."""
    settings, line = recipe.hyperparameters, metrics["line"]
    lines = [
        "Shares of fresh test strings with any mistake (sequence error, with the 95 % confidence "
        f"interval after Wilson). The training saw {recipe.parameters['length']} bits and "
        f"{settings['iterations']} steps. Each string stops by itself: when its answer has not "
        f"changed for {settings['unchanged_steps']} steps (`Converged`).",
        "",
        markdown(
            ["bits", "examples", "sequence error", "mean steps"],
            [
                [row["length"], f"{row['examples']:,}", error(row), f"{row['ponder_steps']:.1f}"]
                for row in metrics["lengths"]
            ],
        ),
        "",
        f"Mean steps lie on a line with the length: {line['slope']:.3f} steps per bit, R² "
        f"{line['r_squared']:.4f}. With a fixed number of steps, many more than it needs:",
        "",
        markdown(
            ["bits", "steps", "examples", "sequence error"],
            [
                [row["length"], f"{row['steps']:,}", f"{row['examples']:,}", error(row)]
                for row in metrics["fixed"]
            ],
        ),
        "",
        f"The paper, with {recipe.paper['cell']}: {recipe.paper['error']}.",
    ]
    if metrics["other_models"]:
        lines += ["", *compared(recipe, metrics, "lengths", name_of, name_of)]
    return "\n".join(lines)


def pictures(recipe):
    """The pictures and what they show."""
    return (
        "![error and steps against length](ponder.png)\n\nError and mean steps against the number "
        "of bits.\n\n![answer after each step](answers.png)\n\nThe answer to one string of 48 bits "
        "after each step: a correct prefix grows from left to right.\n\n"
        "![learning curve](learning_curve.png)\n\nLoss and errors while it was trained; longer: at "
        f"{recipe.hyperparameters['longer']} bits."
    )


def use(recipe, metrics):
    """How to load, ask and serve the model."""
    example = "0110100110"
    return f"""```python
from keras_adaptive import datasets, zoo

{asking(recipe, metrics, example)}  # a dict with the answer and its steps; any length
model = zoo.load({loading(recipe, metrics)})  # a compiled keras.Model, for more training too
{encoding(recipe, example)}
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes symbols, int32 (batch, n), 1 and 2 for the bits 0 and 1 and
-1 after the end of an example, for any batch and n, and returns `outputs`, probabilities (batch,
n, classes), and `ponder_steps`, (batch,); `serve_with_limits` also takes `max_ponder`. It is for
inference only: gradients through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    network = (
        f"Convolutions with {settings['filters']} filters, {settings['num_blocks']} residual "
        f"blocks in each step, trained with {settings['iterations']} steps and the progressive loss"
    )
    return trainings(network, recipe, metrics)
