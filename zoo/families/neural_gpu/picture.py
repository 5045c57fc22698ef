"""The mental image of a Neural GPU, step by step while it answers one example."""

from pathlib import Path

import keras
import numpy as np

from .... import datasets, plots

# A mental image has its length twice: as positions and as steps.
LARGEST_DRAWN = 401


def draw(path, model, recipe, inputs, title=None):
    """Write the mental image step by step, as an animation and as a sheet of stills.

    Args:
        path: of the animation, `.gif`; or of the sheet, one of `plots.FORMATS`. The other one
            lies beside it.
        model: with a layer `neural_gpu` and a layer `answer`; of an ensemble the first is drawn.
        recipe: its `Recipe`.
        inputs: symbols (1, n).
        title: above the pictures.

    Returns:
        The paths of the animation and of the sheet.

    Raises:
        ValueError: the example is too long, or another kind of file.
    """
    check_drawn(inputs)
    plots.check_format(path, (*plots.FORMATS, ".gif"))
    path = Path(path)
    animation = path.with_suffix(".gif")
    sheet = path.with_suffix(".png") if path.suffix == ".gif" else path
    members = [layer for layer in model.layers if isinstance(layer, keras.Model)]
    model = members[0] if members else model
    _, images = model.get_layer("neural_gpu")(inputs, return_images=True)
    images = np.asarray(images)[0]
    answers = np.asarray(model.get_layer("answer")(images[:, :, 0, :])).argmax(-1)
    read = symbols_of(inputs[0], recipe)
    written = [["·" if k == 0 else str(k - 1) for k in row] for row in answers]
    plots.mental_image_animation(animation, images, read, written, title)
    plots.mental_image_stills(sheet, images, read, written, title)
    return animation, sheet


def check_drawn(inputs):
    """Refuse symbols (1, n) that are too many to be drawn."""
    if inputs.shape[1] > LARGEST_DRAWN:
        raise ValueError(
            f"examples of up to {LARGEST_DRAWN} positions are drawn. "
            f"Received: one of {inputs.shape[1]}"
        )


def symbols_of(inputs, recipe):
    """A character for each symbol of one example, inputs (n,)."""
    task = datasets.task(recipe.dataset)
    operator = next((x for x in task.describe(inputs) if not x.isdecimal()), None)
    characters = ["·", *map(str, range(recipe.parameters.get("base", 2))), operator]
    return [characters[symbol] for symbol in inputs]
