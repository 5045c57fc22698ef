"""The baselines of the Neural GPU: networks that write an answer until their own end symbol.

The blank of the data sets is the end symbol: an answer contains no blank and is followed by blanks
only. A network may write as many symbols as its input has, which is enough for every answer (d + 2
for the sum of numbers of d digits, 2 d + 1 for their product). After its end symbol, its outputs
are blanks with probability 1, so they are scored like those of a Neural GPU.
"""

import keras

from .... import datasets
from ....baselines import NextSymbolRNN, Seq2SeqLSTM, StackRNNCell, Symbols


def seq2seq_lstm(recipe):
    """A sequence-to-sequence LSTM from symbols (batch, n) to probabilities (batch, n, classes).

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `num_layers`, `attention`, `dropout`
            and `reverse_inputs`.
    """
    names = ("units", "num_layers", "attention", "dropout")
    settings = {name: recipe.hyperparameters[name] for name in names}
    return built(Seq2SeqLSTM(**sequences(recipe), **settings))


def stack_rnn(recipe):
    """A stack RNN from symbols (batch, n) to probabilities (batch, n, classes).

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `num_stacks`, `stack_depth`,
            `read_depth`, `recurrent`, `action_sharpness`, `reverse_inputs`, and `kernel_scale` and
            `action_scale`, by which the initial weights are larger than Keras's default.
    """
    names = ("units", "num_stacks", "stack_depth", "read_depth", "recurrent", "action_sharpness")
    cell = StackRNNCell(
        **{name: recipe.hyperparameters[name] for name in names},
        kernel_initializer=glorot(recipe, "kernel_scale"),
        action_initializer=glorot(recipe, "action_scale"),
        name="cell",
    )
    return built(NextSymbolRNN(cell, **sequences(recipe)))


def glorot(recipe, name):
    """Keras's default initializer, with weights multiplied by the setting."""
    scale = recipe.hyperparameters[name]
    if not scale > 0:
        raise ValueError(f"{name} must be positive. Received: {scale!r}")
    return keras.initializers.VarianceScaling(scale**2, "fan_avg", "uniform")


def sequences(recipe):
    """What a network reads and writes, as arguments of a `SequenceGenerator`."""
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    return {
        "source": Symbols(sizes["symbols"]),
        "target": Symbols(sizes["classes"]),
        "reverse_inputs": recipe.hyperparameters["reverse_inputs"],
        "name": recipe.name,
    }


def built(model):
    """The model with its weights, whose shapes do not depend on its inputs."""
    model.build()
    return model
