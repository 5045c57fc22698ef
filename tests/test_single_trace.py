"""Models whose training TensorFlow traces once, although Keras builds the optimizer in it."""

import keras
import numpy as np
import pytest

from keras_adaptive import losses, models
from keras_adaptive.layers import ACTRNN, HAM, NeuralGPU
from keras_adaptive.neural_gpu import NeuralGPUModel
from keras_adaptive.reinforce import ReinforceModel


def adaptive():
    inputs = keras.Input((None, 3))
    layer = ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=2)
    model = models.AdaptiveModel(inputs, keras.layers.Dense(1)(layer(inputs)))
    return model, "mse", np.ones((4, 2, 3)), np.ones((4, 1))


def neural_gpu():
    symbols = keras.Input((None,), dtype="int32")
    model = NeuralGPUModel(symbols, NeuralGPU(3, maps=3, width=1)(symbols))
    targets = np.ones((4, 3), "int32")
    return model, losses.SequenceLoss(from_logits=True), targets, targets


def reinforce():
    inputs = keras.Input((2, 3))
    model = ReinforceModel(keras.Model(inputs, HAM(1, None)(inputs)))
    return model, None, np.ones((4, 2, 3)), np.ones((4, 2, 1))


def pointer():
    model = models.PointerNetwork(units=4, halting="fixed", steps=1)
    return model, losses.SequenceLoss(per_target=True), np.ones((4, 3, 2)), np.ones((4, 3))


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    "make",
    [
        *(adaptive, pointer),
        *(pytest.param(make, marks=pytest.mark.slow) for make in (neural_gpu, reinforce)),
    ],
)
def test_a_training_is_traced_once(make, monkeypatch):
    model, loss, x, y = make()
    model.compile("adam", loss)
    traces, step = [], keras.Model.train_step
    monkeypatch.setattr(
        keras.Model, "train_step", lambda self, *data: traces.append(1) or step(self, *data)
    )
    model.fit(x, y, batch_size=2, verbose=0)
    assert len(traces) == 1
    assert int(model.optimizer.iterations) == 2
