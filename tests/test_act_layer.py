"""ACTRNN as a Keras layer: what `keras.layers.RNN` promises, the loss, precision, bad input."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.control import TargetPonder
from keras_adaptive.halting import ACT, Decision, record
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel
from known_layers import sequences


def small(**kwargs):
    """A layer of float32 that ponders a few steps, and an input for it."""
    layer = ACTRNN(keras.layers.LSTMCell(3), **{"halting_bias": -1.0, **kwargs})
    return layer, sequences(2, 4, 2).astype("float32")


def same_weights(layer, **kwargs):
    """The same layer with other arguments."""
    other = ACTRNN.from_config({**layer.get_config(), **kwargs})
    other.build((2, 4, 2))
    other.set_weights(layer.get_weights())
    return other


def assert_close(found, expected, atol=1e-5):
    keras.tree.assert_same_structure(found, expected)
    for got, wanted in zip(keras.tree.flatten(found), keras.tree.flatten(expected)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def test_what_is_returned():
    layer, x = small(return_sequences=True, return_state=True, return_ponder=True)
    outputs, h, c, ponder = layer(x)
    np.testing.assert_array_equal(outputs[:, -1], h)
    assert not np.allclose(h, c)
    assert ponder["steps"].shape == ponder["remainder"].shape == (2, 4)
    for sequence in (False, True):
        for state in (False, True):
            other = same_weights(
                layer, return_sequences=sequence, return_state=state, return_ponder=False
            )
            expected = [outputs if sequence else h, *[h, c] * state]
            found = other(x)
            assert_close(list(found) if state else [found], expected)


def test_go_backwards():
    layer, x = small(return_sequences=True, return_ponder=True)
    backwards = same_weights(layer, go_backwards=True) if layer(x) else None
    mask = np.array([[1, 1, 0, 1], [1, 1, 1, 0]], bool)
    assert_close(backwards(x, mask=mask), layer(x[:, ::-1], mask=mask[:, ::-1]))


def test_unroll():
    layer, x = small(return_sequences=True, return_ponder=True)
    expected = layer(x)
    unrolled = same_weights(layer, unroll=True)
    assert_close(unrolled(x), expected)
    model = keras.Sequential([keras.Input((4, 2)), unrolled])
    assert_close(tf.function(model)(x), expected)
    with pytest.raises(ValueError, match="a fixed number of time steps, as unroll=True"):
        tf.function(unrolled, input_signature=[tf.TensorSpec((None, None, 2))])(x)


def test_initial_state():
    layer, x = small(return_sequences=True, return_state=True)
    outputs, *states = layer(x)
    first, *middle = layer(x[:, :2])
    second, *last = layer(x[:, 2:], initial_state=middle)
    assert_close([ops.concatenate([first, second], axis=1), *last], [outputs, *states])
    given = [keras.Input((3,)), keras.Input((3,))]
    inputs = keras.Input((None, 2))
    model = keras.Model([inputs, *given], layer(inputs, initial_state=given))
    assert_close(list(model([tf.constant(x[:, 2:]), *middle])), [second, *last])


def test_stateful():
    layer, x = small(return_sequences=True)
    expected = layer(x)
    stateful = same_weights(layer, stateful=True)
    found = ops.concatenate([stateful(x[:, :1]), stateful(x[:, 1:])], axis=1)
    assert_close(found, expected)
    stateful.reset_state()
    assert_close(stateful(x), expected)
    with pytest.raises(ValueError, match=f"batches of {len(x)} sequences.* Received: shape=\\(1, "):
        stateful(x[:1])


def test_bidirectional():
    layer, x = small(return_sequences=True)
    both = keras.layers.Bidirectional(layer)
    outputs = both(x)
    forward, backward = both.forward_layer, both.backward_layer
    wanted = [forward(x), backward(x)[:, ::-1]]
    both(x)
    assert_close(outputs, ops.concatenate(wanted, axis=-1))
    assert len(both.losses) == 2
    with pytest.raises(ValueError, match=r"`return_ponder` cannot be True inside .*Bidirectional"):
        keras.layers.Bidirectional(small(return_ponder=True)[0])


@pytest.mark.parametrize("kind", [keras.layers.RNN, ACTRNN])
def test_an_activity_regularizer_is_for_all_that_a_layer_returns(kind):
    """As Keras has it for the states of an RNN."""
    options = {"return_ponder": True, "time_penalty": 0.0} if kind is ACTRNN else {}
    cell, regularizer = keras.layers.SimpleRNNCell(3), keras.regularizers.L1(1.0)
    layer = kind(cell, return_state=True, activity_regularizer=regularizer, **options)
    returned = keras.tree.flatten(layer(np.ones((1, 2, 3), "float32")))
    assert len(returned) == (4 if kind is ACTRNN else 2)
    expected = sum(np.abs(x).sum() for x in map(keras.ops.convert_to_numpy, returned))
    np.testing.assert_allclose(float(sum(layer.losses)), expected, rtol=1e-6)


def test_stacked_cells_ponder_together():
    cells = [keras.layers.LSTMCell(3), keras.layers.SimpleRNNCell(4)]
    layer = ACTRNN(cells, halting_bias=-1.0, return_state=True, return_ponder=True)
    output, lstm, rnn, ponder = layer(sequences(2, 3, 2))
    assert output.shape == (2, 4) and [s.shape for s in lstm] == [(2, 3)] * 2
    np.testing.assert_array_equal(output, keras.tree.flatten(rnn)[0])
    assert np.all(ponder["steps"] > 1)
    assert layer.halting_unit.kernel.shape == (4, 1)


class Nested(keras.layers.Layer):
    """A user's cell: a vector, and a pair of a vector and a memory matrix, in a nest."""

    state_size = (3, [2, 8])
    output_size = 3

    def build(self, input_shape):
        self.dense = keras.layers.Dense(3, activation="tanh")
        self.dense.build((None, input_shape[-1] + 3))

    def get_initial_state(self, batch_size):
        return [
            ops.zeros((batch_size, 3)),
            [ops.ones((batch_size, 2)), ops.ones((batch_size, 2, 4))],
        ]

    def call(self, inputs, states):
        h, (v, memory) = states
        h = self.dense(ops.concatenate([inputs, h], axis=-1))
        return h, [h, [v * 0.5, memory * 2.0]]


@pytest.mark.parametrize("graph", [False, True])
def test_nested_states_of_any_rank_are_averaged(graph):
    layer = ACTRNN(Nested(), return_ponder=True, return_state=True, halting_bias=0.6)
    layer.build((2, 1, 2))

    def run(x):
        return layer(x, training=True)

    x = tf.constant(sequences(2, 1, 2), "float32")
    _, h, (v, memory), ponder = (tf.function(run) if graph else run)(x)
    assert h.shape == (2, 3) and v.shape == (2, 2) and memory.shape == (2, 2, 4)
    steps, R = ponder["steps"][:, 0].numpy(), ponder["remainder"][:, 0].numpy()
    np.testing.assert_array_equal(steps, 2)
    for row in range(2):
        np.testing.assert_allclose(v[row], (1 - R[row]) * 0.5 + R[row] * 0.25, atol=1e-6)
        np.testing.assert_allclose(memory[row], (1 - R[row]) * 2.0 + R[row] * 4.0, atol=1e-6)


def test_dropout_of_a_cell():
    cell = keras.layers.LSTMCell(16, dropout=0.5, recurrent_dropout=0.5, seed=1)
    layer = ACTRNN(cell, halting_bias=-1.0, return_sequences=True)
    x = sequences(2, 3, 7).astype("float32")
    plain = layer(x)
    assert_close(plain, layer(x, training=False))
    assert np.max(np.abs(layer(x, training=True) - plain)) > 0.05
    model = keras.Sequential([layer, keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    assert np.isfinite(model.fit(x, np.ones((2, 3, 1)), verbose=0).history["loss"][0])


def ponder_cost(layer, x):
    with record() as entries:
        layer(x)
    (entry,) = entries
    return layer.time_penalty * np.mean(np.sum(entry.steps + entry.remainder, axis=1))


@pytest.mark.parametrize(
    "kind", ["alone", pytest.param("Sequential", marks=pytest.mark.slow), "AdaptiveModel"]
)
def test_the_ponder_cost_is_counted_once(kind):
    layer, x = small(time_penalty=0.5)
    y = layer(x)
    cost = ponder_cost(layer, x)
    layer(x)
    assert cost > 0.5 * 4 * 1.5
    if kind == "alone":
        np.testing.assert_allclose(float(sum(layer.losses)), cost, rtol=1e-6)
        return
    if kind == "Sequential":
        model = keras.Sequential([keras.Input((None, 2)), layer])
    else:
        inputs = keras.Input((None, 2))
        model = AdaptiveModel(inputs, layer(inputs))
    model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
    expected = np.mean(np.square(y)) + cost
    np.testing.assert_allclose(
        model.evaluate(x, np.zeros((2, 3)), return_dict=True, verbose=0)["loss"],
        expected,
        rtol=1e-5,
    )
    found = model.fit(x, np.zeros((2, 3)), verbose=0).history["loss"]
    np.testing.assert_allclose(found, [expected], rtol=1e-5)


def test_the_time_penalty_changes_without_retracing():
    traces = []

    class Traced(keras.layers.SimpleRNNCell):
        def call(self, inputs, states, training=False):
            traces.append(1)
            return super().call(inputs, states, training)

    layer = ACTRNN(Traced(3), time_penalty=0.5, return_ponder=True)
    inputs = keras.Input((None, 2))
    model = keras.Model(inputs, layer(inputs)[0])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    x, y = sequences(2, 3, 2), np.zeros((2, 3))
    rho = ponder_cost(layer, x) / 0.5
    losses = [model.fit(x, y, verbose=0).history["loss"][0]]
    before = len(traces)
    for value in (0.0, 2.0):
        layer.time_penalty = value
        assert layer.time_penalty == value
        losses += model.fit(x, y, verbose=0).history["loss"]
    assert len(traces) == before
    np.testing.assert_allclose(np.subtract(losses[::2], losses[1]), [0.5 * rho, 2 * rho], rtol=1e-5)


@pytest.mark.parametrize(
    "policy", ["mixed_bfloat16", pytest.param("mixed_float16", marks=pytest.mark.slow)]
)
def test_mixed_precision(policy):
    layer = ACTRNN(
        keras.layers.LSTMCell(4, dtype=policy),
        dtype=policy,
        halting_bias=-4.0,
        return_sequences=True,
        return_ponder=True,
        time_penalty=0.1,
    )
    inputs = keras.Input((None, 2))
    outputs, symbolic = layer(inputs)
    model = keras.Model(inputs, [outputs, symbolic])
    outputs, ponder = model(sequences(3, 2, 2))
    assert outputs.dtype == layer.compute_dtype and layer.cell.kernel.dtype == "float32"
    assert ponder["steps"].dtype == ponder["remainder"].dtype == "float32"
    assert symbolic["steps"].dtype == symbolic["remainder"].dtype == "float32"
    # Some fifty activations of 0.02: sums in bfloat16 would be off by far more.
    assert np.all(ponder["steps"] > 30) and np.all(ponder["remainder"] < 0.05)
    rho = np.sum(ponder["steps"] + ponder["remainder"], axis=1)
    assert sum(layer.losses).dtype == "float32"
    np.testing.assert_allclose(sum(layer.losses), 0.1 * np.mean(rho), rtol=1e-6)
    assert layer.halting_unit.compute_dtype == "float32"


def test_weights_of_the_halting_unit_are_not_rounded_in_mixed_precision():
    """Two kernels that are one number in bfloat16 are two in the graph that trains."""
    policy = "mixed_bfloat16"
    cell = keras.layers.SimpleRNNCell(4, dtype=policy)
    layer = ACTRNN(cell, dtype=policy, halting_bias=-1.0, return_ponder=True)
    x = sequences(3, 2, 2)
    layer(x)
    remainders = []
    for kernel in (1.0, 1.0 + 2**-10):
        layer.halting_unit.kernel.assign(np.full((4, 1), kernel))
        trained = tf.function(lambda x: layer(x, training=True))
        remainders.append(trained(x)[1]["remainder"])
    assert np.all(remainders[0] != remainders[1])


class Half:
    """A rule of a user, without arguments of ACT: two steps of the same weight."""

    max_ponder = 2
    has_ponder_cost = True

    def start(self, batch_size, dtype):
        return ops.zeros((batch_size,), dtype)

    def __call__(self, step, halting, memory):
        half = memory * 0 + 0.5
        halts = ops.broadcast_to(ops.greater_equal(step, 2), ops.shape(memory))
        return Decision(half, ops.where(halts, half, memory), halts, memory)

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"max_ponder": 7, "epsilon": 0.25, "time_penalty": 0.5, "halting_bias": -3.0},
        {"halting": "fixed", "steps": 3},
        {"halting": Half()},
        {"target_ponder": 2.5},
        {"target_ponder": TargetPonder(2.5, maximum=1.0), "return_ponder": True},
        {"go_backwards": True, "zero_output_for_mask": True, "name": "ponderer"},
    ],
)
def test_config_round_trip(arguments):
    layer, x = small(**arguments)
    layer(x)
    config = keras.saving.serialize_keras_object(layer)
    with keras.saving.custom_object_scope({"Half": Half}):
        again = keras.saving.deserialize_keras_object(config)
    assert keras.saving.serialize_keras_object(again) == config
    again(x)
    again.set_weights(layer.get_weights())
    assert_close(again(x), layer(x))


def test_user_rule_in_a_layer():
    layer, x = small(halting=Half(), return_ponder=True, time_penalty=1.0)
    _, ponder = layer(x)
    assert np.all(ponder["steps"] == 2) and np.all(ponder["remainder"] == 0.5)
    np.testing.assert_allclose(float(sum(layer.losses)), 4 * 2.5)


class NoStateSize(keras.layers.Layer):
    def call(self, inputs, states):
        return inputs, states


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"cell": NoStateSize()}, "state_size"),
        ({"cell": keras.layers.Dense(3)}, "state_size"),
        ({"halting": "fixed", "steps": 2, "target_ponder": 2.0}, "`target_ponder` needs"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=rf"(?s){message}"):
        ACTRNN(**{"cell": keras.layers.SimpleRNNCell(3), **arguments})


def test_the_time_penalty_takes_any_number_that_is_not_negative():
    layer, x = small(time_penalty=np.float32(0.5))
    layer(x)
    layer.time_penalty = np.float32(0.25)
    assert layer.time_penalty == 0.25
    with pytest.raises(ValueError, match="`time_penalty` must be"):
        layer.time_penalty = -0.25
    assert layer.time_penalty == 0.25


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 3), (2, 4, 2, 1)])
def test_bad_input(shape):
    layer, x = small()
    if len(shape) == 2:
        with pytest.raises(ValueError, match=r"\(batch, time, features\).*\(2, 4\)"):
            layer(np.zeros(shape, "float32"))
        return
    layer(x)
    with pytest.raises(ValueError, match=r"incompatible"):
        layer(np.zeros(shape, "float32"))


def test_a_rule_object_has_the_layers_limits():
    rule = ACT(5, 0.2)
    layer, _ = small(halting=rule)
    assert layer.max_ponder == 5 and layer.epsilon == 0.2
    layer.max_ponder = 3
    assert rule.max_ponder == 3
