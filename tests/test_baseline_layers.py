"""The stack RNN and additive attention as Keras layers, and bad input to all baselines."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive.baselines import (
    BahdanauAttention,
    NextSymbolRNN,
    Seq2SeqLSTM,
    StackRNN,
    StackRNNCell,
    Symbols,
    Vectors,
)


def sequences(batch, time, features):
    return np.random.default_rng(0).normal(size=(batch, time, features)).astype("float32")


def set_actions(cell, actions):
    """Makes the cell push 0.5 and take the given action ("push", "pop" or "no-op") for input i."""
    kernels = {name: np.zeros(getattr(cell, name).shape) for name in ("kernel", "action_kernel")}
    for i, action in enumerate(actions):
        kernels["kernel"][i, i] = 200.0
        kernels["action_kernel"][i, ["push", "pop", "no-op"].index(action)] = 200.0
    # A hidden unit is 1 for its input, and 0.5 for the others, unless pulled down.
    kernels["kernel"] -= 100.0
    for name, value in kernels.items():
        getattr(cell, name).assign(value)
    cell.stack_kernel.assign(np.zeros(cell.stack_kernel.shape))
    cell.push_kernel.assign(np.zeros(cell.push_kernel.shape))


@pytest.mark.parametrize("depth", [None, 4, 2])
def test_hand_set_stack(depth):
    layer = StackRNN(3, num_stacks=1, stack_depth=depth, return_state=True)
    layer.build((None, None, 3))
    set_actions(layer.cell, ["push", "pop", "no-op"])

    def stack_after(actions):
        _, _, stack = layer(np.eye(3, dtype="float32")[[actions]])
        return np.round(np.array(stack)[0], 3)[:4].tolist()

    size = 2 if depth == 2 else 4
    assert stack_after([0, 0, 0, 1]) == [0.5, 0.5 if depth != 2 else -1.0, -1.0, -1.0][:size]
    assert stack_after([0, 1, 1, 2]) == [-1.0] * size
    assert stack_after([1, 1, 0, 2]) == [0.5, -1.0, -1.0, -1.0][:size]


def test_layer_is_the_cell_in_a_plain_layer():
    layer = StackRNN(4, num_stacks=2, return_sequences=True)
    plain = keras.layers.RNN(StackRNNCell(4, num_stacks=2, stack_depth=6), return_sequences=True)
    x, mask = sequences(3, 5, 2), np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1] * 5], bool)
    layer(x), plain(x)
    plain.set_weights(layer.get_weights())
    np.testing.assert_allclose(layer(x, mask=mask), plain(x, mask=mask), atol=1e-6)


def test_generator_keeps_the_mask_of_its_inputs_beside_targets():
    model = Seq2SeqLSTM(Vectors(2), Symbols(3), units=4, num_layers=1)
    x, targets = sequences(3, 5, 2), np.array([[2, 1], [1, 2], [2, 2]])
    mask = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [1] * 5], bool)
    masked = keras.layers.Masking()(x * mask[..., None])
    expected = model(x, targets, mask=mask)
    np.testing.assert_allclose(model(masked, targets), expected, atol=1e-6)
    assert np.max(np.abs(model(x, targets) - expected)) > 1e-4


def test_state_goes_on_without_limit():
    layer = StackRNN(4, num_stacks=2, return_sequences=True, return_state=True)
    x = sequences(3, 7, 2)
    whole, *_ = layer(x)
    first, *state = layer(x[:, :4])
    second, *_ = layer(x[:, 4:], initial_state=state)
    np.testing.assert_allclose(np.concatenate([first, second], axis=1), whole, atol=1e-6)


def test_hard_actions_outside_of_training():
    layer = StackRNN(4, num_stacks=2, hard_actions=True)
    soft = StackRNN(4, num_stacks=2)
    x = sequences(3, 5, 2)
    layer(x), soft(x)
    soft.set_weights(layer.get_weights())
    np.testing.assert_array_equal(layer(x, training=True), soft(x))
    assert np.max(np.abs(layer(x) - soft(x))) > 1e-3


def test_sharper_actions_outside_of_training():
    layer, plain = StackRNN(4, num_stacks=2, action_sharpness=1.5), StackRNN(4, num_stacks=2)
    x = sequences(3, 5, 2)
    layer(x), plain(x)
    plain.set_weights(layer.get_weights())
    np.testing.assert_array_equal(layer(x, training=True), plain(x))
    plain.cell.action_kernel.assign(1.5 * plain.cell.action_kernel)
    np.testing.assert_allclose(layer(x), plain(x), atol=1e-6)
    assert StackRNN.from_config(layer.get_config()).cell.action_sharpness == 1.5


@pytest.mark.parametrize("recurrent", [False, True])
def test_every_weight_of_the_stack_rnn_gets_a_gradient_and_jit_agrees(recurrent):
    layer = StackRNN(4, num_stacks=2, recurrent=recurrent)
    x = sequences(3, 5, 2)
    layer(x)

    def run(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x, training=True) ** 2)
        return tape.gradient(loss, [v.value for v in layer.trainable_variables])

    compiled = tf.function(run, jit_compile=True)(tf.constant(x))
    for one, other in zip(run(tf.constant(x)), compiled, strict=True):
        assert np.any(one)
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_first_weights_of_inputs_and_actions():
    layer = StackRNN(4, kernel_initializer="zeros", action_initializer=keras.initializers.Ones())
    again = StackRNN.from_config(keras.saving.deserialize_keras_object(layer.get_config()))
    for one in (layer, again):
        one.build((None, None, 3))
        assert not np.any(one.cell.kernel) and np.all(one.cell.action_kernel == 1.0)
        assert np.any(one.cell.stack_kernel) and np.any(one.cell.push_kernel)


def test_a_stack_rnn_takes_a_cell_or_its_arguments():
    cell = StackRNNCell(4, num_stacks=2, stack_depth=None, dtype="float64", name="cell")
    given = StackRNN(cell, return_sequences=True)
    made = StackRNN(4, 2, return_sequences=True, dtype="float64")
    assert given.cell.get_config() == made.cell.get_config()
    assert StackRNN(4, 2, 9).cell.stack_depth == 9
    assert StackRNN.from_config(given.get_config()).cell.get_config() == cell.get_config()


def test_a_stack_rnn_of_an_older_version():
    config = {"units": 4, "num_stacks": 2, "stack_depth": None, "return_state": True, "name": "a"}
    layer = StackRNN.from_config(config)
    assert (layer.cell.num_stacks, layer.return_state, layer.name) == (2, True, "a")


def test_attention_reads_what_is_there():
    layer = BahdanauAttention(4)
    query, memory = sequences(2, 1, 3)[:, 0], sequences(2, 5, 6)
    mask = np.array([[1, 1, 0, 0, 1], [0, 1, 0, 0, 0]], bool)
    read, weights = layer(query, memory, mask=mask)
    np.testing.assert_allclose(np.sum(weights, axis=1), 1.0, atol=1e-6)
    assert not np.any(np.array(weights)[~mask])
    np.testing.assert_allclose(read[1], memory[1, 1], atol=1e-6)
    np.testing.assert_allclose(read, np.einsum("bt,btd->bd", weights, memory), atol=1e-6)
    keys = layer.keys(memory)
    np.testing.assert_array_equal(layer(query, memory, keys, mask=mask)[0], read)
    again = BahdanauAttention.from_config(layer.get_config())
    assert again.units == 4
    memory[~mask] = np.nan
    np.testing.assert_array_equal(layer(query, memory, mask=mask)[0], read)
    layer.set_weights([3e4 * weight for weight in layer.get_weights()])
    assert not np.any(np.array(layer(query, memory, mask=mask)[1])[~mask])


SYMBOLS, BITS = Symbols(5), Vectors(3)
BAD = {
    "`target` must be of the kind": lambda: NextSymbolRNN(StackRNNCell(3), SYMBOLS, BITS),
    "`stateful` needs stacks with a limit": lambda: StackRNN(3, stateful=True),
    "`length` must be given": lambda: keras.layers.RNN(StackRNNCell(3, stack_depth=None))(
        sequences(1, 2, 3)
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_arguments(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


@pytest.mark.parametrize(
    "inputs, targets, message",
    [
        ([[1, 5]], None, "`inputs` must hold symbols from 0 to 4, or -1 for padding.*Received: 5"),
        ([[1, 2]], [[[1.0, 0.0]]], "`targets` must be of shape .batch, time, 3."),
        ([[1.0, 2.0]], None, "`inputs` must be integers of shape .batch, time."),
        ([1, 2], None, "`inputs` must be integers of shape .batch, time."),
        (np.zeros((2, 0), "int32"), None, "`inputs` must hold at least one position"),
    ],
)
def test_bad_inputs(inputs, targets, message):
    model = Seq2SeqLSTM(SYMBOLS, BITS, units=2, num_layers=1)
    targets = None if targets is None else np.array(targets)
    with pytest.raises(ValueError, match=message):
        model(np.array(inputs), targets=targets)


def test_a_stateful_stack_is_empty_again():
    layer = StackRNN(StackRNNCell(4), stateful=True)
    x = np.random.default_rng(0).normal(size=(2, 3, 5)).astype("float32")
    first = layer(x)
    assert np.abs(layer(x) - first).max() > 0
    layer.reset_state()
    np.testing.assert_array_equal(layer(x), first)


@pytest.mark.parametrize("depth", [10, None])
def test_states_of_other_shapes_are_refused(depth):
    layer = StackRNN(4, num_stacks=2, stack_depth=depth)
    h, stacks = np.zeros((2, 4), "float32"), np.full((2, 20), -1.0, "float32")
    layer(sequences(2, 3, 2), initial_state=[h, stacks])
    for wrong in ([h], h, [h[:, :3], stacks], [h[:1], stacks[:1]], [h, stacks, h]):
        with pytest.raises(ValueError, match="Argument `initial_state` must have the shapes"):
            layer(sequences(2, 3, 2), initial_state=wrong)
    if depth:
        with pytest.raises(ValueError, match=r"shapes \[\(2, 4\), \(2, 20\)\]"):
            layer(sequences(2, 3, 2), initial_state=[h, stacks[:, :18]])
