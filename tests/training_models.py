"""The model of a case of training, with what it reads and what it is to say."""

import numpy as np
from training_choices import EPSILON, FEATURES, ROWS, TAU, UNITS, cells_of, length_of, numbers


def model_of(keras, case):
    """The model of a case, its inputs and targets, and its weights or None.

    Args:
        keras: the module, imported with the backend of the case.
        case: a dict, as `training_choices.covering` makes it.
    """
    return actrnn(keras, case) if case["layer"] == "ACTRNN" else other(keras, case)


def actrnn(keras, case):
    from keras_adaptive.layers import ACTRNN

    weights, batches = numbers(case)
    x, _, y = (np.concatenate(parts) for parts in zip(*batches))
    shape = (case["time"], FEATURES)
    inputs = keras.Input(batch_shape=(ROWS, *shape)) if case["static_batch"] else keras.Input(shape)
    hidden = keras.layers.Masking()(inputs) if case["mask"] else inputs
    cells = [getattr(keras.layers, cell)(UNITS) for cell in cells_of(case)]
    rule = {"halting": "fixed", "steps": case["limit"]}
    if case["rule"] == "act":
        rule = {"max_ponder": case["limit"], "epsilon": EPSILON, "time_penalty": TAU}
    layer = ACTRNN(
        cells if case["cell"] == "stacked" else cells[0],
        stateful=case["stateful"],
        go_backwards=case["go_backwards"],
        **rule,
    )
    return keras.Model(inputs, layer(hidden)), x, y, weights


def other(keras, case):
    """A model of another layer, with what it reads and shall say."""
    from keras import layers

    from keras_adaptive import baselines
    from keras_adaptive.ham import Memory
    from keras_adaptive.layers import (
        ACTRNN,
        CGRU,
        DHAM,
        HAM,
        AttentionCell,
        BahdanauAttention,
        NeuralGPU,
        PonderNet,
        Recall,
        StackRNN,
    )
    from keras_adaptive.models import PonderNetModel, RecallModel

    rng = np.random.default_rng(case["seed"])
    rows, length, kind = 2 * ROWS, length_of(case), case["layer"]
    mask = np.ones((rows, length), bool)
    if case["mask"]:
        mask[:, 1:] = np.arange(1, length) < rng.integers(1, length + 1, size=(rows, 1))
    batch = {"batch_size": ROWS} if case["static_batch"] else {}

    def vectors(*shape):
        return np.round(rng.normal(size=(rows, *shape)) * 16) / 16

    def symbols():
        return np.where(mask, rng.integers(0, 3, size=mask.shape), -1).astype("int32")

    def argument(*shape, dtype=None):
        return keras.Input(shape, dtype=dtype, **batch)

    if kind in ("Seq2SeqLSTM", "NextSymbolRNN"):
        alphabet = baselines.Symbols(3)
        if kind == "Seq2SeqLSTM":
            model = baselines.Seq2SeqLSTM(alphabet, alphabet, units=2, num_layers=1)
        else:
            cell = baselines.StackRNNCell(2, num_stacks=1, stack_depth=None)
            model = baselines.NextSymbolRNN(cell, alphabet, alphabet)
        x, y = symbols(), rng.integers(0, 3, size=(rows, length)).astype("int32")
        model(x[:ROWS], targets=y[:ROWS])
        return _Sparse(keras, model), x, y, None
    if kind == "NeuralGPU":
        inputs, x = argument(case["time"], dtype="int32"), symbols()
        outputs = layers.Dense(1)(NeuralGPU(3, 2, width=2, num_layers=1, relaxation=2)(inputs))
        return keras.Model(inputs, outputs), x, vectors(length, 1), None
    if kind == "CGRU":
        inputs, x = argument(case["time"], 2, 2), vectors(length, 2, 2)
        return keras.Model(inputs, CGRU(2)(inputs)), x, vectors(length, 2, 2), None
    if kind == "PonderNet":
        inputs, x = argument(FEATURES), vectors(FEATURES)
        head = keras.Sequential([layers.BatchNormalization(), layers.Dense(1)])
        layer = PonderNet(layers.GRUCell(2), head, max_ponder=3)
        return PonderNetModel(inputs, layer(inputs), beta=0.25), x, vectors(1), None
    x = np.where(mask[..., None], vectors(length, FEATURES), 0.0)
    inputs = argument(case["time"], FEATURES)
    hidden = layers.Masking()(inputs) if case["mask"] else inputs
    memory = Memory(2, hidden_units=2)
    if kind == "HAM":
        # Turns that are given; what is written is read again. SEARCH is trained by REINFORCE alone.
        memory.search.trainable = False
        layer = HAM(2, layers.GRUCell(2), memory, 2, num_leaves=8)
        turns = argument(case["time"] and 2 * case["time"], 3, dtype="int32")
        path = np.zeros((rows, 2 * length, 3), "int32")
        path[..., 2] = rng.integers(0, 2, size=path.shape[:2])
        outputs = layer(hidden, path=turns)
        return keras.Model([inputs, turns], outputs), [x, path], vectors(length, 2), None
    if kind == "DHAM":
        outputs = DHAM(2, layers.GRUCell(2), memory, 2, num_leaves=8)(hidden)
        return keras.Model(inputs, outputs), x, vectors(length, 2), None
    if kind == "StackRNN":
        outputs = StackRNN(UNITS, num_stacks=1, return_sequences=True)(hidden)
        return keras.Model(inputs, outputs), x, vectors(length, UNITS), None
    if kind == "Recall":
        model = RecallModel(inputs, Recall(3, 1, steps=3)(hidden))
        # Each backend draws other numbers.
        model._draw = lambda: (1, 2)
        return model, x, vectors(length, 1), None
    if kind == "BahdanauAttention":
        outputs, _ = BahdanauAttention(2)(layers.GRU(2)(hidden), hidden)
        return keras.Model(inputs, outputs), x, vectors(FEATURES), None
    if kind == "AttentionCell":
        cell = AttentionCell(layers.GRUCell(2), BahdanauAttention(2))
        outputs = ACTRNN(cell, halting_bias=-1.0, max_ponder=3)(hidden, memory=hidden)
        return keras.Model(inputs, outputs), x, vectors(2), None
    both = layers.Bidirectional(ACTRNN(layers.LSTMCell(2), halting_bias=-1.0, max_ponder=4))
    return keras.Model(inputs, both(hidden)), x, vectors(2 * UNITS), None


class _Sparse:
    """A model that is compiled with the loss of symbols, whatever it is told."""

    def __init__(self, keras, model):
        self.model = model

    def compile(self, optimizer, loss, **options):
        self.model.compile(optimizer, "sparse_categorical_crossentropy", **options)

    def __getattr__(self, name):
        return getattr(self.model, name)
