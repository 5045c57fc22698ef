"""An adaptive recurrent layer that reads words and predicts the next one."""

import math

import keras

from .... import datasets, evaluation
from ....control import TargetPonder
from ....language import CarriedStates, NextWords, TiedEmbedding
from ....models import AdaptiveModel
from ..act.network import adaptive_layer


def predictor(recipe):
    """A model from words (batch, time) to probabilities of the next one (batch, time, words).

    In training it returns the states that the probabilities would be computed from, for a
    `SampledWordLoss`; and each row of a batch begins with its last states of the batch before.

    Args:
        recipe: a `Recipe`, whose hyperparameters have `units`, of the LSTM and of the words'
            vectors; `dropout`; `samples`, the number of words drawn for the loss of a batch; and
            those of `act.network.adaptive_layer`.
    """
    settings = recipe.hyperparameters
    classes = datasets.task(recipe.dataset).sizes(**recipe.parameters)["classes"]
    units, drop = settings["units"], settings["dropout"]
    words = TiedEmbedding(classes, units, seed=recipe.seed, name="words")
    carried = CarriedStates(recipe.batch_size, (units, units), name="carried")
    inputs = keras.Input((None,), dtype="int32", name="inputs")
    vectors = keras.layers.Dropout(drop, name="vectors")(words(inputs))
    target = None
    if settings["target_ponder"] is not None and settings["halting"] == "act":
        # The loss of a word is a few nats, so the default gains would change τ too fast.
        target = TargetPonder(
            settings["target_ponder"],
            proportional_gain=0.1,
            integral_gain=1e-4,
            minimum=0.0,
            gain_scale=math.inf,
        )
    layer = adaptive_layer(recipe, keras.layers.LSTMCell(units), target, return_state=True)
    outputs, *states, _ = layer(vectors, initial_state=carried(vectors))
    outputs = carried(outputs, states=states)
    outputs = keras.layers.Dropout(drop, name="states")(outputs)
    return AdaptiveModel(inputs, words(outputs, reverse=True), name=recipe.name)


class Probe(evaluation.Probe):
    """A model of words with its ponder, and its predictions as `NextWords`.

    Args:
        model: as `predictor` builds it.
    """

    def __init__(self, model):
        steps, remainder = evaluation.ponder_of(model.get_layer("act"))
        outputs = {
            "states": model.get_layer("states").output,
            "ponder": steps + remainder,
            "ponder_steps": steps,
        }
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
        self.words = model.get_layer("words")

    def __call__(self, inputs):
        """What the model does at each word.

        Args:
            inputs: words (batch, time).

        Returns:
            A dict: `outputs`, `NextWords`; `ponder` and `ponder_steps`, arrays (batch, time).
        """
        answers = super().__call__(inputs)
        outputs = NextWords(answers.pop("states"), self.words)
        return {"outputs": outputs, **answers}
