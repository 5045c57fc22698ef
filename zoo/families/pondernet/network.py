"""A PonderNet, from a vector to an answer, and the same network with ACT."""

import keras
import numpy as np
from keras import ops

from .... import datasets, evaluation
from ....initial_weights import one_input_each
from ....layers import PonderNet
from ....models import PonderNetModel
from ....models.adaptive import answer_dtype
from ....pondernet import sine
from ..act import network as act

LAYER = "pondernet"


def build(recipe):
    """A model from vectors (batch, 1, width) to the probability of a 1, (batch, 1, 1).

    Args:
        recipe: a `Recipe` of a task of single vectors with one answer, whose hyperparameters have
            `halting`, `units`, `input_scale`, `max_ponder`, `halting_bias`, `beta` and `prior`;
            and, for other values of `halting` than `"pondernet"`, those of
            `act.network.recurrent`.
    """
    settings = recipe.hyperparameters
    cell = keras.layers.SimpleRNNCell(
        settings["units"], activation=sine, recurrent_initializer="orthogonal"
    )
    if settings["halting"] == "pondernet":
        model = pondering(recipe, cell)
    else:
        model = act.recurrent(recipe, cell)
    width = datasets.task(recipe.dataset).sizes(**recipe.parameters)["width"]
    rng = np.random.default_rng([recipe.seed, settings["units"]])
    kernel = np.array(keras.ops.convert_to_numpy(cell.kernel))
    # With ACT there is a row more, that of its flag.
    kernel[:width] = one_input_each(rng, width, settings["units"], settings["input_scale"])
    cell.kernel.assign(kernel)
    cell.bias.assign(rng.uniform(-1, 1, cell.bias.shape).astype("float32"))
    return model


def pondering(recipe, cell):
    """A `PonderNetModel` with this cell."""
    settings = recipe.hyperparameters
    width = datasets.task(recipe.dataset).sizes(**recipe.parameters)["width"]
    inputs = keras.Input((1, width), name="inputs")
    vectors = keras.layers.Reshape((width,), name="vectors")(inputs)
    head = keras.Sequential(
        [
            keras.Input((settings["units"],)),
            keras.layers.Reshape((1, settings["units"])),
            keras.layers.Dense(1, activation="sigmoid", dtype=answer_dtype()),
        ],
        name="answer",
    )
    answer, _ = PonderNet(
        cell,
        head,
        max_ponder=settings["max_ponder"],
        halting_bias=settings["halting_bias"],
        return_ponder=True,
        name=LAYER,
    )(vectors)
    return PonderNetModel(
        inputs, answer, beta=settings["beta"], prior=settings["prior"], name=recipe.name
    )


class Probe(evaluation.Probe):
    """A PonderNet with its numbers of steps, under the same names as for networks with ACT.

    Args:
        model: as `build` returns it.
    """

    def __init__(self, model):
        steps, _ = evaluation.ponder_of(model.get_layer(LAYER))
        steps = ops.expand_dims(steps, -1)
        outputs = {"outputs": model.outputs[0], "ponder": steps, "ponder_steps": steps}
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
