"""A Neural GPU: symbols in, the answer's symbols out at the same positions."""

import keras

from .... import datasets
from ....layers import NeuralGPU
from ....models.adaptive import answer_dtype

# Hyperparameters that are arguments of the layer.
OF_LAYER = (
    "maps",
    "width",
    "num_layers",
    "kernel_size",
    "gate_cutoff",
    "nonlinearity",
    "diagonal",
    "saturation_cost",
    "dropout",
    "dropout_on",
    "dropout_schedule",
    "initial_scale",
    "update_bias",
    "reset_bias",
    "gate_sharpness",
    "relaxation",
    "relaxation_pull",
    "steps_multiplier",
)


def build(recipe):
    """A model from symbols (batch, n) to probabilities (batch, n, classes), with one `NeuralGPU`.

    Args:
        recipe: a `Recipe` whose hyperparameters may have any of `OF_LAYER`.
    """
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    settings = {k: v for k, v in recipe.hyperparameters.items() if k in OF_LAYER}
    symbols = keras.Input((None,), dtype="int32", name="inputs")
    column = NeuralGPU(sizes["symbols"], **settings, seed=recipe.seed, name="neural_gpu")(symbols)
    answer = keras.layers.Dense(
        sizes["classes"], activation="softmax", dtype=answer_dtype(), name="answer"
    )
    return keras.Model(symbols, answer(column), name=recipe.name)
