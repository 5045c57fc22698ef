"""Baselines as models and layers: what they promise beside the numbers of the references."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import clean_process
from keras_adaptive.baselines import (
    NextSymbolRNN,
    Seq2SeqLSTM,
    StackRNNCell,
    Symbols,
    Vectors,
)
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError

END = [1.0, 0.0, 0.0]


def attention(**kwargs):
    settings = {"units": 8, "num_layers": 2, "max_outputs": (1, 1)}
    return Seq2SeqLSTM(Symbols(5), Symbols(3), **{**settings, **kwargs})


def of_vectors(**kwargs):
    return Seq2SeqLSTM(
        Vectors(2), Vectors(3), units=8, num_layers=1, attention=False, max_outputs=(0, 4), **kwargs
    )


def stack_rnn(**kwargs):
    cell = StackRNNCell(8, num_stacks=2, stack_depth=None)
    return NextSymbolRNN(cell, Symbols(5), Symbols(3), reverse_inputs=True, **kwargs)


MODELS = {"attention": attention, "vectors": of_vectors, "stack RNN": stack_rnn}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def inputs_of(model, batch=4, length=5):
    rng = np.random.default_rng(0)
    if model.source.kind == "vectors":
        inputs = rng.normal(size=(batch, length, 2)).astype("float32")
    else:
        inputs = rng.integers(0, 5, (batch, length)).astype("int32")
    for row in range(1, batch):
        inputs[row, length - row :] = model.source.padding
    return inputs


def with_large_weights(model, seed=0):
    """The model with random weights, so that what it generates has several lengths."""
    model.build((None, None))
    rng = np.random.default_rng(seed)
    model.set_weights([rng.normal(size=w.shape) * 1.5 for w in model.get_weights()])
    return model


@every_model
def test_made_again_from_its_config(make):
    model = make(name="again")
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(model)))
    again = keras.saving.deserialize_keras_object(config)
    assert type(again) is type(model) and again.get_config() == model.get_config()


@every_model
def test_padding_changes_nothing(make):
    model = with_large_weights(make())
    inputs = inputs_of(model)
    together = np.array(model(inputs))
    for row in range(len(inputs)):
        alone = np.array(model(inputs[row : row + 1, : 5 - row]))[0]
        np.testing.assert_allclose(together[row, : len(alone)], alone, atol=1e-5)
        rest = together[row, len(alone) :]
        np.testing.assert_array_equal(rest, np.broadcast_to(model.target.after_end(), rest.shape))


@every_model
def test_mask_is_padding(make):
    model = with_large_weights(make())
    inputs = inputs_of(model)
    mask = np.array(model.source.present(inputs))
    anything = np.where(mask.reshape(mask.shape + (1,) * (inputs.ndim - 2)), inputs, 1)
    np.testing.assert_array_equal(model(anything, mask=mask), model(inputs))


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What each model generates, and what its SavedModel does in a clean process."""
    folder, expected = tmp_path_factory.mktemp("exported"), {}
    for name, make in MODELS.items():
        model = with_large_weights(make())
        model.export(folder / name / "model", verbose=False)
        inputs = inputs_of(model)
        np.savez(folder / name / "inputs.npz", inputs)
        model.save(folder / f"{name}.keras")
        again = keras.models.load_model(folder / f"{name}.keras")
        expected[name] = model(inputs), again(inputs)
    found = clean_process.answers(folder)
    return {name: (found[name][0], *expected[name]) for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_saved_models(exported, name):
    found, expected, from_file = exported[name]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_array_equal(from_file, expected)


def test_generation_stops_when_all_rows_have_ended():
    model = attention(max_outputs=(0, 10**6))
    model.build()
    model.head.bias.assign([1e3, 0.0, 0.0])  # A loop to the limit would never end.
    generated = tf.function(lambda x: ops.shape(model(x))[1])(inputs_of(model))
    assert int(generated) == 10**6


def test_fit_knows_the_targets_and_generation_does_not():
    """A model that copies what is fed back has it easy in training alone."""
    model = stack_rnn()
    model.compile("sgd", SequenceLoss(), weighted_metrics=[SequenceError()], run_eagerly=True)
    x, y = inputs_of(model), np.array([[1, 2, 0, 0, 0]] * 4)
    model.fit(x, y, verbose=0)
    forced, free = model(x, targets=y), model(x)
    other = model(x, targets=np.array([[2, 2, 0, 0, 0]] * 4))
    np.testing.assert_array_equal(forced[:, 0], other[:, 0])
    assert np.all(np.any(np.abs(forced[:, 1] - other[:, 1]) > 1e-4, axis=-1))
    # Longer and shorter targets: nothing of what is generated changes.
    for steps in (3, 9):
        targets = np.zeros((4, steps), "int32")
        model.evaluate(x, targets, verbose=0)
        np.testing.assert_allclose(model.predict(x, verbose=0), free, atol=1e-6)


def test_evaluate_scores_what_is_generated():
    model = with_large_weights(attention(), seed=2)
    model.compile("sgd", SequenceLoss(), weighted_metrics=[SequenceError()], run_eagerly=True)
    x = inputs_of(model)
    generated = np.argmax(model.predict(x, verbose=0), axis=-1)
    for steps in (4, 6, 9):
        y = np.pad(generated, ((0, 0), (0, 9)))[:, :steps]
        loss, error = model.evaluate(x, y, verbose=0)
        assert error == 0.0
        y[0, 0] = 3 - y[0, 0] if y[0, 0] else 1
        assert model.evaluate(x, y, verbose=0)[1] == 0.25
        y[0, 0] = generated[0, 0]
    # Early and late ends are errors.
    y = generated.copy()
    row = np.argmax(np.sum(y > 0, axis=1))
    y[row, np.sum(y[row] > 0) - 1] = 0
    assert model.evaluate(x, y, verbose=0)[1] == 0.25
    # The loss is that of the true sequence, up to its first end.
    loss = model.evaluate(x, y, verbose=0)[0]
    p = np.take_along_axis(np.array(model(x, targets=y)), y[..., None], axis=-1)[..., 0]
    counts = np.cumsum(y == 0, axis=1) - (y == 0) == 0
    np.testing.assert_allclose(loss, -np.sum(np.log(p)[counts]) / 4, rtol=1e-4)


def test_what_stands_behind_the_end_does_not_count():
    model = stack_rnn()
    model.compile(keras.optimizers.SGD(0.0), SequenceLoss(), run_eagerly=True)
    x, y = inputs_of(model), np.array([[1, 0, 0, 0, 0]] * 4)
    losses = [model.fit(x, y, verbose=0).history["loss"][0]]
    y[:, 2:] = 2
    losses += model.fit(x, y, verbose=0).history["loss"]
    losses += model.fit(x, y[:, :2], verbose=0).history["loss"]
    losses += model.fit(x, y, sample_weight=np.full(4, 0.5), verbose=0).history["loss"]
    np.testing.assert_allclose(losses, np.multiply(losses[0], [1, 1, 1, 0.5]), rtol=1e-5)


def test_vectors_train_on_integer_bits():
    model = of_vectors()
    model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", run_eagerly=True)
    x, y = inputs_of(model), np.array([[[1, 0, 0], [0, 0, 1], [0, 0, 0]]] * 4, "int32")
    model.fit(x, y, epochs=15, verbose=0)
    bits = np.array(model(x)) >= 0.5
    np.testing.assert_array_equal(bits, [[[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]] * 4)


@pytest.mark.slow
def test_it_learns():
    """Sorting up to three bits, with an end of its own, in a plain fit."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 4, 64)
    x = np.where(np.arange(3) < lengths[:, None], rng.integers(1, 3, (64, 3)), -1)
    y = np.sort(np.where(x < 0, 9, x), axis=1)
    y = np.pad(np.where(y == 9, 0, y), ((0, 0), (0, 1)))
    model = attention(units=16, num_layers=1)
    model.compile(keras.optimizers.Adam(0.02), SequenceLoss(), weighted_metrics=[SequenceError()])
    model.fit(x, y, batch_size=64, epochs=60, verbose=0)
    assert model.evaluate(x, y, batch_size=64, verbose=0)[1] < 0.1


def test_parameters_of_the_paper():
    """Kaiser & Sutskever (2016), section 3.1: "about 200k parameters"."""
    model = Seq2SeqLSTM(Symbols(4), Symbols(3))
    model.build()
    assert 190_000 < model.count_params() < 230_000


def test_dropout_is_for_training():
    model = attention(dropout=0.5)
    x, y = inputs_of(model), np.array([[1, 2, 1, 1, 0]] * 4)
    np.testing.assert_array_equal(model(x, targets=y), model(x, targets=y))
    found = model(x, targets=y, training=True)
    assert np.max(np.abs(found - model(x, targets=y, training=True))) > 1e-4


@pytest.mark.parametrize("stacked", [False, True])
def test_dropout_of_the_cell_is_drawn_for_each_batch(stacked):
    cell = keras.layers.LSTMCell(6, dropout=0.5, recurrent_dropout=0.5)
    if stacked:
        cell = keras.layers.StackedRNNCells([cell, keras.layers.GRUCell(4, dropout=0.5)])
    model = NextSymbolRNN(cell, Symbols(5), Symbols(3))
    model.compile("sgd", "sparse_categorical_crossentropy")
    x, y = inputs_of(model), np.array([[1, 2, 1, 1, 0]] * 4)
    losses = model.fit(x, y, epochs=2, shuffle=False, verbose=0).history["loss"]
    assert np.isfinite(losses).all()
    np.testing.assert_array_equal(model(x, targets=y), model(x, targets=y))
    found = model(x, targets=y, training=True)
    assert np.max(np.abs(found - model(x, targets=y, training=True))) > 1e-4


@every_model
@pytest.mark.slow
def test_jit_agrees(make):
    model = with_large_weights(make())
    inputs = inputs_of(model)
    targets = np.argmax(model(inputs), axis=-1) if model.target.kind == "symbols" else model(inputs)

    def run(x, y):
        with tf.GradientTape() as tape:
            loss = ops.sum(model(x, targets=y, training=True) ** 2)
        return model(x), tape.gradient(loss, [v.value for v in model.trainable_variables])

    arguments = tf.constant(inputs), tf.constant(targets)
    found = tf.function(run, jit_compile=True)(*arguments)
    for one, other in zip(tf.nest.flatten(run(*arguments)), tf.nest.flatten(found), strict=True):
        assert np.any(one)
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_mixed_precision():
    model = attention(dtype="mixed_bfloat16")
    x, y = inputs_of(model), np.array([[1, 2, 1, 1, 0]] * 4)
    assert model(x).dtype == model(x, targets=y).dtype == "float32"
    assert np.all(np.isfinite(model(x)))
    assert all(variable.dtype == "float32" for variable in model.trainable_variables)


def test_in_a_functional_model():
    inner = with_large_weights(attention())
    inputs = keras.Input((None,), dtype="int32")
    model = keras.Model(inputs, inner(inputs))
    assert model.output.shape == (None, None, 3)
    x = inputs_of(inner)
    np.testing.assert_allclose(model(x), inner(x), atol=1e-6)


def test_one_sequence_after_another_of_another_length():
    model = stack_rnn()
    inputs = [np.array([[1] * length + [2]]) for length in (2, 4)]
    alone = [model.predict(x, verbose=0) for x in inputs]
    for x, outputs in zip(inputs, alone):
        twice = model.predict(np.concatenate([x, x]), verbose=0)
        np.testing.assert_allclose(twice[:1], outputs, atol=1e-6)
