"""HAM in time Θ(log n): in graphs and under XLA the same numbers as where the tree is copied."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive.ham import HAM, MLP, Memory
from known_ham import (
    FEATURES,
    UNITS,
    VARIANTS,
    batch_of,
    examples,
    expected,
    expected_loss,
    expected_slopes,
    ham_layer,
    outputs_of,
    random_path,
)

SIGNATURE = [tf.TensorSpec((None, None, FEATURES), "float64"), tf.TensorSpec((None,) * 3, "int64")]


def run_and_differentiate(layer, inputs, path):
    """As `known_ham.expected_loss`, and gradients of all weights and of the inputs."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs, found = layer(inputs, path=path, return_path=True)
        log_p = found["log_probability"]
        if layer.controller is None:
            present = tf.reduce_any(inputs != -1.0, axis=-1)
            present = tf.repeat(present, layer.accesses_per_output, axis=1)
            log_p = tf.where(present, log_p, 0.0)
        loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(log_p)
    weights = [v.value for v in layer.trainable_variables]
    return outputs, found, loss, tape.gradient(loss, [*weights, inputs])


def assert_same(found, wanted, rtol=1e-9, atol=1e-10):
    pairs = zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True)
    for one, other in pairs:
        one, other = tf.convert_to_tensor(one), tf.convert_to_tensor(other)
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("LSTM+HAM", marks=pytest.mark.slow),
        "raw HAM, empty nodes zero, few leaves",
    ],
)
def test_a_graph_of_unknown_length_equals_the_equations(name):
    layer, weights = ham_layer(HAM, **VARIANTS[name])
    sequences = examples([3, 1, 2] if layer.num_leaves == 2 else [3, 1, 5])
    inputs = tf.constant(batch_of(sequences))
    path = tf.constant(random_path(layer, inputs))
    run = tf.function(lambda *x: run_and_differentiate(layer, *x), input_signature=SIGNATURE)
    outputs, found, loss, gradients = run(inputs, path)
    for row, (x, one) in enumerate(
        zip(sequences, expected(layer, weights, sequences, path.numpy()))
    ):
        right = outputs_of(layer, x, one.y)
        np.testing.assert_allclose(outputs[row, : len(right)], right, rtol=0, atol=1e-10)
    np.testing.assert_allclose(loss, expected_loss(layer, weights, sequences, path.numpy()))
    ways, slopes = expected_slopes(layer, weights, sequences, path.numpy())
    given = [np.sum(g * way) for g, way in zip(gradients, ways)]
    np.testing.assert_allclose(given, slopes, rtol=1e-7, atol=1e-9 * np.max(np.abs(slopes)))
    assert_same((outputs, found, loss, gradients), run_and_differentiate(layer, inputs, path))


@pytest.mark.slow
def test_xla_with_many_accesses_to_few_leaves():
    """So that most rows that are read are new ones; any batch, as in `fit`."""
    layer, _ = ham_layer(
        HAM, controller=None, depth=1, accesses_per_output=4, num_leaves=4, scale=0.5
    )
    inputs = tf.constant(batch_of(examples([3, 2])))
    path = tf.constant(random_path(layer, inputs))
    signature = [tf.TensorSpec((None, *x.shape[1:]), x.dtype) for x in (inputs, path)]
    run = tf.function(
        lambda *x: run_and_differentiate(layer, *x), jit_compile=True, input_signature=signature
    )
    assert_same(run(inputs, path), run_and_differentiate(layer, inputs, path))


def test_layers_of_other_kinds():
    """A join that is no perceptron of ours, a cell with dropout, float32."""
    cell = keras.layers.GRUCell(3, dropout=0.5)
    join = keras.Sequential([keras.layers.Dense(5, "tanh"), keras.layers.LayerNormalization()])
    join.add(keras.layers.Dense(UNITS))
    layer = HAM(2, cell, Memory(UNITS, join=join, write=MLP(UNITS, depth=1)), num_leaves=4)
    inputs = tf.constant(batch_of(examples([3, 2])).astype("float32"))
    path = tf.constant(random_path(layer, inputs))
    wanted = run_and_differentiate(layer, inputs, path)
    run = tf.function(lambda *x: run_and_differentiate(layer, *x))
    assert_same(run(inputs, path), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "part", [keras.layers.Dropout(0.5), keras.layers.BatchNormalization()], ids=lambda x: x.name
)
def test_layers_that_change_when_they_are_called(part):
    join = keras.Sequential([keras.layers.Dense(UNITS), part])
    layer = HAM(2, keras.layers.LSTMCell(4), Memory(UNITS, join=join))
    layer.build((None, 3, FEATURES))
    plain = HAM(2, keras.layers.LSTMCell(4), Memory(UNITS))
    plain.build((None, 3, FEATURES))
    found = []

    @tf.function
    def trace():
        carry = [tf.zeros((2, UNITS))]
        found.append((layer._appends(carry), plain._appends(carry)))
        return layer(tf.ones((2, 3, FEATURES)), training=False)

    trace()
    assert found == [(False, True)] and not plain._appends([tf.zeros(1)])


def test_turns_are_drawn_with_their_probabilities():
    layer, _ = ham_layer(HAM, scale=0.5)
    inputs = tf.constant(np.repeat(batch_of(examples([3])), 4000, axis=0))
    run = tf.function(lambda inputs: layer(inputs, training=True, return_path=True)[1])
    found = run(inputs)
    path, p = found["path"][:, 0].numpy(), found["right_probability"][:, 0].numpy()
    for level, side in ((0, slice(None)), (1, path[:, 0] == 1)):
        turned, wanted = np.mean(path[side, level]), p[side, level][0]
        assert abs(turned - wanted) < 4 * np.sqrt(0.25 / np.sum(path[side, 0] >= 0))


@pytest.mark.parametrize("turn", [2, -1, 0.5])
def test_turns_that_are_neither_right_nor_left(turn):
    layer, _ = ham_layer(HAM, **VARIANTS["LSTM+HAM"])
    inputs = tf.constant(batch_of(examples([3, 1, 2])))
    path = np.array(random_path(layer, inputs), "float64")
    layer(inputs, path=path)
    path[0, 0, 0] = turn
    with pytest.raises(ValueError, match=r"`path` must be whole numbers from 0 to 1.*path=\[") as e:
        layer(inputs, path=path)
    assert f"path=[{turn:.1f}]" in str(e.value)
