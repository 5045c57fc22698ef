"""Sequence error and bit error against a loop over all symbols."""

import keras
import numpy as np
import pytest

from keras_adaptive import metrics

RNG = np.random.default_rng(0)
SHAPES = {"binary": ((8, 3), 1), "classes": ((8, 3), 5), "joint": ((8, 3, 2), 5)}


def example(kind):
    shape, classes = SHAPES[kind]
    targets = RNG.integers(0, max(classes, 2), shape)
    outputs = RNG.random((*shape, classes)).astype("float32")
    for row in range(0, 8, 2):  # Half of the sequences are right, but perhaps for one symbol.
        right = np.eye(classes)[targets[row]] if classes > 1 else targets[row][..., None]
        outputs[row] = 0.1 + 0.8 * right
    outputs[2, 1] = 0.8 - outputs[2, 1] if classes > 1 else 1 - outputs[2, 1]
    return targets, outputs


def mistakes(targets, outputs, weights):
    """One symbol after another: for each sequence, how many are wrong, and how many there are."""
    found = []
    for row in range(len(targets)):
        wrong = count = 0
        for t in range(targets.shape[1]):
            if weights is not None and weights[row, t] == 0:
                continue
            for target, output in zip(
                np.ravel(targets[row, t]), outputs[row, t].reshape(-1, outputs.shape[-1])
            ):
                answer = int(output[0] >= 0.5) if len(output) == 1 else int(np.argmax(output))
                wrong += answer != target
                count += 1
        found.append((wrong, count))
    return np.array(found).T


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_sequence_errors(kind, weighted):
    targets, outputs = example(kind)
    weights = None
    if weighted:
        weights = RNG.integers(0, 2, (8, 3)).astype("float32")
        weights[5] = 0.0
    found = np.array(metrics.sequence_errors(targets, outputs, weights)).tolist()
    wrong, _ = mistakes(targets, outputs, weights)
    assert found == (wrong > 0).tolist()
    metric = metrics.SequenceError()
    for rows in (slice(0, 3), slice(3, 8)):
        metric.update_state(targets[rows], outputs[rows], weights[rows] if weighted else None)
    counted = np.ones(8, bool) if weights is None else weights.any(axis=1)
    assert float(metric.result()) == pytest.approx(np.sum(found) / np.sum(counted))
    metric.reset_state()
    assert float(metric.result()) == 0.0


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_symbol_errors(kind, weighted):
    targets, outputs = example(kind)
    weights = RNG.integers(0, 3, (8, 3)) / 2 if weighted else None
    wrong, count = mistakes(targets, outputs, weights)
    assert wrong.sum() > 0
    found = np.array(metrics.symbol_errors(targets, outputs, weights))
    assert found.shape == targets.shape
    assert found.reshape(8, -1).sum(axis=1).tolist() == wrong.tolist()
    metric = metrics.BitError()
    for rows in (slice(0, 3), slice(3, 8)):
        metric.update_state(targets[rows], outputs[rows], weights[rows] if weighted else None)
    assert float(metric.result()) == pytest.approx(wrong.sum() / count.sum())
    metric.reset_state()
    assert float(metric.result()) == 0.0


def test_one_mistake_is_enough():
    targets = np.array([[1, 0, 1]])
    assert not np.any(metrics.sequence_errors(targets, np.array([[[0.5], [0.49], [1.0]]])))
    assert np.all(metrics.sequence_errors(targets, np.array([[[0.5], [0.5], [1.0]]])))


def test_sequences_without_a_target_do_not_count():
    targets, outputs = np.array([[1], [1]]), np.array([[[0.9]], [[0.1]]])
    weights = np.array([[1.0], [0.0]])
    assert np.array(metrics.has_target(weights)).tolist() == [True, False]
    metric = metrics.SequenceError()
    metric.update_state(targets, outputs, weights)
    assert float(metric.result()) == 0.0 and float(metric.count) == 1.0


def test_in_a_model_with_weights(eager):
    model = keras.Sequential([keras.Input((None, 1)), keras.layers.Identity()])
    model.compile(loss="mse", weighted_metrics=[metrics.SequenceError(), metrics.BitError()])
    x = np.array([[[0.9], [0.9]], [[0.9], [0.1]]], "float32")
    weights = np.array([[1.0, 1.0], [1.0, 1.0]])
    arguments = {"return_dict": True, "verbose": 0}
    found = model.evaluate(x, np.ones((2, 2)), sample_weight=weights, **arguments)
    assert (found["sequence_error"], found["bit_error"]) == (0.5, 0.25)
    weights[1, 1] = 0.0
    found = model.evaluate(x, np.ones((2, 2)), sample_weight=weights, **arguments)
    assert (found["sequence_error"], found["bit_error"]) == (0.0, 0.0)


def test_bits_per_character():
    """Characters with a target count alike, whatever their weights."""
    rng = np.random.default_rng(0)
    outputs = rng.dirichlet(np.ones(7), (8, 5)).astype("float32")
    targets = rng.integers(0, 7, (8, 5))
    weights = rng.choice([0.0, 1.0, 3.0], (8, 5)).astype("float32")
    bits = -np.log2(np.take_along_axis(outputs, targets[..., None], -1)[..., 0])
    metric = metrics.BitsPerCharacter()
    for rows in (slice(0, 3), slice(3, 8)):
        metric.update_state(targets[rows], outputs[rows])
    assert float(metric.result()) == pytest.approx(bits.mean(), rel=1e-5)
    metric.reset_state()
    assert float(metric.result()) == 0.0
    metric.update_state(targets, outputs, weights)
    assert float(metric.result()) == pytest.approx(bits[weights > 0].mean(), rel=1e-5)
    uniform = metrics.BitsPerCharacter.from_config(metric.get_config())
    uniform.update_state(targets, np.full((8, 5, 256), 1 / 256, "float32"))
    assert float(uniform.result()) == pytest.approx(8.0)


METRICS = [metrics.SequenceError, metrics.BitError, metrics.BitsPerCharacter]


def value(kind, *arguments):
    metric = kind()
    metric.update_state(*arguments)
    return float(metric.result())


@pytest.mark.parametrize("kind", METRICS)
def test_a_mask_of_the_predictions_says_what_counts(kind):
    """As with Keras's own metrics, also beside weights."""
    targets, outputs = example("classes")
    mask = np.arange(3) < RNG.integers(1, 4, (8, 1))
    for weights in (None, np.ones(8), RNG.integers(0, 2, (8, 3))):
        masked = keras.layers.Masking()(outputs * mask[..., None])
        counted = mask if weights is None else mask * weights.reshape(8, -1)
        given = () if weights is None else (weights,)
        assert value(kind, targets, masked, *given) == value(kind, targets, outputs, counted)


@pytest.mark.parametrize("kind", METRICS)
def test_weights_of_rows(kind):
    targets, outputs = example("classes")
    rows = RNG.integers(0, 2, 8)
    expected = value(kind, targets, outputs, np.repeat(rows[:, None], 3, axis=1))
    assert value(kind, targets, outputs, rows) == expected
    assert value(kind, targets, outputs, rows[:, None]) == expected


@pytest.mark.parametrize("kind", METRICS)
def test_targets_with_a_last_axis_of_one(kind):
    targets, outputs = example("classes")
    assert value(kind, targets[..., None], outputs) == value(kind, targets, outputs)
    with pytest.raises(ValueError, match="`targets` must have 2 axes"):
        kind().update_state(targets[:, 0], outputs)


def test_one_answer_for_each_row():
    targets, outputs = np.array([1, 0, 1]), np.array([[0.9], [0.1], [0.2]])
    for kind in (metrics.SequenceError, metrics.BitError):
        assert value(kind, targets, outputs) == value(kind, targets[:, None], outputs)
        assert value(kind, targets, outputs) == pytest.approx(1 / 3)


@pytest.mark.parametrize("kind", METRICS)
def test_less_is_better(eager, kind):
    """So a callback that monitors it needs no `mode`."""
    inputs = keras.Input((3,))
    model = keras.Model(inputs, keras.layers.Dense(5, activation="softmax")(inputs))
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=[kind(name="error")])
    stop = keras.callbacks.EarlyStopping(monitor="val_error")
    x, y = np.ones((4, 3)), np.zeros((4, 1))
    model.fit(x, y, validation_data=(x, y), callbacks=[stop], verbose=0)
    assert stop.monitor_op(1, 2)
