"""One adaptive recurrent layer, and a head for each step's answer (Graves 2016)."""

import keras

from .... import datasets
from ....halting import AnytimeACT
from ....layers import ACTRNN
from ....masks import drop_mask
from ....models import AdaptiveModel
from ....models.adaptive import answer_dtype


def recurrent(recipe, cell):
    """A model with one `ACTRNN` for the recipe's data set.

    Args:
        recipe: a `Recipe`, whose hyperparameters have `halting` (`"act"`, `"anytime"`, `"fixed"` or
            `"sampled"`), `fixed_steps`, `max_ponder`, `epsilon`, `halting_bias` and
            `target_ponder`.
        cell: a Keras RNN cell.

    Returns:
        An `AdaptiveModel` from inputs (batch, time, width) to probabilities: (batch, time, 1) of
        a 1, (batch, time, classes), or (batch, time, outputs, classes).
    """
    task = datasets.task(recipe.dataset)
    sizes = task.sizes(**recipe.parameters)
    settings = recipe.hyperparameters
    inputs = keras.Input((None, sizes["width"]), name="inputs")
    known = keras.layers.Masking(mask_value=task.PADDING, name="known")(inputs)
    states, *_ = adaptive_layer(recipe, cell, settings["target_ponder"])(known)
    return AdaptiveModel(inputs, head(sizes)(states), name=recipe.name)


def adaptive_layer(recipe, cell, target_ponder, return_state=False):
    """The `ACTRNN` of a recipe, which returns sequences and ponder, between them the last
    states if asked for.
    """
    settings = recipe.hyperparameters
    rule = settings["halting"]
    if rule == "anytime":
        rule = AnytimeACT(settings["max_ponder"], settings["epsilon"])
    return ACTRNN(
        cell,
        max_ponder=settings["max_ponder"],
        epsilon=settings["epsilon"],
        time_penalty=recipe.stages[0].time_penalty,
        halting_bias=settings["halting_bias"],
        halting=rule,
        steps=settings["fixed_steps"],
        target_ponder=target_ponder,
        return_sequences=True,
        return_state=return_state,
        return_ponder=True,
        name="act",
    )


def head(sizes):
    """The layer that turns states into probabilities, for `sizes` as a data set gives them."""
    settings = {"dtype": answer_dtype(), "name": "answer"}
    if sizes["classes"] == 2:
        return keras.layers.Dense(sizes["outputs"], "sigmoid", **settings)
    if sizes["outputs"] == 1:
        return keras.layers.Dense(sizes["classes"], "softmax", **settings)
    several = keras.layers.EinsumDense(
        "btu,uoc->btoc",
        output_shape=(None, sizes["outputs"], sizes["classes"]),
        bias_axes="oc",
        activation="softmax",
        **settings,
    )
    # Padding has no target, and its weight in the loss is 0.
    return drop_mask(several)
