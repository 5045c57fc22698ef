"""The cells of the networks of Graves, and their initial weights."""

import keras
import numpy as np

from ....initial_weights import chrono_bias, orthogonal_gates, sparse_kernel
from .network import recurrent


def lstm(recipe):
    """A model with an LSTM."""
    units = recipe.hyperparameters["units"]
    return recurrent(recipe, keras.layers.LSTMCell(units, recurrent_initializer="orthogonal"))


def long_lstm(recipe):
    """A model with an LSTM whose units forget at different rates at the start of training."""
    settings = recipe.hyperparameters
    cell = keras.layers.LSTMCell(settings["units"])
    model = recurrent(recipe, cell)
    rng = np.random.default_rng([recipe.seed, settings["units"]])
    cell.recurrent_kernel.assign(orthogonal_gates(rng, settings["units"]))
    cell.bias.assign(chrono_bias(rng, settings["units"], settings["longest_memory"]))
    return model


def sparse_tanh(recipe):
    """A model with a tanh cell whose units each see a few inputs only at the start of training."""
    settings = recipe.hyperparameters
    cell = keras.layers.SimpleRNNCell(
        settings["units"], activation="tanh", recurrent_initializer="orthogonal"
    )
    model = recurrent(recipe, cell)
    rng = np.random.default_rng([recipe.seed, settings["units"]])
    cell.kernel.assign(sparse_kernel(rng, *cell.kernel.shape, gain=settings["input_gain"]))
    cell.bias.assign(rng.uniform(-1, 1, cell.bias.shape).astype("float32"))
    return model
