"""The cells of the networks of Graves, and their initial weights."""

import keras
import numpy as np

from .network import recurrent

# The number of inputs of each unit of `sparse_tanh` at the start of training.
INPUTS_PER_UNIT = 6


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
    cell.bias.assign(spread_forgetting(rng, settings["units"], settings["longest_memory"]))
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


def sparse_kernel(rng, rows, units, gain):
    """Glorot weights times `gain` for a few random inputs of each unit, 0 for its others.

    The last row, the weight of the flag that marks a first step, keeps plain Glorot weights.
    """
    limit = np.sqrt(6 / (rows + units))
    kernel = rng.uniform(-limit, limit, (rows, units))
    seen = np.argsort(rng.random((rows - 1, units)), axis=0) < INPUTS_PER_UNIT
    kernel[:-1] *= gain * seen
    return kernel.astype("float32")
