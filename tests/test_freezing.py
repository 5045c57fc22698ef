"""What is frozen stays frozen when a model is loaded, and its training goes on."""

import keras
import numpy as np
import pytest
from keras import layers

from keras_adaptive.baselines import NextSymbolRNN, Seq2SeqLSTM, Symbols
from keras_adaptive.layers import DHAM, HAM, NeuralGPU, PonderNet, StackRNNCell
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.models import (
    AdaptiveResNet,
    NeuralGPUModel,
    PointerNetwork,
    PonderNetModel,
    TranslationNetwork,
)
from keras_adaptive.reinforce import ReinforceModel

RNG = np.random.default_rng(0)
POINTS, CORNERS = RNG.random((4, 5, 2)), np.array([[1, 2, 4, 1], [2, 3, 5, 2]] * 2)
SYMBOLS, ANSWERS = RNG.integers(2, 6, (4, 4)), np.array([[2, 3, 1], [4, 1, 0]] * 2)
VECTORS, BITS = RNG.random((4, 2, 5)), RNG.integers(0, 2, (4, 2, 2))


def functional(kind, shape, layer, *more, dtype=None):
    """A model of one layer and of those after it."""
    inputs = keras.Input(shape, dtype=dtype)
    outputs = layer(inputs)
    for one in more:
        outputs = one(outputs)
    return kind(inputs, outputs)


MODELS = {
    "pointer": lambda: (PointerNetwork(units=6, max_ponder=3), POINTS, CORNERS, SequenceLoss()),
    "translation": lambda: (
        TranslationNetwork(6, 7, units=6, max_ponder=3),
        SYMBOLS,
        ANSWERS,
        SequenceLoss(),
    ),
    "before": lambda: (
        TranslationNetwork(6, 7, units=6, max_ponder=3, place="before"),
        SYMBOLS,
        ANSWERS,
        SequenceLoss(),
    ),
    "lstm": lambda: (
        Seq2SeqLSTM(Symbols(6), Symbols(5), units=4, num_layers=2),
        SYMBOLS,
        ANSWERS,
        SequenceLoss(),
    ),
    "stack": lambda: (
        NextSymbolRNN(StackRNNCell(4, num_stacks=2, stack_depth=9), Symbols(6), Symbols(5)),
        SYMBOLS,
        ANSWERS,
        SequenceLoss(),
    ),
    "ham": lambda: (ReinforceModel(HAM(2, layers.LSTMCell(4), seed=1)), VECTORS, BITS, None),
    "dham": lambda: (
        functional(keras.Model, (2, 5), DHAM(2, layers.LSTMCell(4))),
        VECTORS,
        BITS,
        "binary_crossentropy",
    ),
    "neural_gpu": lambda: (
        functional(
            NeuralGPUModel,
            (None,),
            NeuralGPU(6, maps=3),
            layers.Dense(5, activation="softmax"),
            dtype="int32",
        ),
        SYMBOLS,
        ANSWERS[:, [0, 1, 2, 2]],
        "sparse_categorical_crossentropy",
    ),
    "pondernet": lambda: (
        functional(
            PonderNetModel,
            (5,),
            PonderNet(layers.GRUCell(4), layers.Dense(1, activation="sigmoid"), max_ponder=3),
        ),
        VECTORS[:, 0],
        BITS[:, 0, :1],
        "binary_crossentropy",
    ),
    "resnet": lambda: (
        AdaptiveResNet((4, 4, 1), classes=3, units=2, filters=(3,)),
        RNG.random((4, 4, 4, 1)),
        np.arange(4) % 3,
        "sparse_categorical_crossentropy",
    ),
}


# Keras keeps no state of random numbers in a file.
DRAW = ("ham",)


def with_weights(model):
    """The innermost layers that have weights."""
    return [
        layer
        for layer in model._flatten_layers(include_self=False)
        if layer.weights and not any(x.weights for x in layer._flatten_layers(include_self=False))
    ]


@pytest.mark.parametrize("kind", MODELS)
def test_what_is_frozen_stays_frozen_in_a_file(tmp_path, kind):
    model, x, y, loss = MODELS[kind]()
    model.compile("adam", loss, run_eagerly=True)
    model.train_on_batch(x, y)
    for layer in with_weights(model)[::2]:
        layer.trainable = False
    model.compile("adam", loss, run_eagerly=True)
    model.train_on_batch(x, y)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    frozen = [layer.trainable for layer in with_weights(model)]
    assert [layer.trainable for layer in with_weights(loaded)] == frozen
    assert set(frozen) == {False, True} and int(loaded.optimizer.iterations) == 1
    # Both go on alike, and what is frozen does not move.
    before = model.get_weights()
    model.train_on_batch(x, y)
    loaded.train_on_batch(x, y)
    moved = [np.any(old != new) for old, new in zip(before, model.get_weights(), strict=True)]
    assert any(moved) and not all(moved)
    if kind not in DRAW:
        for one, other in zip(model.get_weights(), loaded.get_weights(), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("kind", ["pointer", "translation", "lstm", "stack", "ham"])
def test_a_model_that_is_frozen_as_a_whole(tmp_path, kind):
    model, x, y, loss = MODELS[kind]()
    model.compile("adam", loss, run_eagerly=True)
    model.train_on_batch(x, y)
    model.trainable = False
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras", compile=False)
    assert not loaded.trainable and not loaded.trainable_variables
    loaded.trainable = True
    assert len(loaded.trainable_variables) > 0
