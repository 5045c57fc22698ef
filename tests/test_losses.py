"""SequenceLoss against NumPy."""

import keras
import numpy as np
import pytest

import other_backend
from keras_adaptive.language import SampledWordLoss, TiedEmbedding
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import BitsPerCharacter
from losses_on_every_backend import trained, trained_on_words

RNG = np.random.default_rng(0)
WEIGHTS = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], "float32")


def softmax(logits):
    e = np.exp(logits)
    return e / np.sum(e, axis=-1, keepdims=True)


def example(kind):
    """Targets, logits, and the cross-entropy of each time step, `(4, 3)`."""
    if kind == "binary":
        targets, logits = RNG.integers(0, 2, (4, 3)), RNG.normal(size=(4, 3, 1))
        p = 1 / (1 + np.exp(-logits[..., 0]))
        return targets, logits, p[..., None], -np.log(np.where(targets == 1, p, 1 - p))
    shape = (4, 3) if kind == "classes" else (4, 3, 2)
    targets, logits = RNG.integers(0, 5, shape), RNG.normal(size=(*shape, 5))
    p = softmax(logits)
    values = -np.log(np.take_along_axis(p, targets[..., None], -1)[..., 0])
    return targets, logits, p, values.reshape(4, 3, -1).sum(axis=2)


@pytest.mark.parametrize("kind", ["binary", "classes", "joint"])
@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_sum_over_time_mean_over_batch(kind, from_logits, weights):
    targets, logits, p, values = example(kind)
    predictions = (logits if from_logits else p).astype("float32")
    loss = SequenceLoss(from_logits=from_logits)
    found = loss(targets, predictions, sample_weight=weights)
    weighted = values * (1.0 if weights is None else weights)
    np.testing.assert_allclose(found, np.mean(np.sum(weighted, axis=1)), rtol=1e-5)


@pytest.mark.parametrize("kind", ["binary", "classes", "joint"])
@pytest.mark.parametrize("from_logits", [False, True])
def test_label_smoothing_spreads_a_share_of_each_target(kind, from_logits):
    targets, logits, p, values = example(kind)
    every = np.concatenate([1 - p, p], -1) if kind == "binary" else p
    evenly = -np.log(every).mean(-1).reshape(4, 3, -1).sum(-1)
    predictions = (logits if from_logits else p).astype("float32")
    loss = SequenceLoss(from_logits=from_logits, label_smoothing=0.2)
    expected = np.mean(np.sum(0.8 * values + 0.2 * evenly, axis=1))
    np.testing.assert_allclose(loss(targets, predictions), expected, rtol=1e-5)
    again = SequenceLoss.from_config(loss.get_config())
    np.testing.assert_allclose(again(targets, predictions), expected, rtol=1e-5)


@pytest.mark.parametrize("share", [-0.1, 1, "much", float("nan")])
def test_label_smoothing_that_is_no_share_is_refused(share):
    with pytest.raises((ValueError, TypeError), match="label_smoothing"):
        SequenceLoss(label_smoothing=share)


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("joint", [False, True])
def test_two_steps_of_fit_on_other_backends(backend, joint):
    found = other_backend.call(backend, "losses_on_every_backend", "trained", joint)
    for one, other in zip(found, trained(joint), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_padding_leaves_it_as_it_was():
    targets, _, p, _ = example("classes")
    p = p.astype("float32")
    expected = SequenceLoss()(targets, p, sample_weight=WEIGHTS)
    pad = lambda x, value: np.pad(  # noqa: E731
        x, [(0, 0), (0, 4)] + [(0, 0)] * (x.ndim - 2), constant_values=value
    )
    found = SequenceLoss()(pad(targets, 0), pad(p, 0.2), sample_weight=pad(WEIGHTS, 0))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_padding_in_a_model_with_a_mask(eager):
    """The mask that reaches the predictions must not rescale the sum."""
    inputs = keras.Input((None, 2))
    x = keras.layers.Masking()(inputs)
    x = keras.layers.SimpleRNN(3, return_sequences=True)(x)
    model = keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(x))
    model.compile("sgd", SequenceLoss())
    x, y, weights = RNG.normal(size=(4, 3, 2)), RNG.integers(0, 2, (4, 3)), np.ones((4, 3))
    weights[1, 1:] = x[1, 1:] = 0.0
    losses = []
    for extra in (0, 4):
        padding = [(0, 0), (0, extra)]
        arguments = np.pad(x, [*padding, (0, 0)]), np.pad(y, padding), np.pad(weights, padding)
        losses.append(model.evaluate(*arguments[:2], sample_weight=arguments[2], verbose=0))
    p = model.predict(x, verbose=0)[..., 0]
    expected = np.mean(np.sum(-weights * np.log(np.where(y == 1, p, 1 - p)), axis=1))
    np.testing.assert_allclose(losses, [expected] * 2, rtol=1e-5)


def test_config_round_trip():
    loss = SequenceLoss(from_logits=True, name="mine")
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(again) is SequenceLoss and again.get_config() == loss.get_config()


def test_weights_of_rows_and_of_all():
    y, p = RNG.integers(0, 5, (4, 3)), RNG.dirichlet(np.ones(5), (4, 3))
    loss, rows = SequenceLoss(), RNG.integers(0, 3, 4)
    expected = float(loss(y, p, np.repeat(rows[:, None], 3, axis=1)))
    assert float(loss(y, p, rows)) == pytest.approx(expected)
    assert float(loss(y, p, 2.0)) == pytest.approx(2 * float(loss(y, p)))


@pytest.mark.parametrize("classes", [1, 5])
def test_targets_with_a_last_axis_of_one(classes):
    y, p = RNG.integers(0, 2, (4, 3)), RNG.uniform(0.1, 0.9, (4, 3, classes))
    loss = SequenceLoss()
    assert float(loss(y[..., None], p)) == pytest.approx(float(loss(y, p)))
    with pytest.raises(ValueError, match="`targets` must have 2 axes"):
        loss(y[:, 0], p)


def test_one_answer_for_each_row():
    y, p, weights = RNG.integers(0, 2, 4), RNG.uniform(0.1, 0.9, (4, 1)), np.arange(4.0)
    each = -np.log(np.where(y[:, None] == 1, p, 1 - p))[:, 0]
    assert float(SequenceLoss()(y, p, weights)) == pytest.approx(np.mean(each * weights), rel=1e-5)


def test_what_stands_where_nothing_is_asked_may_be_no_class():
    p, weights = np.full((1, 3, 4), 0.25, "float32"), np.array([[1, 1, 0]], "float32")
    for none in (0, -1, 7):
        y = np.array([[1, 2, none]])
        assert float(SequenceLoss()(y, p, weights)) == pytest.approx(2 * np.log(4), rel=1e-6)
        bits = BitsPerCharacter()
        bits.update_state(y, p, weights)
        assert float(bits.result()) == pytest.approx(2, rel=1e-6)
    several = np.repeat(np.array([[1, 2, -1]])[..., None], 2, axis=2)
    found = SequenceLoss()(several, np.repeat(p[:, :, None], 2, axis=2), weights[..., None])
    assert float(found) == pytest.approx(4 * np.log(4), rel=1e-6)


@pytest.mark.parametrize("per_target", [False, True])
@pytest.mark.parametrize("weights", [None, np.ones(0), np.ones((0, 3))])
def test_no_sequences(per_target, weights):
    loss = SequenceLoss(per_target=per_target)
    assert float(loss(np.ones((0, 3), int), np.ones((0, 3, 4), "float32"), weights)) == 0


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.1])
def test_a_weight_that_all_targets_have_does_not_change_their_mean(weight):
    loss, p = SequenceLoss(per_target=True), np.full((1, 2, 2), 0.5, "float32")
    found = loss(np.array([[0, 1]]), p, np.full((1, 2), weight, "float32"))
    assert float(found) == pytest.approx(np.log(2), rel=1e-6)


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_padded_words_do_not_count(backend):
    """Whether masked or without weight; the words that are drawn are the same."""

    def found(*arguments):
        if backend == "tensorflow":
            return trained_on_words(*arguments)
        name = "trained_on_words"
        return other_backend.call(backend, "losses_on_every_backend", name, *arguments)

    expected = found(0)
    for arguments in [(2,), (2, True)]:
        for one, other in zip(found(*arguments), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_weights_of_words_and_of_rows():
    words = TiedEmbedding(5, 4)
    loss = SampledWordLoss(words, 3)
    y, p = RNG.integers(0, 5, (4, 3)), RNG.dirichlet(np.ones(5), (4, 3))
    values = -np.log(np.take_along_axis(p, y[..., None], -1)[..., 0])
    assert float(loss(y, p)) == pytest.approx(values.sum() / 4, rel=1e-5)
    assert float(loss(y, p, WEIGHTS)) == pytest.approx((values * WEIGHTS).sum() / 4, rel=1e-5)
    rows = np.arange(4.0)
    assert float(loss(y, p, rows)) == pytest.approx((values.sum(1) * rows).sum() / 4, rel=1e-5)


def test_the_dtype_of_the_computation():
    y, p = RNG.integers(0, 5, (4, 3)), RNG.dirichlet(np.ones(5), (4, 3))
    loss = SequenceLoss(dtype="float64")
    assert keras.backend.standardize_dtype(loss(y, p).dtype) == "float64"
    again = SequenceLoss.from_config(loss.get_config())
    assert (again.dtype, SequenceLoss().dtype) == ("float64", "float32")
    assert "dtype" not in SequenceLoss().get_config()


@pytest.mark.parametrize("shape", [(4, 3), (5,), (4, 5, 2)])
def test_weights_of_another_shape_are_refused(shape):
    arrays = np.ones((4, 5), int), np.full((4, 5, 3), 1 / 3, "float32")
    with pytest.raises(ValueError, match=r"`sample_weight` must be of shape \(batch,\) .*\(4, 5\)"):
        SequenceLoss()(*arrays, np.ones(shape))
