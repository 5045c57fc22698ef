"""A pointer network, from points to the indices of some of them."""

import keras
import numpy as np

from .... import datasets, evaluation
from ....models import PointerNetwork


def build(recipe):
    """A `PointerNetwork`, built, for points of the recipe's data set.

    The variant `"plain"` is the published network, whose decoder takes one step for each output and
    does not read the points again.

    Args:
        recipe: a `Recipe` of a data set of points, whose hyperparameters have `units`, `halting`
            (`"act"` or `"fixed"`), `fixed_steps`, `max_ponder`, `halting_bias`,
            `target_ponder` and `input_gain`.
    """
    settings = recipe.hyperparameters
    task = datasets.task(recipe.dataset)
    features = task.sizes(**recipe.parameters)["width"]
    plain = recipe.variant == "plain"
    model = PointerNetwork(
        settings["units"],
        answer=task.ANSWER,
        halting=None if plain else settings["halting"],
        steps=None if plain else settings["fixed_steps"],
        max_ponder=settings["max_ponder"],
        time_penalty=recipe.stages[0].time_penalty,
        target_ponder=settings["target_ponder"],
        halting_bias=settings["halting_bias"],
        features=features,
        name=recipe.name,
    )
    model.build((None, None, features))
    # With Keras's initial weights, coordinates hardly change the states, and the network needs
    # thousands of batches to distinguish points.
    cell = model.decoder.cell
    for lstm in (model.encoder.cell, getattr(cell, "cell", cell)):
        kernel = np.array(keras.ops.convert_to_numpy(lstm.kernel))
        kernel[:features] *= settings["input_gain"]
        lstm.kernel.assign(kernel)
    return model


class Search(keras.Model):
    """A model from points to all results of the search of a pointer network.

    Args:
        network: a `PointerNetwork`, built.
    """

    def __init__(self, network):
        super().__init__(name=f"{network.name}_search")
        self.network = network
        self.built = True

    def call(self, points):
        """A dict of `indices`, `outputs`, `ponder`, `ponder_steps` and `log_probability`."""
        answer = self.network.search(points, self.network.beams)
        return {
            "indices": answer.indices,
            "outputs": answer.outputs,
            "ponder": answer.ponder,
            "ponder_steps": answer.steps,
            "log_probability": answer.log_probability,
        }


class Probe(evaluation.Probe):
    """A pointer network with the number of times that it looked at the points for each output.

    Args:
        model: as `build` returns it.
    """

    def __init__(self, model):
        super().__init__(Search(model))

    def __call__(self, inputs):
        """The dict of `Search.call` for points (batch, n, 2), as NumPy arrays.

        `outputs` (batch, n + 1, n + 1) are the probabilities among what was valid, along the
        answer. If the search keeps several answers, the most probable point need not be part of it.
        """
        return super().__call__(np.asarray(inputs, "float32"))
