"""ACTRNN against the paper's equations, in value and gradient."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

import references
from keras_adaptive import halting
from keras_adaptive.layers import ACTRNN
from known_layers import CELLS, TAU, act_layer, ragged_mask, sequences


def loss_of(layer, x, mask=None, training=True):
    """What `references.act_batch` calls the loss, and all that the layer returned."""
    y, *states, ponder = layer(x, mask=mask, training=training)
    loss = ops.sum(y**2) + sum(ops.sum(state**2) for state in states)
    return loss + sum(layer.losses), y, states, ponder["steps"], ponder["remainder"]


def values_and_gradients(layer, x, mask=None, training=True):
    weights = [variable.value for variable in layer.trainable_variables]
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss, *rest = loss_of(layer, x, mask, training)
    return (loss, *rest), tape.gradient(loss, [*weights, x], unconnected_gradients="zero")


def assert_values(found, expected, tolerance=1e-10):
    loss, y, states, steps, remainder = found
    np.testing.assert_array_equal(steps, expected.N)
    np.testing.assert_allclose(remainder, expected.R, rtol=0, atol=tolerance)
    np.testing.assert_allclose(y, expected.y, rtol=0, atol=tolerance)
    for state, wanted in zip(states, expected.s, strict=True):
        np.testing.assert_allclose(state, wanted, rtol=0, atol=tolerance)
    np.testing.assert_allclose(loss, expected.loss, rtol=tolerance)


def assert_gradients(found, expected, tolerance=1e-6):
    scale = max(np.max(np.abs(gradient)) for gradient in expected)
    for gradient, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=0, atol=tolerance * scale)


@settings(max_examples=12)
@given(
    cell=st.sampled_from(CELLS),
    sizes=st.tuples(*[st.integers(1, 3)] * 4),
    M=st.sampled_from([1, 2, 3, 8]),
    epsilon=st.sampled_from([0.0, 0.01, 0.2]),
    masked=st.booleans(),
    seed=st.integers(0, 99),
)
def test_equals_the_equations(cell, sizes, M, epsilon, masked, seed):
    batch, time, features, units = sizes
    layer, weights = act_layer(
        cell, features, units, seed, bias=-1.0, max_ponder=M, epsilon=epsilon
    )
    x = sequences(batch, time, features, seed)
    mask = ragged_mask(batch, time, seed) if masked else None
    found, gradients = values_and_gradients(layer, x, mask)
    assert_values(found, references.act_batch(cell, weights, x, M, epsilon, TAU, mask))
    assert_gradients(gradients, references.act_gradients(cell, weights, x, M, epsilon, TAU, mask))


@pytest.mark.parametrize(
    ("training", "jit"),
    [
        (True, True),
        (False, False),
        # The graph of a training is in tests/test_backends.py too.
        pytest.param(True, False, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
    ],
)
def test_graph_and_xla_equal_the_equations(training, jit):
    """An LSTM; tests/test_backends.py has every cell in a graph."""
    cell = "LSTMCell"
    layer, weights = act_layer(cell, 2, 3, seed=1, bias=-1.5, max_ponder=7)
    x, mask = sequences(4, 3, 2), ragged_mask(4, 3)
    expected = references.act_batch(cell, weights, x, 7, 0.01, TAU, mask)
    assert expected.N.max() == 7 and len(set(expected.N.ravel())) >= 4
    arguments = tf.constant(x), tf.constant(mask)
    if training:
        run = tf.function(lambda x, mask: values_and_gradients(layer, x, mask), jit_compile=jit)
        found, gradients = run(*arguments)
        assert_gradients(gradients, references.act_gradients(cell, weights, x, 7, 0.01, TAU, mask))
    else:
        run = tf.function(lambda x, mask: loss_of(layer, x, mask, False), jit_compile=jit)
        found = run(*arguments)
    assert_values(found, expected)


def test_gradient_in_a_graph_that_is_not_marked_as_training():
    layer, weights = act_layer("LSTMCell", features=2, units=3, max_ponder=7)
    x, mask = sequences(2, 2, 2), ragged_mask(2, 2)
    run = tf.function(lambda x: values_and_gradients(layer, x, mask, training=False)[1])
    expected = references.act_gradients("LSTMCell", weights, x, 7, 0.01, TAU, mask)
    assert_gradients(run(tf.constant(x)), expected)


@pytest.mark.parametrize("graph", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_padding_changes_nothing(graph):
    """A batch that is padded, with anything, in front, between or behind."""
    layer, _ = act_layer("LSTMCell", features=2, units=3, bias=-2.0)
    run = tf.function(values_and_gradients) if graph else values_and_gradients
    x = sequences(2, 3, 2)
    (loss, y, states, steps, remainder), _ = run(layer, x, np.ones((2, 3), bool))
    places = [1, 3, 4]
    padded, mask = np.full((2, 6, 2), np.nan), np.zeros((2, 6), bool)
    padded[:, places], mask[:, places] = x, True
    found, of_padded = run(layer, padded, mask)
    padded_loss, padded_y, padded_states, padded_steps, padded_remainder = found
    for got, wanted in [(padded_y, y), (padded_steps, steps), (padded_remainder, remainder)]:
        np.testing.assert_allclose(got.numpy()[:, places], wanted, atol=1e-12)
    np.testing.assert_array_equal(padded_steps.numpy()[~mask], 0)
    np.testing.assert_array_equal(padded_remainder.numpy()[~mask], 0)
    # The output of a masked step is that before it, as in Keras.
    np.testing.assert_allclose(padded_y[:, 0], np.zeros((2, 3)))
    np.testing.assert_allclose(padded_y[:, 2], y[:, 0], atol=1e-12)
    for got, wanted in zip(padded_states, states):
        np.testing.assert_allclose(got, wanted, atol=1e-12)
    repeated = np.sum(padded_y.numpy()[~mask] ** 2)
    np.testing.assert_allclose(padded_loss - repeated, loss, rtol=1e-12)
    assert all(np.all(np.isfinite(gradient)) for gradient in of_padded)
    np.testing.assert_array_equal(of_padded[-1].numpy()[~mask], 0)


def test_padding_leaves_the_gradients_as_they_were():
    layer, _ = act_layer("GRUCell", features=2, units=3, bias=-2.0)
    rng = np.random.default_rng(3)
    x, upstream = sequences(2, 3, 2), rng.normal(size=(2, 3, 3))
    padded = np.concatenate([x, rng.normal(size=(2, 4, 2))], axis=1)
    mask = np.arange(7)[None] < [[3], [3]]

    def gradients(x, upstream, mask=None):
        with tf.GradientTape() as tape:
            loss = ops.sum(layer(x, mask=mask, training=True)[0] * upstream) + sum(layer.losses)
        return loss, tape.gradient(loss, [v.value for v in layer.trainable_variables])

    loss, plain = gradients(x, upstream)
    upstream = np.pad(upstream, [(0, 0), (0, 4), (0, 0)])
    padded_loss, of_padded = gradients(padded, upstream, mask)
    np.testing.assert_allclose(padded_loss, loss, rtol=1e-12)
    for got, wanted in zip(of_padded, plain):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_the_order_of_the_batch_is_irrelevant():
    layer, _ = act_layer("LSTMCell", features=2, units=3, bias=-2.0)
    x, mask, order = sequences(4, 3, 2), ragged_mask(4, 3), [2, 0, 3, 1]
    loss, y, states, steps, remainder = loss_of(layer, x, mask)
    found = loss_of(layer, x[order], mask[order])
    np.testing.assert_allclose(found[0], loss, rtol=1e-12)
    pairs = zip(keras.tree.flatten(found[1:]), keras.tree.flatten((y, states, steps, remainder)))
    for got, wanted in pairs:
        np.testing.assert_allclose(got, wanted.numpy()[order], atol=1e-12)


def test_the_cell_sees_a_flag_at_the_first_step_of_each_input():
    seen = []

    class Spy(keras.layers.SimpleRNNCell):
        def call(self, inputs, states, training=False):
            seen.append(np.array(inputs).tolist())
            return super().call(inputs, states, training)

    layer = ACTRNN(Spy(2), halting="fixed", steps=3)
    layer(np.array([[[5.0, 6.0], [7.0, 8.0]]], "float32"))
    first, second = [5.0, 6.0], [7.0, 8.0]
    assert seen == [
        [[*first, 1.0]], [[*first, 0.0]], [[*first, 0.0]],
        [[*second, 1.0]], [[*second, 0.0]], [[*second, 0.0]],
    ]  # fmt: skip


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_stops_when_all_rows_have_halted(graph, training):
    calls = []

    class Counting(keras.layers.SimpleRNNCell):
        def call(self, inputs, states, training=False):
            inputs = tf.numpy_function(lambda x: (calls.append(1), x)[1], [inputs], "float32")
            inputs = tf.ensure_shape(inputs, (3, 3))
            return super().call(inputs, states, training)

    layer = ACTRNN(Counting(4), halting_bias=-1.5, return_ponder=True, max_ponder=1000)
    layer.build((3, 5, 2))
    run = lambda x: layer(x, training=training)[1]["steps"]  # noqa: E731
    calls.clear()
    steps = (tf.function(run) if graph else run)(tf.constant(sequences(3, 5, 2), "float32"))
    assert len(calls) == np.sum(np.max(steps, axis=0)) < 5 * 20
    assert np.min(steps) > 1


def test_limits_override_those_of_a_layer():
    layer, weights = act_layer("SimpleRNNCell", features=2, units=3, bias=-3.0)
    x = sequences(3, 2, 2)
    layer.max_ponder = 4
    for limits in [{"max_ponder": 2}, {"max_ponder": 9, "epsilon": 0.4}, {"epsilon": 0.6}, {}]:
        with halting.limits(**limits):
            found = loss_of(layer, x)
        M, epsilon = limits.get("max_ponder", 4), limits.get("epsilon", 0.01)
        assert_values(found, references.act_batch("SimpleRNNCell", weights, x, M, epsilon, TAU))


def test_compaction_gives_the_same():
    layer, weights = act_layer("LSTMCell", features=2, units=3, bias=-2.0)
    x, mask = sequences(4, 3, 2), ragged_mask(4, 3)
    expected = references.act_batch("LSTMCell", weights, x, 100, 0.01, TAU, mask)

    @tf.function(input_signature=[tf.TensorSpec((None, None, 2), "float64")])
    def run(x):
        with halting.compaction():
            return loss_of(layer, x, mask, training=False)

    assert_values(run(x), expected)


def test_fixed_halting_repeats_the_cell():
    layer, _ = act_layer("LSTMCell", features=2, units=3)
    cell = layer.cell
    fixed = ACTRNN(
        cell, halting="fixed", steps=3, return_sequences=True, return_ponder=True, dtype="float64"
    )
    x = sequences(2, 4, 2)
    y, ponder = fixed(x)
    states = [tf.zeros((2, 3), "float64")] * 2
    for t in range(4):
        for n in range(3):
            flag = np.full((2, 1), float(n == 0))
            _, states = cell(np.concatenate([x[:, t], flag], axis=1), states)
        np.testing.assert_allclose(y[:, t], states[0], atol=1e-12)
    assert np.all(ponder["steps"] == 3) and not np.any(ponder["remainder"])
    assert fixed.losses == [] and len(fixed.weights) == len(cell.weights)
