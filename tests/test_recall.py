"""Recall networks: values, masks, halting, and the progressive loss."""

from itertools import pairwise

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import references_recall as references
from keras_adaptive import halting
from keras_adaptive.halting import ACT, Converged, Fixed
from keras_adaptive.layers import ACTRNN, Recall
from keras_adaptive.models import RecallModel
from keras_adaptive.recall import drawn_steps
from known_recall import CHANNELS, SIZES, STEPS, inputs_of, progressive_model, recall_layer

both_sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)


@both_sizes
def test_values_are_those_of_the_equations(size):
    layer, weights = recall_layer(size, num_blocks=2)
    x, _ = inputs_of(size)
    for halts, steps, training in ((None, STEPS, False), (7, 7, False), (7, STEPS, True)):
        layer.halting = halts
        expected = [references.recall(weights, one, steps) for one in x]
        np.testing.assert_allclose(layer(x, training=training), expected, rtol=0, atol=1e-12)


@both_sizes
@pytest.mark.parametrize("rule", [Fixed(6), Converged(2, 30)], ids=["fixed", "converged"])
def test_padding_changes_nothing(size, rule):
    layer, _ = recall_layer(size, halting=rule, return_ponder=True)
    x, _ = inputs_of(size, batch=3)
    padded = np.pad(x, [(0, 0), *[(0, 2)] * len(size), (0, 0)], constant_values=np.nan)
    mask = np.pad(np.ones((3, *size), bool), [(0, 0), *[(0, 2)] * len(size)])
    mask[2] = False  # nothing there
    alone, of_alone = layer(x)
    found, ponder = layer(padded, mask=mask)
    np.testing.assert_allclose(found[mask], np.reshape(alone[:2], (-1, 3)), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found[~mask], 0)
    np.testing.assert_array_equal(ponder["steps"], [*of_alone["steps"][:2], 0])


def different(patience=2, most=40):
    """A layer whose rows converge at different steps, its input, and these steps."""
    size = SIZES["sequences"]
    layer, weights = recall_layer(size, 4, halting=Converged(patience, most), return_ponder=True)
    x, _ = inputs_of(size, batch=12)
    return layer, x, [references.converged_steps(weights, one, patience, most) for one in x]


def test_converged_steps_are_those_of_the_equations():
    layer, x, steps = different()
    assert len(set(steps)) >= 3
    logits, ponder = layer(x)
    np.testing.assert_array_equal(ponder["steps"], steps)
    np.testing.assert_array_equal(ponder["remainder"], 0)
    for row, n in enumerate(steps):
        layer.halting = n
        alone, _ = layer(x[row : row + 1])
        np.testing.assert_allclose(logits[row], alone[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("mode", ["eager", "graph", "jit", "compacted"])
def test_converged_on_every_path(mode):
    layer, x, steps = different()
    wanted, _ = layer(x)

    def run(x):
        if mode == "compacted":
            with halting.compaction():
                return layer(x)
        return layer(x)

    if mode != "eager":
        run = tf.function(run, jit_compile=mode == "jit")
    logits, ponder = run(tf.constant(x))
    np.testing.assert_array_equal(ponder["steps"], steps)
    np.testing.assert_allclose(logits, wanted, rtol=0, atol=1e-10)


def test_limits_of_a_trained_layer():
    layer, x, steps = different()
    for limit in (1, 4, tf.constant(4)):
        with halting.limits(max_ponder=limit):
            _, ponder = layer(x)
        np.testing.assert_array_equal(ponder["steps"], np.minimum(steps, int(limit)))
    layer.halting = 6  # `Fixed` has no limits.
    with halting.limits(max_ponder=1):
        np.testing.assert_array_equal(layer(x)[1]["steps"], 6)


def test_one_channel_answers_with_its_sign():
    layer, _ = recall_layer((5,), outputs=1, halting=Converged(1, 30), return_ponder=True)
    x, _ = inputs_of((5,), batch=1)
    _, ponder = layer(x)
    n = int(ponder["steps"][0])
    assert n < 30
    signs = []
    for layer.halting in range(1, n + 1):
        signs.append(np.array(layer(x)[0] > 0))
    same = [np.array_equal(*pair) for pair in pairwise(signs)]
    assert same == [False] * (n - 2) + [True]


@both_sizes
def test_fit_is_one_step_down_the_progressive_loss(size):
    model, weights, n, k = progressive_model(size)
    assert n > 0
    x, targets = inputs_of(size)
    begun = [references.think(weights, references.embed(weights, one), one, n) for one in x]

    def loss(weights, begun=begun):
        return references.progressive_loss(weights, x, targets, STEPS, 0.75, n, k, begun)

    history = model.fit(x, targets, verbose=0).history
    assert history["loss"][0] == pytest.approx(loss(weights), rel=1e-6)
    first = references.progressive_loss(weights, x, targets, STEPS, 0.0, n, k, begun)
    assert history["task_loss"][0] == pytest.approx(first, rel=1e-6)
    later = (loss(weights) - 0.25 * first) / 0.75
    assert history["progressive_loss"][0] == pytest.approx(later, rel=1e-6)
    gradients = [(weight - found) / 0.5 for weight, found in zip(weights, model.get_weights())]
    # Of all weights, as every weight's own slope is a long wait.
    for way in range(6):
        rng = np.random.default_rng(way)
        way = [rng.normal(size=weight.shape) for weight in weights]
        slope = sum(np.sum(gradient * part) for gradient, part in zip(gradients, way))
        assert slope == pytest.approx(references.slope(loss, weights, way), rel=1e-5, abs=1e-6)
    # `evaluate` has the loss of the answer alone.
    weights = model.get_weights()[: len(weights)]
    final = references.progressive_loss(weights, x, targets, STEPS, 0.0, 0, 1)
    found = model.evaluate(x, targets, verbose=0, return_dict=True)
    assert found["loss"] == pytest.approx(final, rel=1e-5)
    assert "progressive_loss" not in found


def test_progressive_loss_is_without_the_price_of_steps():
    inputs = keras.Input((4, 3))
    cell = keras.layers.GRUCell(3)
    hidden = ACTRNN(cell, return_sequences=True, time_penalty=0.5, max_ponder=3)(inputs)
    model = RecallModel(inputs, Recall(4, 2, 1)(hidden), seed=0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.0), loss, run_eagerly=True)
    x, y = np.random.default_rng(0).normal(size=(5, 4, 3)), np.zeros((5, 4), int)
    logs = {name: values[0] for name, values in model.fit(x, y, verbose=0).history.items()}
    # With one step, n is 0 and k is 1: both losses are those of the answer.
    assert logs["progressive_loss"] == pytest.approx(logs["task_loss"], rel=1e-5)
    assert logs["loss"] == pytest.approx(logs["task_loss"] + logs["ponder_cost"], rel=1e-5)


@pytest.mark.parametrize("n, k", [(0, 4), (0, 1), (2, 2), (3, 1)])
def test_steps_that_are_drawn(n, k):
    """The first n have no gradient, so with n > 0 the embedding gets none."""
    layer, weights = recall_layer((5,))
    x, _ = inputs_of((5,))
    with tf.GradientTape() as tape, drawn_steps(tf.constant(n), tf.constant(k)):
        logits = layer(x, training=True)
        loss = ops.sum(logits**2)
    expected = [references.recall(weights, one, n + k) for one in x]
    np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-12)
    embedding, recall = tape.gradient(loss, [layer.embedding.value, layer.recall.value])
    assert np.any(embedding) == (n == 0) and np.any(recall)
    with drawn_steps(n, k):  # It is for training.
        np.testing.assert_array_equal(layer(x), layer(x, training=False))


def test_n_and_k_are_drawn_in_their_ranges():
    inputs = keras.Input((None, CHANNELS))
    model = RecallModel(inputs, Recall(2, 2, steps=3)(inputs), seed=0)
    drawn = {tuple(int(x) for x in model._draw()) for _ in range(200)}
    assert drawn == {(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)}


@pytest.mark.usefixtures("eager")
def test_any_loss_with_weights_and_masks(tmp_path):
    """Padded positions count in neither part, and a file keeps alpha and the rule."""
    x, targets = inputs_of((6,), batch=4)
    x = x.astype("float32")
    x[0, 4:] = 0.0

    def fitted(garbage):
        inputs = keras.Input((None, CHANNELS))
        layer = Recall(3, 1, steps=3, halting=Converged(2, 20))
        layer.build((None, None, CHANNELS))
        layer.set_weights(recall_layer((6,), filters=3, outputs=1, num_blocks=2)[1])
        model = RecallModel(inputs, layer(keras.layers.Masking()(inputs)), alpha=1.0, seed=1)
        model.compile("sgd", "mse")
        y = (targets[..., None] > 1).astype("float32")
        y[0, 4:] = garbage
        model.fit(x, y, verbose=0, sample_weight=np.arange(24.0).reshape(4, 6))
        return model

    one, other = fitted(0.0), fitted(99.0)
    for a, b in zip(one.get_weights(), other.get_weights()):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-6)
    one.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert (again.alpha, again.seed) == (1.0, 1)
    rule = again.layers[-1].halting
    assert (type(rule), rule.patience, rule.max_ponder) == (Converged, 2, 20)
    np.testing.assert_array_equal(again.predict(x, verbose=0), one.predict(x, verbose=0))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"filters": 1}, "`filters` .* at least 2. Received: filters=1"),
        ({"outputs": 0}, "`outputs` .* Received: outputs=0"),
        ({"steps": 2.5}, "`steps` .* Received: steps=2.5"),
        ({"kernel_size": 4}, "`kernel_size` must be an odd integer. Received: kernel_size=4"),
        ({"num_blocks": 0}, "`num_blocks` .* Received: num_blocks=0"),
        ({"halting": "act"}, "`halting` must be .* Received: halting='act'"),
        ({"halting": ACT()}, "`halting` must be .* a rule without ponder cost"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Recall(**{"filters": 2, "outputs": 2, "steps": 3, **arguments})


def test_bad_inputs():
    with pytest.raises(ValueError, match=r"`inputs` must have the shape .* Received: .2, 3."):
        Recall(2, 2, 3)(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"`mask` must have the shape .* Received: .2,."):
        Recall(2, 2, 3)(np.ones((2, 3, 1)), mask=np.ones((2,), bool))
    with pytest.raises(ValueError, match=r"`mask` .* the shape \(2, 3, 4\) of .* \(2, 4, 3\)"):
        Recall(2, 2, 3)(np.ones((2, 3, 4, 1)), mask=np.ones((2, 4, 3), bool))
    inputs = keras.Input((None, 1))
    outputs = Recall(2, 2, 3)(inputs)
    for alpha in (-0.1, 2, "1"):
        with pytest.raises(ValueError, match=f"`alpha` .* Received: alpha={alpha!r}"):
            RecallModel(inputs, outputs, alpha=alpha)
    with pytest.raises(ValueError, match=r"one `Recall` layer\. Received: \[\]"):
        RecallModel(inputs, inputs)
