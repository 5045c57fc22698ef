"""How the baselines of the Neural GPU are trained, unless a recipe says more."""


def seq2seq_lstm(recipe):
    """A model, see `baseline.seq2seq_lstm`; a recipe is data until it is built."""
    from . import baseline

    return baseline.seq2seq_lstm(recipe)


def stack_rnn(recipe):
    """A model, see `baseline.stack_rnn`."""
    from . import baseline

    return baseline.stack_rnn(recipe)


# LSTM+A with what the Neural GPU of the paper is trained with.
SEQ2SEQ = {
    "units": 64,
    "num_layers": 3,
    "attention": True,
    "dropout": 0.1,
    "reverse_inputs": True,
    "optimizer": "adam",
    "clipnorm": 1.0,
    "gradient_noise": 1e-3,
}
SEQ2SEQ_SEARCH = {
    "learning_rate": (1e-3, 3e-3, 9e-3),
    "gradient_noise": (3e-4, 1e-3, 3e-3),
    "dropout": (0.06, 0.09, 0.135),
}
