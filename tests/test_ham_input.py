"""What HAM and DHAM say to arguments and inputs that they cannot take."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive.ham import DHAM, HAM, Memory

X = np.ones((2, 5, 3), "float32")


def lstm_ham(**kwargs):
    return HAM(2, keras.layers.LSTMCell(4), **kwargs)


def twice(layer, first, second):
    layer(first)
    layer(second)


BAD = {
    r"`max_outputs` must be \(1, 0\)": lambda: HAM(2, max_outputs=(1, 1)),
    "`join` must be a layer from 40 numbers to 20": lambda: HAM(
        2, memory=Memory(join=keras.layers.Dense(19))
    )(X),
    "`embed` must be a layer from 3 numbers to 20": lambda: HAM(
        2, keras.layers.LSTMCell(4), Memory(embed=keras.layers.Dense(1))
    )(X),
    "`search` must be a layer from 24 numbers to 1": lambda: HAM(
        2, keras.layers.LSTMCell(4), Memory(search=keras.layers.Dense(2))
    )(X),
    "as many vectors as the memory has leaves, 4": lambda: lstm_ham(num_leaves=4)(X),
    "`inputs` must be vectors of shape": lambda: HAM(2)(X[0]),
    "with m of at least 1": lambda: HAM(2)(X[:, :0]),
    "`inputs` must be vectors of width 3": lambda: twice(HAM(2), X, X[..., :2]),
    r"`path` must have the shape \(batch, 5, 3\)": lambda: HAM(2)(X, path=np.ones((2, 5, 2))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


@pytest.mark.parametrize("kind", [HAM, DHAM])
def test_bits_of_any_dtype_are_the_same(kind):
    """Though -1, the padding, is True as a boolean and 255 as an unsigned integer."""
    layer = kind(2, keras.layers.LSTMCell(4))
    bits = np.random.default_rng(0).integers(0, 2, (2, 5, 3))
    bits[:, 1] = 1
    expected = np.array(layer(bits.astype("float32")))
    for dtype in ("bool", "uint8", "int64", "float64"):
        np.testing.assert_allclose(layer(bits.astype(dtype)), expected, atol=1e-6, err_msg=dtype)
    full = layer(np.full((1, 4, 3), 255, "uint8"))
    np.testing.assert_allclose(full, layer(np.full((1, 4, 3), 255.0)), atol=1e-6)
    assert np.any(np.array(full))


def test_more_operations_than_leaves_are_no_mistake():
    """A raw HAM may use its leaves again."""
    assert HAM(2, num_leaves=2)(X).shape == (2, 5, 2)


def test_outputs_for_each_second_input():
    x = np.ones((2, 5, 3))
    x[1, 3:] = -1
    layer = HAM(2, keras.layers.LSTMCell(4), max_outputs=(0.5, 1))
    outputs = np.asarray(layer(x))
    assert (outputs > 0).all(-1).tolist() == [[True] * 3, [True, True, False]]
    assert type(layer).from_config(layer.get_config()).max_outputs == (0.5, 1)


@pytest.mark.parametrize("kind", [HAM, DHAM])
@pytest.mark.parametrize(
    ("num_leaves", "length", "expected"), [(None, None, False), (8, None, True), (None, 5, True)]
)
def test_xla_compiles_trees_of_a_known_size(kind, num_leaves, length, expected):
    layer = kind(2, keras.layers.GRUCell(4), num_leaves=num_leaves)
    inputs = keras.Input((length, 3))
    model = keras.Model(inputs, layer(inputs))
    assert layer.supports_jit is expected
    if expected:
        model.compile("sgd", "mse", jit_compile=True)
    else:
        with pytest.warns(UserWarning, match="Model doesn't support `jit_compile=True`"):
            model.compile("sgd", "mse", jit_compile=True)
    assert model.jit_compile is expected
    layer.supports_jit = False
    assert not layer.supports_jit


@pytest.mark.parametrize("kind", [HAM, DHAM])
def test_a_tree_that_xla_cannot_compile(kind):
    layer = kind(2, keras.layers.GRUCell(4))
    layer.build((2, 5, 3))
    signature = [tf.TensorSpec((None, None, 3))]
    compiled = tf.function(layer, jit_compile=True, input_signature=signature)
    with pytest.raises(ValueError, match="Give argument `num_leaves`, or compile the model with"):
        compiled(X)


def test_batches_of_several_lengths_where_xla_is_wanted(traced):
    keras.utils.set_random_seed(0)
    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, DHAM(2, keras.layers.GRUCell(4))(inputs))
    other = keras.models.clone_model(model)
    other.set_weights(model.get_weights())
    with pytest.warns(UserWarning, match="Proceeding with `jit_compile=False`"):
        model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=True)
    other.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
    for n in (3, 5, 2):
        for one in (model, other):
            one.train_on_batch(X[:, :n], np.zeros((2, n, 2)))
    for one, another in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-4, atol=1e-6)
