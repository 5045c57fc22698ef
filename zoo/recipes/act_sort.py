"""Sorting 2 to 15 numbers that come one at a time (Graves 2016, section 3.4)."""

import numpy as np

from ..recipe import Figure, Recipe, Stage
from ..search.space import TIME_PENALTIES


def build(recipe):
    """An LSTM whose units forget at different rates at the start of training."""
    import keras

    from ..families.act.network import recurrent

    settings = recipe.hyperparameters
    cell = keras.layers.LSTMCell(settings["units"])
    model = recurrent(recipe, cell)
    rng = np.random.default_rng([recipe.seed, settings["units"]])
    cell.recurrent_kernel.assign(orthogonal_gates(rng, settings["units"]))
    cell.bias.assign(spread_forgetting(rng, settings["units"], settings["longest_memory"]))
    return model


def orthogonal_gates(rng, units):
    """A recurrent kernel whose four gates each have an orthogonal matrix."""
    gates = [np.linalg.qr(rng.normal(size=(units, units)))[0] for _ in range(4)]
    return np.concatenate(gates, axis=1).astype("float32")


def spread_forgetting(rng, units, longest):
    """A bias with which unit memories last between 2 and `longest` time steps; others 0.

    Source: Tallec & Ollivier, "Can recurrent neural networks warp time?" (2018),
    arXiv:1804.11188, section 3.
    """
    bias = np.zeros(4 * units, "float32")
    bias[units : 2 * units] = np.log(rng.uniform(2, longest, units))
    return bias


RECIPE = Recipe(
    name="act_sort",
    dataset="act_sort",
    build=build,
    parameters={"numbers": 15},
    training_parameters={"same_length": True},
    hyperparameters={
        "units": 128,
        "longest_memory": 60,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 10,
        "epsilon": 0.01,
        "halting_bias": 0.0,
        "target_ponder": None,
        "clipnorm": 4.0,
    },
    stages=(
        Stage(steps=1_000_000, learning_rate=4e-3, schedule="cosine", hold=0.2, time_penalty=1e-3),
    ),
    figure=Figure(19, "sequence length", ("min_numbers", "numbers"), stop="numbers", start=2),
    batch_size=32,
    task=(
        "2 to 15 numbers from a normal distribution come one at a time, then as many empty "
        "inputs. The answers to these are the places of the numbers in ascending order."
    ),
    paper={
        "cell": "LSTM with 512 units",
        "error": "about 6 %",
        "error_without_act": "about 12 %",
    },
    differences=(
        "An LSTM of 128 units instead of 512.",
        "One worker with Adam at 4e-3, annealed, instead of 16 asynchronous workers at 1e-4.",
        "Forget gates start with memories of 2 to 60 time steps.",
        "All sequences of a training batch have the same length.",
        "The halting unit's bias starts at 0 instead of +1, and at most 10 steps are allowed.",
    ),
    search={"time_penalty": TIME_PENALTIES},
    test_data_seen=(
        "An earlier training, of 150,000 steps, was published with 21.69 % wrong.",
    ),
)
