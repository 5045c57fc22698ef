"""A recall network, from bits to the symbols of the answer at the same positions."""

import keras
from keras import ops

from .... import datasets, evaluation
from ....halting import Converged
from ....layers import Recall
from ....models import RecallModel
from ....models.adaptive import answer_dtype

LAYER = "recall"


def build(recipe):
    """A model from symbols (batch, n) to probabilities (batch, n, classes), with one `Recall`.

    Args:
        recipe: a `Recipe` of a task of bits, whose hyperparameters have `filters`, `num_blocks`,
            `iterations`, `alpha`, `unchanged_steps` and `max_ponder`.
    """
    task, settings = datasets.task(recipe.dataset), recipe.hyperparameters
    sizes = task.sizes(**recipe.parameters)
    symbols = keras.Input((None,), dtype="int32", name="inputs")
    # The symbols 1 and 2, the bits 0 and 1, are read as -1 and 1.
    bits = ops.expand_dims(2.0 * ops.cast(symbols, "float32") - 3.0, -1)
    logits, _ = Recall(
        filters=settings["filters"],
        outputs=sizes["classes"],
        steps=settings["iterations"],
        halting=Converged(settings["unchanged_steps"], settings["max_ponder"]),
        num_blocks=settings["num_blocks"],
        return_ponder=True,
        name=LAYER,
    )(bits, mask=ops.not_equal(symbols, task.PADDING))
    answer = keras.layers.Activation("softmax", dtype=answer_dtype(), name="answer")(logits)
    return RecallModel(symbols, answer, alpha=settings["alpha"], seed=recipe.seed, name=recipe.name)


class Probe(evaluation.Probe):
    """A recall network with its numbers of steps (batch,) as `ponder_steps`.

    Args:
        model: as `build` returns it.
    """

    def __init__(self, model):
        steps, _ = evaluation.ponder_of(model.get_layer(LAYER))
        outputs = {"outputs": model.outputs[0], "ponder_steps": steps}
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
