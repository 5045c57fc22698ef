"""What a user's `fit` trains in a graph is what it trains eagerly: the weights after two steps."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.backend.tensorflow import element as tensorflow_element
from keras_adaptive.backend.tensorflow.core import compiles, refuse_unseen
from keras_adaptive.backend.tensorflow.graph import TracedGraph
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel

CELLS = {
    "rnn": keras.layers.SimpleRNNCell,
    "lstm": keras.layers.LSTMCell,
    "gru": keras.layers.GRUCell,
    "stacked": lambda units: [keras.layers.SimpleRNNCell(units), keras.layers.GRUCell(units)],
}


def trained(cell, time=1, masking=False, stateful=False, **kwargs):
    """The weights of a network before and after two steps of `fit`."""
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4, time, 3)).astype("float32"), rng.normal(size=(4, 2))
    inputs = keras.Input(batch_shape=(4, time, 3)) if stateful else keras.Input((time, 3))
    hidden = keras.layers.Masking()(inputs) if masking else inputs
    hidden = ACTRNN(CELLS[cell](4), max_ponder=3, halting_bias=-1.0, stateful=stateful)(hidden)
    model = keras.Model(inputs, keras.layers.Dense(2)(hidden))
    model.compile(keras.optimizers.SGD(0.5), "mse", **kwargs)
    before = model.get_weights()
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    return model, before, model.get_weights()


eagerly_trained = functools.cache(functools.partial(trained, run_eagerly=True, jit_compile=False))


def assert_as_eagerly(cell, *, jit_compile, masking=False, **kwargs):
    compiled = {} if jit_compile is None else {"jit_compile": jit_compile}
    model, before, after = trained(cell, masking=masking, **kwargs, **compiled)
    # No element is masked here: that there is a mask changes the path, not the result.
    *_, eager = eagerly_trained(cell, **kwargs)
    trainable = {id(variable) for variable in model.trainable_variables}
    for variable, a, b, c in zip(model.weights, before, after, eager, strict=True):
        np.testing.assert_allclose(b, c, rtol=0, atol=1e-5, err_msg=variable.path)
        assert id(variable) not in trainable or np.any(a != b), f"{variable.path} did not move"


# The sample of test_training.py has the other cells and options, with fewer of their combinations.
@pytest.mark.parametrize(
    ("cell", "jit_compile", "masking"),
    [
        ("gru", True, True),
        pytest.param("rnn", None, False, marks=pytest.mark.slow),
        pytest.param("lstm", None, False, marks=pytest.mark.slow),
        pytest.param("lstm", True, True, marks=pytest.mark.slow),
        pytest.param("gru", None, False, marks=pytest.mark.slow),
        pytest.param("rnn", True, True, marks=pytest.mark.slow),
    ],
)
def test_sequences_of_one_element(cell, jit_compile, masking):
    assert_as_eagerly(cell, jit_compile=jit_compile, masking=masking)


@pytest.mark.parametrize("jit_compile", [pytest.param(None, marks=pytest.mark.slow), True])
def test_more_steps_than_are_saved(jit_compile, monkeypatch):
    """The number of rows is free, so the gradient asks for shapes of what the loops sum up."""
    monkeypatch.setattr(tensorflow_element, "FEWEST", 2)
    monkeypatch.setattr(tensorflow_element, "BYTES", 1)
    assert_as_eagerly("rnn", jit_compile=jit_compile)


@pytest.mark.parametrize(
    ("cell", "time"),
    [pytest.param(*both, marks=pytest.mark.slow) for both in (("lstm", 2), ("stacked", 1))],
)
def test_a_stateful_layer(cell, time):
    assert_as_eagerly(cell, time=time, stateful=True, masking=True, jit_compile=None)


def test_no_traced_operation_is_imported_behind_a_tapes_back():
    traced = tf.function(lambda x: 2.0 * x).get_concrete_function(tf.TensorSpec([]))

    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = TracedGraph(traced.graph).run([(traced.inputs[0], x)], traced.outputs[0])
        return tape.gradient(y, x)

    with pytest.raises(RuntimeError, match="tape does not see it"):
        run(tf.constant(1.0))


@pytest.mark.parametrize("seen", [True, False])
def test_no_gradient_is_lost_in_a_custom_gradient(seen):
    @tf.function
    def run(x, weight):
        with tf.GradientTape() as tape:
            tape.watch([x, weight])

            @tf.custom_gradient
            @refuse_unseen()
            def product(*_):
                return [x * weight], lambda upstream: [upstream * weight, upstream * x][: 1 + seen]

            (y,) = product(x, weight) if seen else product(x)
        return tape.gradient(y, weight)

    if seen:
        assert float(run(tf.constant(2.0), tf.constant(3.0))) == 2.0
    else:
        with pytest.raises(RuntimeError, match="would get none"):
            run(tf.constant(2.0), tf.constant(3.0))


def whether_compiled(model_class, length, max_ponder=3, built_for=None, **compiled):
    """Whether XLA compiles the training step of a model, as `compile` and `fit` leave it."""
    inputs = keras.Input((length, 3))
    layer = ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=max_ponder)
    if built_for is not None:
        layer.build(built_for)
    hidden = layer(inputs)
    model = model_class(inputs, keras.layers.Dense(2)(hidden))
    model.compile("sgd", "mse", **compiled)
    found = []

    def watched(data):
        found.append(compiles())
        return {"loss": tf.reduce_mean(data[0])}

    model.train_step = watched
    model.fit(np.ones((2, 2, 3)), np.ones((2, 2)), verbose=0)
    assert not model.jit_compile or compiled.get("jit_compile") is True
    return any(found)


@pytest.mark.parametrize(
    ("model_class", "length", "kwargs", "expected"),
    [
        (AdaptiveModel, 2, {}, True),
        (AdaptiveModel, 2, {"jit_compile": False}, False),
        (AdaptiveModel, 2, {"jit_compile": True}, True),
        (AdaptiveModel, 2, {"max_ponder": 10_000}, False),
        (AdaptiveModel, 2, {"built_for": (None, None, 3)}, True),
        (AdaptiveModel, None, {"built_for": (None, 2, 3)}, False),
        (AdaptiveModel, None, {}, False),
        (keras.Model, 2, {}, False),
    ],
)
def test_short_sequences_of_a_fixed_length_are_compiled(model_class, length, kwargs, expected):
    assert whether_compiled(model_class, length, **kwargs) is expected


class Encoder(keras.layers.Layer):
    """A layer of one's own, which calls an adaptive one with a state to begin with."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.layer = ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=3)

    def call(self, inputs):
        return self.layer(inputs, initial_state=ops.ones((ops.shape(inputs)[0], 4)))


def test_a_model_that_is_compiled_is_traced_once():
    inputs = keras.Input((1, 3))
    model = AdaptiveModel(inputs, ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=3)(inputs))
    model.compile("adam", "mse")
    traces, train_step = [], model.train_step
    model.train_step = lambda data: traces.append(compiles()) or train_step(data)
    model.fit(np.ones((4, 1, 3)), np.ones((4, 4)), batch_size=2, verbose=0)
    assert traces == [True]


def test_a_layer_that_another_calls_with_a_state_trains():
    inputs = keras.Input((2, 3))
    model = AdaptiveModel(inputs, keras.layers.Dense(2)(Encoder()(inputs)))
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(np.ones((2, 2, 3)), np.ones((2, 2)), verbose=0)
    assert all(a.size == 1 or np.any(a != b) for a, b in zip(before, model.get_weights()))


def test_an_adaptive_model_trains_as_eagerly():
    def weights(**compiled):
        keras.utils.set_random_seed(0)
        inputs = keras.Input((2, 3))
        hidden = ACTRNN(keras.layers.GRUCell(4), max_ponder=3, halting_bias=-1.0)(inputs)
        model = AdaptiveModel(inputs, keras.layers.Dense(2)(hidden))
        model.compile(keras.optimizers.SGD(0.5), "mse", **compiled)
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(7, 2, 3)), rng.normal(size=(7, 2))
        before = model.get_weights()
        logs = model.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False).history
        moved = [a.size == 1 or np.any(a != b) for a, b in zip(before, model.get_weights())]
        assert all(moved)
        return model.get_weights(), logs

    (compiled, logs), (eager, eager_logs) = weights(), weights(run_eagerly=True)
    for a, b in zip(compiled, eager, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    for name in logs:
        np.testing.assert_allclose(logs[name], eager_logs[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("jit_compile", ["auto", False])
def test_a_loaded_model_is_compiled_as_it_was(jit_compile, tmp_path):
    inputs = keras.Input((2, 3))
    model = AdaptiveModel(inputs, ACTRNN(keras.layers.SimpleRNNCell(4))(inputs))
    model.compile("sgd", "mse", jit_compile=jit_compile)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.get_compile_config()["jit_compile"] == jit_compile


def test_a_second_derivative_that_would_be_lost_is_refused():
    """With `supports_jit = False` there is one; it is that of an eager call."""
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 2, 2)), "float32")
    layer = ACTRNN(keras.layers.SimpleRNNCell(3), max_ponder=4, halting_bias=-2.0)
    layer.build(x.shape)

    def second():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = tf.reduce_sum(layer(x, training=True) ** 2)
            squares = tf.reduce_sum(inner.gradient(loss, x) ** 2)
        return outer.gradient(squares, x)

    with pytest.raises(RuntimeError, match=r"no second derivative .* `layer.supports_jit = False`"):
        tf.function(second)()
    layer.supports_jit = False
    np.testing.assert_allclose(tf.function(second)(), second(), atol=1e-5)


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("supports_jit", [True, False])
def test_a_forward_derivative_that_would_be_lost_is_refused(length, supports_jit):
    """Outside of a function, with `supports_jit = False`, it is that of an eager call."""
    x = tf.constant(np.random.default_rng(0).normal(size=(2, length, 2)), "float32")
    layer = ACTRNN(keras.layers.SimpleRNNCell(3), max_ponder=4, halting_bias=-2.0)
    layer.build(x.shape)
    layer.supports_jit = supports_jit
    eager = functools.partial(layer, training=True)

    def forward(x, call):
        with tf.autodiff.ForwardAccumulator(x, tf.ones(x.shape)) as accumulator:
            return accumulator.jvp(call(x))

    with pytest.raises(RuntimeError, match=r"no forward-mode derivative .* outside of it"):
        tf.function(forward)(x, eager)
    if not supports_jit:
        of_function = forward(x, tf.function(lambda x: layer(x, training=True)))
        np.testing.assert_allclose(of_function, forward(x, eager), atol=1e-5)
