"""AdaptiveModel: what the logs say, what training needs, and the automatic time penalty."""

import warnings

import keras
import numpy as np
import pytest

from keras_adaptive.callbacks import WarnOfTimePenalty
from keras_adaptive.control import TargetPonder
from keras_adaptive.halting import record, report
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel, NeuralGPUModel
from known_layers import sequences

X = sequences(6, 4, 2).astype("float32")
X[0, 2:], X[3, 1:] = 0.0, 0.0  # masked
Y = np.random.default_rng(5).integers(0, 2, size=(6, 1)).astype("float32")


def network(count=1, masking=True, eager=True, **kwargs):
    """A model with so many adaptive layers, one after the other.

    Mostly it runs eagerly: traces are slow, and the last tests compare the graph with it.
    """
    kwargs = {"time_penalty": 0.25, "halting_bias": -1.0, **kwargs}
    inputs = keras.Input((None, 2))
    x = keras.layers.Masking()(inputs) if masking else inputs
    for i in range(count):
        last = i == count - 1
        x = ACTRNN(
            keras.layers.SimpleRNNCell(3), return_sequences=not last, name=f"act_{i}", **kwargs
        )(x)
    model = AdaptiveModel(inputs, keras.layers.Dense(1, activation="sigmoid")(x))
    compile_(model, keras.optimizers.SGD(0.1), run_eagerly=eager)
    return model


def compile_(model, optimizer, run_eagerly=True, jit_compile=False):
    model.compile(
        optimizer, "binary_crossentropy", run_eagerly=run_eagerly, jit_compile=jit_compile
    )


def crossentropy(y, p, weights=1.0):
    return np.mean(-weights * (y * np.log(p) + (1 - y) * np.log(1 - p)))


def pondered(model, x=X):
    """ρ and N of every layer, from the layers themselves."""
    with record() as entries:
        outputs = model(x)
    return np.array(outputs), [
        (np.array(e.steps + e.remainder), np.array(e.steps)) for e in entries
    ]


def test_what_the_logs_say():
    model = network()
    outputs, [(rho, steps)] = pondered(model)
    task, cost = crossentropy(Y, outputs), 0.25 * np.mean(np.sum(rho, axis=1))
    expected = {
        "loss": task + cost,
        "task_loss": task,
        "ponder_cost": cost,
        "ponder": np.sum(rho) / np.sum(steps > 0),
        "ponder_steps": np.sum(steps) / np.sum(steps > 0),
    }
    found = model.evaluate(X, Y, return_dict=True, verbose=0)
    assert found == pytest.approx(expected, rel=1e-5)
    # Batches of 4 and 2 rows count as their rows do.
    found = model.evaluate(X, Y, batch_size=4, return_dict=True, verbose=0)
    assert found == pytest.approx(expected, rel=1e-5)
    found = model.fit(X, Y, verbose=0).history
    assert {name: value for name, [value] in found.items()} == pytest.approx(
        {**expected, "time_penalty": 0.25}, rel=1e-5
    )


def test_two_adaptive_layers_have_names_of_their_own():
    model = network(count=2)
    _, entries = pondered(model)
    logs = model.fit(X, Y, verbose=0).history
    for i, (rho, steps) in enumerate(entries):
        count = np.sum(steps > 0)
        assert logs[f"ponder_act_{i}"] == pytest.approx([np.sum(rho) / count], rel=1e-5)
        assert logs[f"ponder_steps_act_{i}"] == pytest.approx([np.sum(steps) / count], rel=1e-5)
        assert logs[f"time_penalty_act_{i}"] == [0.25]
    cost = sum(0.25 * np.mean(np.sum(rho, axis=1)) for rho, _ in entries)
    assert logs["ponder_cost"] == pytest.approx([cost], rel=1e-5)
    assert logs["loss"] == pytest.approx([logs["task_loss"][0] + cost], rel=1e-5)


def test_weights_of_samples_and_classes():
    model = network()
    outputs, _ = pondered(model)
    weights = np.array([1.0, 0.0, 2.0, 0.5, 3.0, 1.0])
    for _ in range(2):
        found = model.evaluate(X, Y, sample_weight=weights, return_dict=True, verbose=0)
        # Keras divides by the number of samples, not by their weights.
        assert found["task_loss"] == pytest.approx(
            crossentropy(Y, outputs, weights[:, None]), rel=1e-5
        )
    model.optimizer.learning_rate = 0.0
    logs = model.fit(X, Y, class_weight={0: 0.5, 1: 3.0}, verbose=0).history
    expected = crossentropy(Y, outputs, np.where(Y == 1, 3.0, 0.5))
    assert logs["task_loss"] == pytest.approx([expected], rel=1e-5)
    assert logs["loss"] == pytest.approx([expected + logs["ponder_cost"][0]], rel=1e-5)


def after_training(optimizer, batch_size, **kwargs):
    keras.utils.set_random_seed(3)
    model = network(masking=False, **kwargs)
    compile_(model, optimizer)
    before = [np.array(v) for v in model.trainable_variables]
    model.fit(X, Y, batch_size=batch_size, shuffle=False, verbose=0)
    return before, [np.array(v) for v in model.trainable_variables]


def test_gradient_accumulation_equals_one_large_batch():
    _, wanted = after_training(keras.optimizers.SGD(0.1), 6)
    _, found = after_training(keras.optimizers.SGD(0.1, gradient_accumulation_steps=3), 2)
    for got, want in zip(found, wanted):
        np.testing.assert_allclose(got, want, atol=1e-6)


def test_clipping_by_the_optimizer():
    before, after = after_training(keras.optimizers.SGD(1.0, global_clipnorm=1e-3), 6)
    moved = np.sqrt(sum(np.sum((a - b) ** 2) for a, b in zip(after, before)))
    assert moved == pytest.approx(1e-3, rel=1e-2)


@pytest.mark.parametrize("target", [1.5, pytest.param(50.0, marks=pytest.mark.slow)])
def test_target_ponder_moves_the_time_penalty(target):
    """As NumPy says: the controller on the mean steps of every batch, then τ for the next."""
    control = TargetPonder(
        target,
        integral_gain=0.1,
        maximum=2.0,
        integral_minimum=-0.02,
        smoothing=0.5,
        gain_scale=0.25,
    )
    model = network(target_ponder=control, time_penalty=0.125)
    layer = model.get_layer("act_0")
    integral, mean, tau = 0.125, 0.0, 0.125
    for _ in range(3):
        _, [(rho, steps)] = pondered(model)
        now = np.sum(steps) / np.sum(steps > 0)
        logs = model.fit(X, Y, verbose=0).history
        assert logs["ponder_cost"] == pytest.approx([tau * np.mean(np.sum(rho, axis=1))], rel=1e-4)
        mean = now if mean == 0 else 0.5 * mean + 0.5 * now
        error = (mean - target) / target * (1 + max(integral, 0) / 0.25)
        integral = np.clip(integral + 0.1 * error, -0.02, 2.0)
        tau = np.clip(integral + 0.5 * error, -0.3, 2.0)
        assert logs["time_penalty"] == pytest.approx([tau], rel=1e-4)
        assert layer.time_penalty == pytest.approx(tau, rel=1e-4)
    model.evaluate(X, Y, verbose=0)
    model.predict(X, verbose=0)
    assert layer.time_penalty == pytest.approx(tau, rel=1e-4), "only training moves it"


@pytest.mark.parametrize("target, cure", [(1.0, "too many"), (50.0, "too few")])
def test_a_warning_when_the_time_penalty_sits_at_a_bound(target, cure):
    control = TargetPonder(target, proportional_gain=10.0, maximum=0.3)
    model = network(target_ponder=control)
    with pytest.warns(UserWarning, match=rf"time_penalty is at or past its bound.*{cure}"):
        logs = model.fit(X, Y, verbose=0).history
    assert logs["time_penalty_at_bound"] == [1.0]


def test_a_warning_of_a_long_time_at_a_bound_comes_once():
    callback = WarnOfTimePenalty({"time_penalty": TargetPonder(3.0, maximum=0.3)})

    def said(*steps):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            callback.on_train_begin()
            for epoch, mean in enumerate(steps):
                callback.on_epoch_end(epoch, {"time_penalty": 0.3, "ponder_steps": mean})
            callback.on_train_end()
        return [str(warning.message).split("in epoch ")[1][0] for warning in caught]

    assert said(5, 5, 3, 5, 3) == []
    assert said(5, 5, 5, 5, 5) == ["3"]
    assert said(3, 5, 5) == ["3"]
    assert said(5, 5, 5, 3) == ["3"]


def test_no_warning_within_the_bounds():
    target = TargetPonder(2.0, proportional_gain=0.05)
    model = network(target_ponder=target, time_penalty=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert model.fit(X, Y, verbose=0).history["time_penalty_at_bound"] == [0.0]
    callback = WarnOfTimePenalty({"time_penalty_a": TargetPonder(3.0, maximum=0.3)})
    logs = {"time_penalty_a": 0.3, "ponder_steps_a": 3.2}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        callback.on_epoch_end(0, logs)
    assert logs["time_penalty_a_at_bound"] == 1.0


def test_callbacks_see_the_logs_and_may_set_the_time_penalty():
    model = network(eager=False)
    layer = model.get_layer("act_0")

    class WarmUp(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            layer.time_penalty = [0.0, 0.5, 1.0][epoch]

    stop = keras.callbacks.EarlyStopping(monitor="ponder_cost", mode="min", patience=0)
    logs = model.fit(X, Y, epochs=3, verbose=0, callbacks=[WarmUp(), stop]).history
    assert logs["time_penalty"] == [0.0, 0.5], "ponder_cost rose, so that training stopped"
    assert logs["ponder_cost"][0] == 0.0 < logs["ponder_cost"][1]


def test_the_time_penalty_changes_within_an_epoch():
    """On JAX, where Keras takes the variables away, a callback has to ask for them."""
    model = network()
    layer, seen = model.get_layer("act_0"), []

    class Rise(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if keras.backend.backend() == "jax":
                with pytest.raises(RuntimeError, match=r"call `self.model.jax_state_sync\(\)`"):
                    layer.time_penalty = 7.0
                with pytest.raises(RuntimeError, match="has no value within an epoch"):
                    seen.append(layer.time_penalty)
                self.model.jax_state_sync()
            seen.append(layer.time_penalty)
            layer.time_penalty = batch + 1.0

    model.fit(X, Y, batch_size=2, verbose=0, callbacks=[Rise()])
    assert [*seen, layer.time_penalty] == [0.25, 1.0, 2.0, 3.0]


@pytest.mark.slow
def test_resuming_after_saving_equals_going_on(tmp_path):
    model = network(target_ponder=1.5)
    compile_(model, keras.optimizers.Adam(0.05))
    fit = {"verbose": 0, "shuffle": False, "batch_size": 3}
    model.fit(X, Y, **fit)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert again.get_layer("act_0").time_penalty == model.get_layer("act_0").time_penalty
    wanted = model.fit(X, Y, epochs=2, **fit).history
    found = again.fit(X, Y, epochs=2, **fit).history
    assert found.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-5, err_msg=name)
    pairs = [(again.weights, model.weights)]
    pairs += [(again.optimizer.variables, model.optimizer.variables)]
    for found, wanted in pairs:
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, want, atol=1e-6, err_msg=want.path)


@pytest.mark.slow
def test_training_in_a_graph_gives_the_same():
    """And by XLA: tests/test_training_in_fit.py."""
    histories = []
    for run_eagerly, jit_compile in [(True, False), (False, False)]:
        keras.utils.set_random_seed(4)
        model = network(target_ponder=2.0, max_ponder=8)
        compile_(model, keras.optimizers.SGD(0.1), run_eagerly, jit_compile)
        histories.append(model.fit(X, Y, batch_size=3, shuffle=False, verbose=0).history)
    for history in histories[1:]:
        assert history.keys() == histories[0].keys()
        for name, values in histories[0].items():
            np.testing.assert_allclose(history[name], values, rtol=1e-4, err_msg=name)


def test_a_plain_network_in_the_model():
    inputs = keras.Input((3,))
    model = AdaptiveModel(inputs, keras.layers.Dense(1)(inputs))
    model.compile("sgd", "mse")
    logs = model.fit(np.ones((2, 3)), np.ones((2, 1)), verbose=0).history
    assert logs["loss"] == logs["task_loss"] and logs["ponder_cost"] == [0.0]


class Block(keras.layers.Layer):
    """A user's block: two steps on each row, reported in the name of what it is given."""

    def __init__(self, owner=None, **kwargs):
        super().__init__(**kwargs)
        self.owner = owner

    def call(self, inputs):
        rows = keras.ops.ones_like(inputs[:, 0])
        report(self if self.owner is None else self.owner, 2.0 * rows, 0.5 * rows, 0.125)
        return inputs


@pytest.mark.parametrize(
    "case, blocks, suffixes",
    [
        ("one block", lambda: [Block()], [""]),
        ("called twice", lambda: [Block()] * 2, [""]),
        ("two blocks", lambda: [Block(name="a"), Block(name="b")], ["_a", "_b"]),
        ("nested", lambda: [Block(name="a"), keras.Sequential([Block(name="a")])], ["_a", "_a_1"]),
        ("no layer", lambda: [Block(owner="somebody")], []),
    ],
)
def test_blocks_of_the_user_that_report(case, blocks, suffixes):
    inputs = outputs = keras.Input((2,))
    blocks = blocks()
    for block in blocks:
        outputs = block(outputs)
    model = AdaptiveModel(inputs, keras.layers.Dense(1)(outputs))
    compile_(model, "sgd", run_eagerly=False)
    logs = model.fit(X[:, 0], Y, verbose=0).history
    names = {f"{kind}{suffix}" for suffix in suffixes for kind in ("ponder", "ponder_steps")}
    assert {name for name in logs if name.startswith("ponder")} == {"ponder_cost", *names}
    for suffix in suffixes:
        assert logs[f"ponder{suffix}"] == [2.5] and logs[f"ponder_steps{suffix}"] == [2.0]
    assert logs["ponder_cost"] == [pytest.approx(0.125 * 2.5 * len(blocks))]


def test_a_layer_that_is_called_twice_is_charged_twice():
    inputs = keras.Input((3, 2))
    layer = ACTRNN(keras.layers.GRUCell(4), time_penalty=0.1)
    both = keras.layers.Add()([layer(inputs), layer(inputs)])
    model = AdaptiveModel(inputs, keras.layers.Dense(1, kernel_initializer="zeros")(both))
    model.compile(keras.optimizers.SGD(0.0), "mse")
    x, y = np.ones((4, 3, 2)), np.zeros((4, 1))
    logs = model.fit(x, y, verbose=0).history
    assert logs["task_loss"] == [0.0] and logs["loss"] == logs["ponder_cost"]
    assert logs["loss"][0] == pytest.approx(2 * 3 * 0.1 * logs["ponder"][0], rel=1e-4)


def test_a_model_inside_of_a_layer():
    """What it ponders is in the logs of the model around it, and nothing else is."""
    inputs = keras.Input((4, 2))
    inner = AdaptiveModel(inputs, ACTRNN(keras.layers.SimpleRNNCell(3), time_penalty=0.5)(inputs))
    inputs = keras.Input((2, 4, 2))
    model = AdaptiveModel(inputs, keras.layers.TimeDistributed(inner)(inputs))
    model.compile("sgd", "mse", run_eagerly=True)
    x, y = sequences(3, 8, 2).reshape(3, 2, 4, 2), np.zeros((3, 2, 3))
    logs = model.evaluate(x, y, verbose=0, return_dict=True)
    assert logs["task_loss"] == pytest.approx(np.mean(np.array(model(x)) ** 2), rel=1e-5)
    assert logs["loss"] == pytest.approx(logs["task_loss"] + logs["ponder_cost"], rel=1e-5)
    assert logs["ponder_steps"] >= 1


def test_an_output_with_the_name_of_a_metric():
    inputs = keras.Input((2,))
    outputs = {name: keras.layers.Dense(1, name=name)(inputs) for name in ("task", "other")}
    with pytest.raises(ValueError, match="cannot be named 'task'"):
        AdaptiveModel(inputs, outputs).compile("sgd", "mse")


def test_what_is_recorded_while_a_model_is_built_is_of_its_call():
    class Mine(keras.Model):
        def __init__(self):
            super().__init__()
            self.first = ACTRNN(keras.layers.GRUCell(3), return_sequences=True)
            self.second = ACTRNN(keras.layers.GRUCell(3))

        def call(self, inputs):
            return self.second(self.first(inputs))

    with record() as entries:
        Mine()(X)
    assert [tuple(entry.steps.shape) for entry in entries] == [(6, 4), (6, 4)]
    assert all(float(entry.cost) > 0 for entry in entries)


@pytest.mark.parametrize("kind", [AdaptiveModel, NeuralGPUModel])
def test_a_subclass_that_passes_no_inputs_on(kind):
    class Own(kind):
        def __init__(self):
            super().__init__()

    message = rf"`{kind.__name__}\(inputs, outputs\)`, .* Received: 0 of both"
    with pytest.raises(ValueError, match=message):
        Own()
