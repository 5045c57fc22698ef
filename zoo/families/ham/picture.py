"""The picture of the accesses to a memory while a network answers one example."""

import numpy as np

from .... import datasets, plots
from .settings import is_raw

# More leaves are too small to see.
LARGEST_DRAWN = 32


def draw(path, network, recipe, inputs, title=None):
    """Write a picture of all accesses, the tree at each of them.

    The tree has as few leaves as the example needs.

    Args:
        path: the file to write.
        network: with a layer `ham` that is a `HAM`.
        recipe: its `Recipe`.
        inputs: one example (1, m, width).
        title: above the picture.

    Returns:
        The probabilities of the answer (outputs, bits), and a dict: `attended`, the leaves that
        were, integers; and `leaves`, the number of all.

    Raises:
        ValueError: the example is too long, or the file format is not supported.
    """
    check_drawn(inputs)
    outputs, accessed = network.get_layer("ham")(inputs, return_path=True, return_nodes=True)
    outputs = np.asarray(outputs)[0]
    leaf, turns, nodes = (np.asarray(accessed[key])[0] for key in ("leaf", "path", "nodes"))
    answers = answers_of(outputs, inputs, recipe)
    accesses = len(answers)
    read = [] if is_raw(recipe) else names(inputs, recipe)
    parts = nodes[: accesses + 1], turns[:accesses], read, answers
    plots.tree.accesses(path, *parts, title=title, most=accesses)
    return outputs, {"attended": leaf[:accesses].tolist(), "leaves": nodes.shape[1] // 2}


def check_drawn(inputs):
    """Refuse an example (1, m, width) that is too long to be drawn.

    Raises:
        ValueError: the example is too long.
    """
    if inputs.shape[1] > LARGEST_DRAWN:
        raise ValueError(
            f"trees of up to {LARGEST_DRAWN} leaves are drawn. Received: an example of "
            f"{inputs.shape[1]} vectors"
        )


def answers_of(outputs, inputs, recipe):
    """The output after each access up to the End Of Output, as texts; "" for none.

    Args:
        outputs: probabilities of one example (outputs, bits).
        inputs: the example (1, m, width).
        recipe: the network's `Recipe`.
    """
    task = datasets.task(recipe.dataset)
    if is_raw(recipe):
        numbers, operations = task.decode(outputs), task.describe(inputs[0])
        pairs = zip(numbers, operations, strict=True)
        return [y + (f": {x}" if y == "POP" else "") for x, y in pairs]
    answers, eta = [], recipe.hyperparameters["accesses_per_output"]
    for output in outputs:
        text = task.decode(output[None]).replace("...", "").strip()
        answers += [""] * (eta - 1) + [text or "end"]
        if output[-1] > 0.5:
            break
    return answers


def names(inputs, recipe):
    """The input vectors of one example (1, m, width) as texts."""
    task = datasets.task(recipe.dataset)
    if hasattr(task, "SYMBOLS"):
        return [task.SYMBOLS[symbol] for symbol in inputs[0].argmax(-1)]
    words = task.describe(inputs[0]).split()
    return [word for word in words if word not in ("|", "?")]
