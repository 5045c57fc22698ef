"""Sorting 2 to 15 numbers that come one at a time (Graves 2016, section 3.4)."""

from ..recipe import Figure, Recipe, Stage


def build(recipe):
    """An LSTM."""
    import keras

    from ..network import recurrent

    cell = keras.layers.LSTMCell(
        recipe.hyperparameters["units"], recurrent_initializer="orthogonal"
    )
    return recurrent(recipe, cell)


RECIPE = Recipe(
    name="act_sort",
    dataset="act_sort",
    build=build,
    parameters={"numbers": 15},
    training_parameters={"same_length": True},
    hyperparameters={
        "units": 256,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 10,
        "epsilon": 0.01,
        "halting_bias": 1.0,
        "target_ponder": None,
        "clipnorm": 10.0,
    },
    stages=(
        Stage(steps=60_000, learning_rate=2e-3, time_penalty=1e-3),
        Stage(steps=120_000, learning_rate=2e-3, schedule="cosine", time_penalty=1e-3),
    ),
    figure=Figure(19, "sequence length", ("min_numbers", "numbers"), stop="numbers", start=2),
    batch_size=16,
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
        "An LSTM of 256 units instead of 512.",
        "One worker with Adam at 2e-3, annealed, instead of 16 asynchronous workers at 1e-4.",
        "All sequences of a training batch have the same length.",
        "At most 10 steps are allowed instead of 100.",
    ),
)
