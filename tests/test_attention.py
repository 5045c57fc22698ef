"""Cells that read a memory: values, gradients, masks, models, and what is refused."""

import functools
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops

import references_attention as references
from keras_adaptive import halting
from keras_adaptive.halting import over_time
from keras_adaptive.layers import ACTRNN, AttentionCell, BahdanauAttention
from known_attention import SIZE, attention_layer
from known_layers import TAU, ragged_mask, sequences

CELL, POSITIONS = "LSTMCell", 5


def example(batch=4, time=3, seed=1):
    """Sequences, a memory, and a mask of each."""
    memory_mask = ragged_mask(batch, POSITIONS, seed + 2)
    memory = np.random.default_rng(seed).normal(size=(batch, POSITIONS, SIZE))
    return sequences(batch, time, 2, seed), memory, ragged_mask(batch, time), memory_mask


def results(layer, x, memory, mask, memory_mask, training=True):
    """What a layer returns, and gradients of the loss of `references`."""
    x, memory = tf.convert_to_tensor(x), tf.convert_to_tensor(memory)
    weights = [variable.value for variable in layer.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch([x, memory])
        y, *states, ponder = layer(
            x, memory=memory, mask=mask, memory_mask=memory_mask, training=training
        )
        loss = sum(ops.sum(part**2) for part in [y, *states]) + sum(layer.losses)
    return loss, y, states, ponder, tape.gradient(loss, [*weights, x, memory])


@functools.cache
def expected():
    """What `references` says of `known()` and of the example, and the gradients."""
    (_, weights), (x, memory, *masks) = known(), example()
    options = 7, 0.01, TAU, *masks
    return (
        references.act_batch(CELL, weights, x, memory, *options),
        references.act_gradients(CELL, weights, x, memory, *options),
    )


def known():
    """A layer and its weights, the same at each call."""
    return attention_layer(CELL, 2, max_ponder=7)


@pytest.mark.parametrize(
    "mode",
    [
        *("eager", "jit", "compacted"),
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("inference", "graph", "two loops")),
    ],
)
def test_values_and_gradients_are_those_of_the_equations(mode, monkeypatch):
    if mode == "two loops":
        monkeypatch.setattr(over_time, "_in_one_loop", lambda *_: None)
    layer, _ = known()
    x, memory, mask, memory_mask = example()

    def run(x, memory):
        training = mode in ("graph", "two loops", "jit")
        return results(layer, x, memory, mask, memory_mask, training)

    if mode == "compacted":
        with halting.compaction():
            loss, y, states, ponder, gradients = run(x, memory)
    else:
        way = run if mode == "eager" else tf.function(run, jit_compile=mode == "jit")
        loss, y, states, ponder, gradients = way(x, memory)
    values, slopes = expected()
    assert len(set(values.N.ravel())) >= 4
    np.testing.assert_array_equal(ponder["steps"], values.N)
    np.testing.assert_allclose(y, values.y, rtol=0, atol=1e-10)
    np.testing.assert_allclose(loss, values.loss, rtol=1e-10)
    for got, wanted in zip(states, values.s, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)
    scale = max(np.max(np.abs(one)) for one in slopes)
    for got, wanted in zip(gradients, slopes, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6 * scale)


ATTENTIONS = {
    "Bahdanau": lambda: BahdanauAttention(3),
    "dot": layers.Attention,
    "additive": layers.AdditiveAttention,
}
every_attention = pytest.mark.parametrize("attention", ATTENTIONS.values(), ids=ATTENTIONS)


def reader(attention, **arguments):
    cell = AttentionCell(layers.LSTMCell(SIZE), attention)
    options = {"halting_bias": -1.0, "max_ponder": 6, "return_sequences": True}
    return ACTRNN(cell, **{**options, **arguments})


def float32(*arrays):
    return [array.astype("float32") if array.dtype == float else array for array in arrays]


@every_attention
def test_what_is_masked_is_not_read(attention):
    layer = reader(attention())
    x, memory, mask, memory_mask = float32(*example())
    expected = layer(x, memory=memory, mask=mask, memory_mask=memory_mask)
    anything = np.where(memory_mask[..., None], memory, np.nan)
    found = layer(x, memory=anything, mask=mask, memory_mask=memory_mask)
    np.testing.assert_array_equal(found, expected)
    padded = np.pad(memory, [(0, 0), (0, 3), (0, 0)], constant_values=7.0)
    found = layer(x, memory=padded, mask=mask, memory_mask=np.pad(memory_mask, [(0, 0), (0, 3)]))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert np.max(np.abs(layer(x, memory=memory, mask=mask) - expected)) > 1e-3


def test_a_row_that_is_all_masked():
    layer = reader(BahdanauAttention(3))
    x, memory, mask, memory_mask = float32(*example())
    expected = layer(x, memory=memory, mask=mask, memory_mask=memory_mask)
    mask[1], memory_mask[2] = False, False
    memory[1] = np.nan
    found = layer(x, memory=memory, mask=mask, memory_mask=memory_mask)
    np.testing.assert_array_equal(found[1], 0)
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found[::3], expected[::3], rtol=0, atol=1e-6)


@every_attention
def test_the_mask_of_the_layer_before_counts(attention):
    layer = reader(attention())
    x, memory, mask, memory_mask = float32(*example())
    x, memory = x * mask[..., None], memory * memory_mask[..., None]
    inputs = [keras.Input((None, 2)), keras.Input((None, SIZE))]
    masked = [layers.Masking()(one) for one in inputs]
    model = keras.Model(inputs, layer(masked[0], memory=masked[1]))
    expected = layer(x, memory=memory, mask=mask, memory_mask=memory_mask)
    np.testing.assert_allclose(model([x, memory]), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("attention", "jit"),
    [
        ("Bahdanau", True),
        pytest.param("dot", False, marks=pytest.mark.slow),
        pytest.param("additive", True, marks=pytest.mark.slow),
    ],
)
def test_fit_save_and_export(attention, jit, tmp_path):
    layer = reader(ATTENTIONS[attention](), time_penalty=0.0)
    inputs = [keras.Input((None, 2), name="x"), keras.Input((None, SIZE), name="memory")]
    model = keras.Model(inputs, layer(inputs[0], memory=inputs[1]))
    x, memory, *_ = float32(*example())
    before = [variable.numpy() for variable in model.trainable_variables]
    model.compile(keras.optimizers.Adam(0.01), "mse", jit_compile=jit)
    history = model.fit([x, memory], np.ones((4, 3, SIZE)), epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    for variable, old in zip(model.trainable_variables, before, strict=True):
        assert np.any(variable.numpy() != old), variable.path
    expected = model([x, memory])
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again([x, memory]), expected)
    model.export(tmp_path / "exported", verbose=False)
    served = tf.saved_model.load(tmp_path / "exported")
    longer = [np.repeat(array, 2, axis=1) for array in (x, memory)]
    np.testing.assert_allclose(served.serve(longer), model(longer), rtol=0, atol=1e-5)


@pytest.mark.parametrize("graph", [False, True])
def test_dropout_of_the_cell_is_drawn_before_the_loop(graph):
    cell = layers.LSTMCell(SIZE, dropout=0.5, recurrent_dropout=0.5, seed=1)
    layer = ACTRNN(AttentionCell(cell, BahdanauAttention(3)), return_sequences=True)
    x, memory, *_ = float32(*example())
    run = lambda x: layer(x, memory=memory, training=True)  # noqa: E731
    run = tf.function(run) if graph else run
    first, second = run(x), run(x)
    assert np.max(np.abs(first - second)) > 1e-3
    np.testing.assert_array_equal(layer(x, memory=memory), layer(x, memory=memory))


@keras.saving.register_keras_serializable(package="tests")
class SumOfMemory(layers.Layer):
    """A user's cell that reads a memory of any rank, as it is."""

    state_size = SIZE

    def build(self, input_shape):
        self.built = True

    def call(self, inputs, states, memory):
        (state,) = states
        state = ops.tanh(state + ops.sum(memory, axis=(1, 2)) * inputs[:, :1])
        return state, [state]


@keras.saving.register_keras_serializable(package="tests")
class PreparesMemory(SumOfMemory):
    """A user's cell that prepares what it reads, and takes a mask."""

    def prepare_memory(self, memory, memory_mask):
        assert memory_mask is None or memory_mask.shape == memory.shape[:2]
        return ops.sum(memory, axis=2), ops.ones_like(memory[:, 0, 0, 0])

    def call(self, inputs, states, memory):
        (state,) = states
        total, one = memory
        state = ops.tanh(state + ops.sum(total, axis=1) * inputs[:, :1] * one[:, None])
        return state, [state]


@pytest.mark.parametrize("training", [False, True])
def test_cells_of_users(training):
    x, memory, *_ = float32(*example())
    images = np.stack([memory, memory], axis=2) / 2
    first = ACTRNN(SumOfMemory(), return_sequences=True, max_ponder=4)
    second = ACTRNN(PreparesMemory(), return_sequences=True, max_ponder=4)
    expected = first(x, memory=images, training=training)
    assert expected.shape == (4, 3, SIZE)
    second.build(x.shape, memory_shape=images.shape)
    second.set_weights(first.get_weights())
    for run in (second, tf.function(second)):
        with halting.compaction():
            found = run(x, memory=images, training=training)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    mask = np.ones((4, POSITIONS), bool)
    np.testing.assert_allclose(
        second(x, memory=images, memory_mask=mask), expected, rtol=0, atol=1e-6
    )
    with pytest.raises(ValueError, match="neither a method `prepare_memory` nor the argument"):
        first(x, memory=images, memory_mask=mask)


def test_an_initial_state_beside_the_memory():
    layer = reader(BahdanauAttention(3), return_state=True)
    x, memory, *_ = float32(*example())
    outputs, *states = layer(x, memory=memory)
    _, *middle = layer(x[:, :2], memory=memory)
    found, *last = layer(x[:, 2:], initial_state=middle, memory=memory)
    np.testing.assert_allclose(found, outputs[:, 2:], rtol=0, atol=1e-6)
    np.testing.assert_allclose(last, states, rtol=0, atol=1e-6)


def test_a_single_vector_is_read_without_a_warning():
    memory = np.random.default_rng(0).normal(size=(3, 1, SIZE)).astype("float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, weights = BahdanauAttention(3)(np.ones((3, 2), "float32"), memory)
    np.testing.assert_array_equal(mean, memory[:, 0])
    np.testing.assert_array_equal(weights, np.ones((3, 1)))


def test_no_rows():
    layer = reader(BahdanauAttention(3))
    found = layer(np.zeros((0, 3, 2), "float32"), memory=np.zeros((0, 5, SIZE), "float32"))
    assert found.shape == (0, 3, SIZE)


def test_half_precision():
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        layer = reader(BahdanauAttention(3))
    finally:
        keras.config.set_dtype_policy(before)
    x, memory, mask, memory_mask = float32(*example())
    found = layer(x, memory=memory, memory_mask=memory_mask, mask=mask, training=True)
    assert found.dtype == "float16" and np.all(np.isfinite(found))


REFUSED = {
    "is missing": ({}, "a cell that reads a memory, and none was given"),
    "of another rank": ({"memory": np.ones((4, SIZE))}, r"shape \(batch, positions, features\)"),
    "of rank 4": ({"memory": np.ones((4, 2, 2, SIZE))}, r"shape \(batch, positions, features\)"),
    "without positions": ({"memory": np.ones((4, 0, SIZE))}, "at least one position"),
    "of another batch": ({"memory": np.ones((3, 5, SIZE))}, "as many rows as .* 4"),
    "with a mask that does not fit": (
        {"memory": np.ones((4, 5, SIZE)), "memory_mask": np.ones((4, 3), bool)},
        r"`memory_mask` must have the shape \(4, 5\) of the memory's positions",
    ),
}


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("given, message", REFUSED.values(), ids=REFUSED)
def test_a_memory_that_is_refused(given, message, built):
    layer, (x, memory, *_) = reader(BahdanauAttention(3)), example()
    if built:
        layer(x, memory=memory)
    with pytest.raises(ValueError, match=message):
        layer(x, **given)


def test_a_memory_that_nobody_reads():
    with pytest.raises(ValueError, match=r"its cell does not read one.*AttentionCell"):
        ACTRNN(layers.LSTMCell(3))(np.ones((2, 3, 2)), memory=np.ones((2, 3, 2)))


def test_a_cell_without_anyone_to_give_it_a_memory():
    with pytest.raises(ValueError, match=r"and none was given\. Use it in `ACTRNN`"):
        layers.RNN(AttentionCell(layers.LSTMCell(3), BahdanauAttention(3)))(np.ones((2, 3, 2)))


def test_an_attention_of_keras_wants_the_width_of_the_query():
    layer, (x, memory, *_) = reader(layers.Attention()), example()
    with pytest.raises(ValueError, match=r"as wide as the query, 4.*Dense.*BahdanauAttention"):
        layer(x, memory=memory[..., :2])
