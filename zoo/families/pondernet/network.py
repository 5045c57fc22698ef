"""A PonderNet: a vector in, an answer out, and beside it the same network with ACT."""

import keras
import numpy as np
from keras import ops

from .... import datasets
from ....layers import PonderNet
from ....models import PonderNetModel
from .. import probe
from ..act import network as act

LAYER = "pondernet"


def build(recipe):
    """A model from vectors (batch, 1, width) to the probability of a 1, (batch, 1, 1).

    Args:
        recipe: a `Recipe` of a task of single vectors with one answer, whose hyperparameters have
            `halting`, `units`, `inputs_per_unit`, `input_gain`, `max_ponder`, `halting_bias`,
            `beta` and `prior`; and, for other values of `halting` than `"pondernet"`, those of
            `act.network.recurrent`.
    """
    settings = recipe.hyperparameters
    cell = keras.layers.SimpleRNNCell(
        settings["units"], activation="tanh", recurrent_initializer="orthogonal"
    )
    if settings["halting"] == "pondernet":
        model = pondering(recipe, cell)
    else:
        model = act.recurrent(recipe, cell)
    width = datasets.task(recipe.dataset).sizes(**recipe.parameters)["width"]
    rng = np.random.default_rng([recipe.seed, settings["units"]])
    # A row behind those of the inputs is that of ACT's flag.
    kernel = cell.kernel.numpy() if hasattr(cell.kernel, "numpy") else np.array(cell.kernel)
    kernel[:width] = sparse_kernel(
        rng, width, settings["units"], settings["inputs_per_unit"], settings["input_gain"]
    )
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
            keras.layers.Dense(1, activation="sigmoid"),
            keras.layers.Reshape((1, 1)),
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


def sparse_kernel(rng, rows, units, seen, gain):
    """Glorot weights times `gain` for a few random inputs of each unit, 0 for its others."""
    limit = np.sqrt(6 / (rows + units))
    kernel = rng.uniform(-limit, limit, (rows, units))
    few = np.argsort(rng.random((rows, units)), axis=0) < seen
    return (kernel * gain * few).astype("float32")


class Probe(probe.Probe):
    """A PonderNet that also tells how long it thought, as the networks with ACT do.

    Args:
        model: as of `build`.
    """

    def __init__(self, model):
        # In the order of the names of the dict: remainder, steps.
        *_, steps = keras.tree.flatten(model.get_layer(LAYER).output)
        steps = ops.expand_dims(steps, -1)
        outputs = {"outputs": model.outputs[0], "ponder": steps, "ponder_steps": steps}
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))

    def __call__(self, inputs):
        """Outputs, ponder and ponder steps of `inputs` (batch, 1, width), as NumPy arrays."""
        answers = self.model.predict_on_batch(inputs)
        return {name: ops.convert_to_numpy(value) for name, value in answers.items()}
