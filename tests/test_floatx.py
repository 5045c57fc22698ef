"""All in 16 bits, by `keras.config.set_floatx`; mixed precision needs no such thing."""

import keras
import numpy as np
import pytest

from keras_adaptive import baselines, layers, losses, models, reinforce

RNG = np.random.default_rng(0)
SEQUENCES = RNG.normal(size=(4, 5, 3))
BITS = RNG.integers(0, 2, (4, 5, 2))
SYMBOLS = RNG.integers(1, 4, (4, 5))
IMAGES = RNG.normal(size=(4, 6, 5, 3))
POINTS = RNG.normal(size=(4, 4, 2))
TOURS = np.array([RNG.permutation(4) + 1 for _ in POINTS])


def around(layer, x):
    inputs = keras.Input(x.shape[1:], dtype=None if x.dtype.kind == "f" else "int32")
    return models.AdaptiveModel(inputs, layer(inputs))


def of_symbols():
    return losses.SequenceLoss(per_target=True)


def neural_gpu():
    return layers.NeuralGPU(4, 4, width=2, relaxation=2, saturation_cost=0.1)


def residual():
    return layers.ResidualACT([layers.ResidualUnit(3) for _ in range(2)], spatial=True)


def seq2seq():
    return baselines.Seq2SeqLSTM(baselines.Symbols(4), baselines.Symbols(4), 4, num_layers=1)


def dham():
    return layers.DHAM(2, keras.layers.LSTMCell(4), entropy_bonus=0.1)


def actrnn():
    return layers.ACTRNN(keras.layers.SimpleRNNCell(2), return_sequences=True, time_penalty=0.1)


def pointer():
    return models.PointerNetwork(4, halting="act", max_ponder=2, time_penalty=0.1)


CASES = {
    "ACTRNN": (lambda: around(actrnn(), SEQUENCES), SEQUENCES, BITS, "mse"),
    "DHAM": (lambda: around(dham(), SEQUENCES), SEQUENCES, BITS, "binary_crossentropy"),
    "HAM": (lambda: reinforce.ReinforceModel(layers.HAM(2)), SEQUENCES, BITS, None),
    "NeuralGPU": (lambda: around(neural_gpu(), SYMBOLS), SYMBOLS, RNG.random((4, 5, 4)), "mse"),
    "ResidualACT": (lambda: around(residual(), IMAGES), IMAGES, IMAGES, "mse"),
    "Seq2SeqLSTM": (seq2seq, SYMBOLS, SYMBOLS, of_symbols),
    "PointerNetwork": (pointer, POINTS, TOURS, of_symbols),
}


@pytest.fixture
def in_16_bits():
    """As in a process that sets it first: Keras looks only once for the policy that it implies."""
    before = keras.config.floatx(), keras.config.dtype_policy()
    keras.config.set_floatx("float16")
    keras.config.set_dtype_policy("float16")
    yield
    keras.config.set_floatx(before[0])
    keras.config.set_dtype_policy(before[1])


@pytest.mark.parametrize("name", CASES)
def test_fit_and_predict_in_16_bits(name, in_16_bits):
    make, x, y, loss = CASES[name]
    keras.utils.set_random_seed(0)
    model = make()
    loss = loss() if callable(loss) else loss
    model.compile(keras.optimizers.SGD(0.1), **({} if loss is None else {"loss": loss}))
    logs = model.fit(x, y, verbose=0).history
    assert all(np.isfinite(values).all() for values in logs.values())
    assert np.isfinite(model.predict(x, verbose=0)).all()
    assert "float16" in {weight.dtype for weight in model.trainable_variables}
