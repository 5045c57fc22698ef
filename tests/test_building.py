"""Parts without `build` or `compute_output_shape` of their own, and data of unknown sizes."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive import ham, layers, models

RNG = np.random.default_rng(0)
SEQUENCES = RNG.normal(size=(4, 5, 3)).astype("float32")
IMAGES = RNG.normal(size=(4, 6, 5, 3)).astype("float32")


@keras.saving.register_keras_serializable(package="tests.building")
class Unit(keras.layers.Layer):
    """What Keras would build when it calls it."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.convolution = keras.layers.Conv2D(3, 3, padding="same")
        self.norm = keras.layers.BatchNormalization()

    def call(self, x):
        return x + self.norm(self.convolution(x))


@keras.saving.register_keras_serializable(package="tests.building")
class UnitModel(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.convolution = keras.layers.Conv2D(3, 3, padding="same")

    def call(self, x):
        return x + self.convolution(x)


@keras.saving.register_keras_serializable(package="tests.building")
class Cell(keras.layers.Layer):
    state_size = output_size = 3

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = keras.layers.Dense(3, activation="tanh")

    def call(self, x, states):
        y = self.dense(keras.ops.concatenate([x, states[0]], axis=-1))
        return y, [y]


@keras.saving.register_keras_serializable(package="tests.building")
class Head(keras.layers.Layer):
    def __init__(self, outputs=2, **kwargs):
        super().__init__(**kwargs)
        self.outputs = outputs
        self.dense = keras.layers.Dense(outputs)

    def call(self, x):
        return self.dense(x)

    def get_config(self):
        return {**super().get_config(), "outputs": self.outputs}


LAYERS = {
    "ACT": (lambda: layers.ResidualACT([Unit(), Unit()]), IMAGES),
    "SACT": (lambda: layers.ResidualACT([Unit(), Unit()], spatial=True), IMAGES),
    "units that are models": (lambda: layers.ResidualACT([UnitModel(), UnitModel()]), IMAGES),
    "ACTRNN": (lambda: layers.ACTRNN(Cell()), SEQUENCES),
    "ACTRNN, two cells": (lambda: layers.ACTRNN([Cell(), Cell()]), SEQUENCES),
    "DHAM": (lambda: layers.DHAM(2, Cell()), SEQUENCES),
    "DHAM, WRITE": (
        lambda: layers.DHAM(2, Cell(), memory=ham.Memory(units=4, write=Head(4))),
        SEQUENCES,
    ),
    "PonderNet": (lambda: layers.PonderNet(Cell(), head=Head()), SEQUENCES[:, 0]),
}


def weights_after_fit(name, run_eagerly, functional):
    make, x = LAYERS[name]
    keras.utils.set_random_seed(0)
    layer = make()
    if functional:
        inputs = keras.Input(x.shape[1:])
        model = models.AdaptiveModel(inputs, layer(inputs))
        assert len(model.variables) == len(layer.variables) > 0
    else:
        model = keras.Sequential([layer])
    model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=run_eagerly)
    y = np.zeros(layer.compute_output_shape(x.shape), "float32")
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    return model, [np.array(w) for w in model.trainable_variables]


@pytest.mark.filterwarnings("ignore:`build\\(\\)` was called on layer:UserWarning")
@pytest.mark.parametrize("name", LAYERS)
def test_parts_that_keras_builds_by_a_call(name, tmp_path):
    model, functional = weights_after_fit(name, run_eagerly=False, functional=True)
    _, sequential = weights_after_fit(name, run_eagerly=True, functional=False)
    for one, other in zip(functional, sequential, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    x = LAYERS[name][1]
    np.testing.assert_allclose(loaded(x), model(x), atol=1e-6)


def reading_itself():
    inputs = keras.Input((None, 3))
    cell = layers.AttentionCell(keras.layers.GRUCell(3), layers.BahdanauAttention(3))
    return models.AdaptiveModel(inputs, layers.ACTRNN(cell)(inputs, memory=inputs))


def functional(make, *sizes):
    inputs = keras.Input((*sizes, 3))
    return models.AdaptiveModel(inputs, make()(inputs))


OF_UNKNOWN_SIZES = {
    "ACTRNN": (lambda: functional(lambda: layers.ACTRNN(keras.layers.GRUCell(3)), None), SEQUENCES),
    "a memory": (reading_itself, SEQUENCES),
    "HAM": (lambda: functional(lambda: layers.HAM(2, keras.layers.GRUCell(3)), None), SEQUENCES),
    "DHAM": (lambda: functional(lambda: layers.DHAM(2, keras.layers.GRUCell(3)), None), SEQUENCES),
    "SACT": (lambda: functional(LAYERS["SACT"][0], None, None), IMAGES),
    "PointerNetwork": (lambda: models.PointerNetwork(4, features=3), SEQUENCES),
}


@pytest.mark.parametrize("name", OF_UNKNOWN_SIZES)
def test_a_dataset_of_unknown_sizes(name):
    make, x = OF_UNKNOWN_SIZES[name]
    model = make()
    wanted = model.predict(x, verbose=0)
    of_unknown_sizes = tf.TensorSpec([None] * x.ndim, "float32")
    data = tf.data.Dataset.from_generator(lambda: [x], output_signature=of_unknown_sizes)
    np.testing.assert_allclose(model.predict(data, steps=1, verbose=0), wanted, atol=1e-6)


class PlainCell:
    """A cell that is no layer, with all that `keras.layers.RNN` asks for."""

    state_size = output_size = 3
    compute_dtype = "float32"

    def __call__(self, inputs, states):
        output = keras.ops.tanh(inputs[:, :3] + states[0])
        return output, [output]

    call = __call__


def test_a_cell_that_is_no_layer():
    inputs = keras.Input((None, 3))
    layer = layers.ACTRNN(PlainCell(), max_ponder=3)
    model = models.AdaptiveModel(inputs, layer(inputs))
    model.compile(keras.optimizers.SGD(0.1), "mse")
    before = [np.array(weight) for weight in model.trainable_variables]
    model.fit(SEQUENCES, np.ones((4, 3)), verbose=0)
    assert all(np.any(w != old) for w, old in zip(model.trainable_variables, before, strict=True))
    np.testing.assert_allclose(model.predict(SEQUENCES, verbose=0), layer(SEQUENCES), atol=1e-6)
