"""Relaxed parameter sets: the pull as in the equation, and averaging into a plain shared model."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_adaptive import relaxation
from keras_adaptive.weight_averages import AveragingAdam, averages_of, use_averages

pytestmark = pytest.mark.usefixtures("eager")
UNITS, STEPS, SETS = 4, 7, 3


@keras.saving.register_keras_serializable(package="tests")
class Loop(keras.layers.Layer):
    """x = tanh(x K + b), repeated, with relaxed K and b."""

    def __init__(self, relaxation=1, pull=0.0, **kwargs):
        super().__init__(**kwargs)
        self.relaxation = relaxation
        self.pull = pull

    def build(self, shape):
        sets = () if self.relaxation == 1 else (self.relaxation,)
        self.kernel = self.add_weight(shape=(*sets, UNITS, UNITS), name="kernel")
        self.bias = self.add_weight(shape=(*sets, UNITS), name="bias")
        if self.relaxation > 1:
            relaxation.add_variables(self, self.relaxation, self.pull)

    @property
    def relaxed_variables(self):
        return [self.kernel, self.bias] if self.relaxation > 1 else []

    def call(self, x):
        kernel, bias = self.kernel, self.bias
        if self.relaxation > 1:
            self.add_loss(relaxation.cost(self))
        for step in range(STEPS):
            if self.relaxation > 1:
                i = relaxation.set_at(self, step)
                kernel, bias = ops.take(self.kernel, i, axis=0), ops.take(self.bias, i, axis=0)
            x = ops.tanh(x @ kernel + bias)
        return x

    def get_config(self):
        return {**super().get_config(), "relaxation": self.relaxation, "pull": self.pull}


def network(sets, pull=0.0, tied=False):
    """A compiled model with a relaxed layer inside another model."""
    inside = keras.Sequential([keras.Input((UNITS,)), Loop(sets, pull, name="loop")])
    inputs = keras.Input((UNITS,))
    model = keras.Model(inputs, keras.layers.Dense(2, name="head")(inside(inputs)))
    rng = np.random.default_rng(0)
    for variable in model.trainable_variables:
        variable.assign(rng.normal(size=variable.shape) * 0.7)
    for layer in relaxation.relaxed_layers(model) if tied else []:
        for variable in layer.relaxed_variables:
            variable.assign(np.broadcast_to(variable.numpy()[0], variable.shape))
    model.compile(keras.optimizers.Adam(0.05, global_clipnorm=0.5), "mse")
    return model


def data(repeat=1):
    """Eight examples, so many times."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(8, UNITS)), rng.normal(size=(8, 2))
    return np.tile(x, (repeat, 1)), np.tile(y, (repeat, 1))


def fit(model, steps):
    x, y = data(steps)
    return model.fit(x, y, batch_size=8, shuffle=False, verbose=0).history["loss"][0]


def loop_of(model):
    (layer,) = relaxation.relaxed_layers(model)
    return layer


def by_hand(model, x):
    """The model's answer, one step after the other."""
    layer, head = loop_of(model), model.get_layer("head").get_weights()
    kernel, bias = layer.kernel.numpy(), layer.bias.numpy()
    for step in range(STEPS):
        x = np.tanh(x @ kernel[step % SETS] + bias[step % SETS])
    return x @ head[0] + head[1]


def test_step_t_uses_set_t_mod_r():
    model, (x, _) = network(SETS), data()
    np.testing.assert_allclose(model.predict(x, verbose=0), by_hand(model, x), rtol=1e-4, atol=1e-5)
    layer = loop_of(model)
    assert [int(relaxation.set_at(layer, step)) for step in range(5)] == [0, 1, 2, 0, 1]


def test_cost_is_the_pull_times_the_distance_to_the_mean():
    model = network(SETS, pull=0.25)
    layer, expected = loop_of(model), 0.0
    for variable in (layer.kernel.numpy(), layer.bias.numpy()):
        mean = sum(variable) / SETS
        expected += sum(np.sum((one - mean) ** 2) for one in variable)
    np.testing.assert_allclose(float(relaxation.distance(layer.relaxed_variables)), expected, 1e-5)
    x, y = data()
    task = np.mean((by_hand(model, x) - y) ** 2)
    loss = model.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(loss, task + 0.25 * expected, rtol=1e-4)


@pytest.mark.slow
def test_a_strong_pull_unifies_the_sets():
    model = network(SETS, pull=0.1)
    before = float(relaxation.distance(loop_of(model).relaxed_variables))
    relaxation.raise_pull(model, factor=100.0)
    assert relaxation.pull(model) == pytest.approx(10.0)
    fit(model, steps=100)
    assert float(relaxation.distance(loop_of(model).relaxed_variables)) < 1e-2 * before


def test_averaging_leaves_a_tied_model_unchanged():
    model, (x, _) = network(SETS, tied=True), data()
    before = model.predict(x, verbose=0)
    weights = [variable.numpy() for variable in model.trainable_variables]
    relaxation.average(model)
    np.testing.assert_allclose(model.predict(x, verbose=0), before, rtol=1e-5)
    for variable, weight in zip(model.trainable_variables, weights):
        np.testing.assert_allclose(variable.numpy(), weight, rtol=1e-6)


def test_averaging_gives_the_mean():
    model, (x, _) = network(SETS), data()
    layer = loop_of(model)
    means = [variable.numpy().mean(axis=0) for variable in layer.relaxed_variables]
    relaxation.average(model)
    assert relaxation.is_averaged(model)
    for variable, mean in zip(layer.relaxed_variables, means):
        np.testing.assert_allclose(variable.numpy(), [mean] * SETS, rtol=1e-6)
    np.testing.assert_allclose(model.predict(x, verbose=0), by_hand(model, x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("optimizer", [keras.optimizers.Adam, AveragingAdam])
def test_averaging_also_averages_what_an_optimizer_keeps(optimizer):
    """At its end `fit` gives the model these averages, or `use_averages` does."""
    model = network(SETS)
    model.compile(optimizer(0.05, use_ema=True, ema_momentum=0.5), "mse")
    means = []

    def average(epoch, logs):
        layer = loop_of(model)
        kept = {id(variable): moving for variable, moving in averages_of(model)}
        means.extend(np.mean(kept[id(v)], axis=0) for v in layer.relaxed_variables)
        relaxation.average(model)

    x, y = data()
    callback = keras.callbacks.LambdaCallback(on_epoch_end=average)
    model.fit(x, y, batch_size=4, verbose=0, callbacks=[callback])
    use_averages(model)
    for variable, mean in zip(loop_of(model).relaxed_variables, means, strict=True):
        np.testing.assert_allclose(variable, [mean] * SETS, rtol=1e-5)


def test_an_averaged_model_trains_as_one_with_a_single_set():
    model, (x, _) = network(SETS, pull=0.3), data()
    relaxation.average(model)
    plain = relaxation.shared(model)
    assert [v.shape for v in plain.trainable_variables] == [
        v.shape for v in network(1).trainable_variables
    ]
    assert not relaxation.relaxed_layers(plain)
    plain.compile(keras.optimizers.Adam(0.05, global_clipnorm=0.5), "mse")
    before = plain.predict(x, verbose=0)
    np.testing.assert_allclose(model.predict(x, verbose=0), before, rtol=1e-5)
    losses = [fit(each, steps=10) for each in (model, plain)]
    np.testing.assert_allclose(*losses, rtol=1e-4)
    expected = plain.predict(x, verbose=0)
    assert np.abs(expected - before).max() > 0.1
    np.testing.assert_allclose(model.predict(x, verbose=0), expected, rtol=1e-3, atol=1e-4)
    again = relaxation.shared(model).predict(x, verbose=0)
    np.testing.assert_allclose(again, expected, rtol=1e-3, atol=1e-4)
    relaxation.average(model)  # Nothing is left to average.
    np.testing.assert_allclose(model.predict(x, verbose=0), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("averaged", [False, True])
def test_state_is_saved_with_the_model(averaged, tmp_path):
    model = network(SETS, pull=0.01)
    relaxation.raise_pull(model, factor=2.0)
    if averaged:
        relaxation.average(model)
    fit(model, steps=2)
    model.save(tmp_path / "model.keras")
    other = keras.models.load_model(tmp_path / "model.keras")
    assert relaxation.pull(other) == pytest.approx(0.02)
    assert relaxation.is_averaged(other) is averaged
    np.testing.assert_allclose(fit(other, steps=2), fit(model, steps=2), rtol=1e-6)


def test_bad_arguments():
    plain, relaxed = network(1), network(SETS)
    with pytest.raises(ValueError, match="no layer with relaxed parameters"):
        relaxation.average(plain)
    with pytest.raises(ValueError, match="still uses several parameter sets"):
        relaxation.shared(relaxed)
