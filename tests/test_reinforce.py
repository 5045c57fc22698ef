"""ReinforceModel: the loss by hand, an unbiased gradient, smaller variance, logs, bad input."""

import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.ham import DHAM, HAM, record
from keras_adaptive.metrics import SequenceError
from keras_adaptive.reinforce import ReinforceModel
from known_ham import FEATURES, OUTPUTS, batch_of, examples, ham_layer, random_path


def model_of(seed=0, ham=None, dtype="float32", scale=1.0, **arguments):
    """A compiled model of known weights, the baseline's among them."""
    layer, _ = ham_layer(HAM, seed, dtype=dtype, scale=scale, **(ham or {}))
    model = ReinforceModel(layer, **arguments)
    model.build((None, None, FEATURES))
    if model.baseline == "learned":
        rng = np.random.default_rng(seed + 1)
        kernel, bias = model.baseline_layer.get_weights()
        model.baseline_layer.set_weights([rng.normal(size=kernel.shape), bias - 1.0])
    model.compile(keras.optimizers.SGD(0.0), run_eagerly=True)
    return model


def bits(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 2, size=shape)


def by_hand(model, outputs, entry, y, weights, samples):
    """The loss in plain loops, as the class says it."""
    eta, gamma, alpha = model.ham.accesses_per_output, model.discount, model.entropy_bonus
    p = np.clip(np.array(entry.right_probability, float), 1e-30, 1 - 1e-16)
    turns = np.array(entry.path)
    rows, accesses, _ = p.shape
    log_p_turn = np.log(np.where(turns == 1, p, 1.0 - p))
    h = -p * np.log(p) - (1.0 - p) * np.log(1.0 - p)
    guess = np.zeros((rows, accesses))
    if model.baseline == "learned":
        kernel, bias = model.baseline_layer.get_weights()
        guess = (np.array(entry.query) @ kernel + bias)[..., 0]
    returns, counted = np.zeros((rows, accesses)), np.zeros((rows, accesses), bool)
    task = np.zeros(rows)
    for row in range(rows):
        w, target, q = weights[row // samples], y[row // samples], np.array(outputs)[row]
        for j in np.flatnonzero(w):
            log_p = np.sum(np.log(np.where(target[j] == 1, q[j], 1.0 - q[j])))
            right = (q[j] > 0.5) == target[j]
            task[row] -= w[j] * log_p
            kinds = {"log_probability": log_p, "bits": np.mean(right), "vector": np.all(right)}
            reward = sum(kinds[kind] * weight for kind, weight in model.reward_weights.items())
            for t in range(eta * (j + 1)):
                returns[row, t] += gamma ** (eta * (j + 1) - 1 - t) * w[j] * reward
                counted[row, t] = True
    if model.baseline == "leave_one_out":
        for row in range(rows):
            first = row - row % samples
            others = [i for i in range(first, first + samples) if i != row]
            guess[row] = np.mean(returns[others], axis=0)
            # Of equal rewards every baseline would be right.
            assert np.max(np.ptp(returns[first : first + samples], axis=0)) > 1e-2
    error = counted * (guess - returns) ** 2
    policy = -np.sum(counted * (returns - guess) * np.sum(log_p_turn, axis=-1), axis=1)
    bonus = np.sum(counted * np.sum(1.0 / (h + 1e-3), axis=-1), axis=1)
    penalty = model.entropy_penalty * np.sum(counted * np.sum(h, axis=-1), axis=1)
    total = np.sum(task + model.policy_weight * policy + alpha * bonus + penalty)
    if model.baseline == "learned":
        total += np.sum(error)
    count = samples * np.sum(np.array(weights) > 0) if model.per_target else rows
    found = {
        "task_loss": np.mean(task),
        "entropy": np.sum(counted * np.mean(h, axis=-1)) / np.sum(counted),
        "log_probability": np.mean(np.sum(counted * np.sum(log_p_turn, axis=-1), axis=1)),
        "baseline_error": np.sum(error) / np.sum(counted),
    }
    return total / count, found


SETTINGS = {
    "the default": {},
    "bits, discounted, with bonus": {
        "reward": "bits",
        "discount": 0.7,
        "entropy_bonus": 0.01,
        "ham": {"accesses_per_output": 2},
    },
    "leave one out, per target": {
        "reward": {"log_probability": 1.0, "bits": 0.5},
        "baseline": "leave_one_out",
        "samples": 3,
        "discount": 0.3,
        "policy_weight": 4.0,
        "entropy_penalty": 0.3,
        "per_target": True,
    },
    "raw, no baseline, return of one access": {
        "ham": {"controller": None},
        "baseline": None,
        "discount": 0.0,
    },
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_the_loss_is_what_the_class_says(settings):
    model = model_of(scale=0.5, **settings)
    x = batch_of(examples([4, 2])).astype("float32")
    y, weights = bits(2, 4, OUTPUTS), np.array([[0.0, 1.0, 2.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    with record() as entries:
        y_pred = model(x, training=True)
    outputs = model._last_call.value[0]
    np.testing.assert_array_equal(outputs[:: model.samples], y_pred)
    loss = model.compute_loss(x, ops.array(y), y_pred, ops.array(weights), training=True)
    wanted, metrics = by_hand(model, outputs, entries[0], y, weights, model.samples)
    np.testing.assert_allclose(loss, wanted, rtol=1e-4)
    for name, tracker in model._trackers.items():
        if name in metrics:
            found, wanted = tracker.result(), metrics[name]
            np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-6, err_msg=name)


def bound(model, x, y, paths):
    """Σ_A p(A) log p(y|A) and its gradient, by going through all A; and p(A)."""
    weights = [v.value for v in model.ham.trainable_variables]
    with tf.GradientTape() as tape:
        outputs, found = model.ham(np.repeat(x, len(paths), axis=0), path=paths, return_path=True)
        p = tf.exp(tf.reduce_sum(found["log_probability"], axis=1))
        log_p = tf.math.log(tf.where(y == 1, outputs, 1.0 - outputs))
        value = tf.reduce_sum(p * tf.reduce_sum(log_p, axis=(1, 2)))
    np.testing.assert_allclose(tf.reduce_sum(p), 1.0, rtol=1e-10)
    return tape.gradient(value, weights), p.numpy()


def estimates(model, x, y, paths, ways):
    """Slopes of the estimator's loss along each way, for every run of `paths`, and its mean.

    The runs' losses are multiplied by numbers u; the gradient's derivative in u is that of each.
    """
    samples = model.samples
    variables = [v.value for v in model.ham.trainable_variables]
    u = tf.ones(len(paths), "float64")
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(u)
        with tf.GradientTape() as inner, record() as entries:
            outputs = model.ham(np.repeat(x, len(paths), axis=0), path=paths)
            targets = tf.cast(tf.repeat(y[None], len(paths), axis=0), outputs.dtype)
            weights = tf.ones(targets.shape[:2], outputs.dtype)
            rows, _ = model.row_losses(outputs, entries[0], targets, weights, samples)
            total = tf.reduce_sum(u * (rows["task"] + rows["policy"]))
        gradients = inner.gradient(total, variables)
        along = [sum(tf.reduce_sum(g * way) for g, way in zip(gradients, each)) for each in ways]
    return np.array([outer.gradient(slope, u) for slope in along])


@pytest.mark.parametrize("leaves", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_the_gradient_is_unbiased_and_baselines_lower_its_variance(leaves):
    """Mean and variance over all paths (and pairs of paths), not over drawn ones: exact."""
    ham = {"num_leaves": leaves, "max_outputs": (0, 2) if leaves == 4 else (0, 1)}
    ham["accesses_per_output"] = 1 if leaves == 4 else 2
    x, y = batch_of(examples([3])), bits(1, ham["max_outputs"][1], OUTPUTS)[0]
    arguments = {"dtype": "float64", "scale": 0.6, "seed": 3, "ham": ham}
    models = {
        "none": model_of(baseline=None, **arguments),
        "learned": model_of(baseline="learned", **arguments),
        "leave_one_out": model_of(baseline="leave_one_out", samples=2, **arguments),
    }
    levels = leaves.bit_length() - 1
    turns = list(itertools.product([0, 1], repeat=2 * levels))
    paths = np.array(turns).reshape(-1, 2, levels)
    gradient, p = bound(models["none"], x, y, paths)
    rng = np.random.default_rng(0)
    ways = [[rng.normal(size=g.shape) for g in gradient] for _ in range(4)]
    exact = np.array([-sum(np.sum(g * w) for g, w in zip(gradient, way)) for way in ways])
    models["learned"].baseline_layer.set_weights(fitted(models["learned"], x, y, paths, p))
    variances = {}
    for name, model in models.items():
        if name == "leave_one_out":  # of two runs, so of all pairs of paths
            pairs = np.array(list(itertools.product(range(len(paths)), repeat=2)))
            slopes = estimates(model, x, y, paths[pairs.reshape(-1)], ways)
            slopes = slopes.reshape(len(ways), -1, 2).mean(axis=-1)
            share = p[pairs[:, 0]] * p[pairs[:, 1]]
        else:
            slopes, share = estimates(model, x, y, paths, ways), p
        mean = slopes @ share
        np.testing.assert_allclose(mean, exact, rtol=1e-6, atol=1e-9)
        variances[name] = (slopes - mean[:, None]) ** 2 @ share
    assert np.all(variances["learned"] < variances["none"])
    # The mean of two runs without a baseline has half the variance of one.
    assert np.all(variances["leave_one_out"] < variances["none"] / 2)


def fitted(model, x, y, paths, p):
    """The weights of a baseline that has learned all it can: least squares over all paths."""
    with record() as entries:
        outputs = model.ham(np.repeat(x, len(paths), axis=0), path=paths).numpy()
    rewards = np.sum(np.log(np.where(y == 1, outputs, 1.0 - outputs)), axis=-1)
    eta = model.ham.accesses_per_output
    earned = np.repeat(rewards, eta, axis=1) * (np.arange(eta * len(y)) % eta == eta - 1)
    returns = np.flip(np.cumsum(np.flip(earned, axis=1), axis=1), axis=1).reshape(-1)
    query = entries[0].query.numpy()
    features = np.concatenate([query, np.ones_like(query[..., :1])], axis=-1)
    root = np.sqrt(np.repeat(p, query.shape[1]))
    features = features.reshape(-1, features.shape[-1])
    best, *_ = np.linalg.lstsq(features * root[:, None], returns * root, rcond=None)
    return [best[:-1, None], best[-1:]]


def test_what_trains_what():
    """The baseline learns from its own error alone, and passes no gradient on."""
    model = model_of(baseline="learned", policy_weight=0.0)
    x, y = batch_of(examples([4, 2])).astype("float32"), bits(2, 4, OUTPUTS)
    with tf.GradientTape(persistent=True) as tape:
        y_pred = model(x, training=True)
        outputs, _, entries, _ = model._last_call.value
        weights = tf.ones((2, 4))
        rows, _ = model.row_losses(outputs, entries[0], tf.cast(y, "float32"), weights)
    own = [v.value for v in model.baseline_layer.trainable_variables]
    others = [v.value for v in model.ham.trainable_variables]
    search = [v.value for v in model.ham.memory.search.trainable_variables]
    assert all(g is None for g in tape.gradient(rows["baseline"], others))
    assert all(np.any(g) for g in tape.gradient(rows["baseline"], own))
    assert all(g is None for name in ("task", "policy") for g in tape.gradient(rows[name], own))
    assert all(g is None for g in tape.gradient(rows["task"], search))
    for name in ("policy", "openness"):
        assert any(np.any(g) for g in tape.gradient(rows[name], search))
    assert y_pred.shape == (2, 4, OUTPUTS)


@pytest.mark.parametrize(
    "baseline", ["learned", pytest.param("leave_one_out", marks=pytest.mark.slow)]
)
def test_fit_evaluate_predict_and_save(baseline, tmp_path, eager):
    inputs = keras.Input((None, FEATURES))
    network = keras.Model(inputs, HAM(OUTPUTS, keras.layers.LSTMCell(4), seed=1)(inputs))
    model = ReinforceModel(
        network, baseline=baseline, samples=2, entropy_bonus=0.5, entropy_decay=0.5
    )
    optimizer = keras.optimizers.Adam(0.01, global_clipnorm=5.0)
    model.compile(optimizer, weighted_metrics=[SequenceError()], run_eagerly=True)
    x, y = batch_of(examples([4, 2, 3, 1])).astype("float32"), bits(4, 4, OUTPUTS)
    weights = np.any(x != -1.0, axis=-1).astype("float32")
    history = model.fit(x, y, sample_weight=weights, batch_size=2, epochs=1, verbose=0).history
    names = {"loss", "task_loss", "reward", "entropy", "log_probability", "baseline_error"}
    assert set(history) == {*names, "sequence_error"}
    assert model.entropy_bonus == 0.125
    model.entropy_bonus, model.entropy_decay = 0.25, 1.0
    found = model.evaluate(x, y, verbose=0, return_dict=True)  # the mask says what counts
    assert found == pytest.approx(
        model.evaluate(x, y, sample_weight=weights, verbose=0, return_dict=True)
    )
    assert found["loss"] == pytest.approx(found["task_loss"])
    outputs = model.predict(x, verbose=0)
    log_p = np.sum(np.log(np.where(y == 1, outputs, 1.0 - outputs)), axis=-1, where=y == y)
    assert found["task_loss"] == pytest.approx(-np.sum(log_p[weights > 0]) / 4, rel=1e-4)
    assert found["reward"] == pytest.approx(np.sum(log_p[weights > 0]) / 10, rel=1e-4)
    wrong = np.any(((outputs > 0.5) != y) & (weights > 0)[..., None], axis=(1, 2))
    assert found["sequence_error"] == pytest.approx(np.mean(wrong))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again.predict(x, verbose=0), outputs, atol=1e-6)
    assert again.entropy_bonus == 0.25
    configs = again.get_config(), model.get_config()
    assert all(type(config.pop("network")) is dict for config in configs)
    assert configs[0] == configs[1]


def network(**kwargs):
    return HAM(OUTPUTS, keras.layers.LSTMCell(4), **kwargs)


BAD = {
    "`network` must be": lambda: ReinforceModel(DHAM(2)),
    "with 2": lambda: ReinforceModel(keras.Sequential([HAM(2), HAM(2)])),
    "`samples` must be at least 2": lambda: ReinforceModel(network(), baseline="leave_one_out"),
    "Targets must be bits, 0 or 1. Received: 0.5": lambda: fit(np.full((1, 3, OUTPUTS), 0.5)),
    "Targets must be bits of the shape": lambda: fit(np.zeros((1, 2, OUTPUTS))),
    "Targets must be bits of": lambda: fit(np.zeros((1, 3))),
    "Argument `y` must be one tensor of targets": lambda: fit(None),
    "Targets must be bits, 0 or 1. Received: 7": lambda: model_of().train_on_batch(
        batch_of(examples([3])), np.full((1, 3, OUTPUTS), 7)
    ),
    "`loss` must be None": lambda: fit(np.zeros((1, 3, OUTPUTS)), loss="mse"),
}


def fit(y, loss=None):
    model = model_of()
    model.compile("sgd", loss, run_eagerly=True)
    model.fit(batch_of(examples([3])), y, verbose=0)


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_given_turns_are_taken_and_repeated():
    """A network may have more inputs, such as the turns themselves."""
    x, path = keras.Input((4, FEATURES)), keras.Input((4, 2), dtype="int32")
    model = ReinforceModel(keras.Model([x, path], network()(x, path=path)), samples=2)
    inputs = batch_of(examples([4, 4])).astype("float32")
    turns = random_path(model.ham, inputs)
    with record() as entries:
        model([inputs, turns], training=True)
    np.testing.assert_array_equal(entries[0].path, np.repeat(turns, 2, axis=0))
    # So a graph can be compared with eager calls.
    y, before, logs = bits(2, 4, OUTPUTS), model.get_weights(), []
    for run_eagerly in (True, False):
        model.set_weights(before)
        model.compile(keras.optimizers.SGD(0.1), run_eagerly=run_eagerly, jit_compile=False)
        logs.append(model.fit([inputs, turns], y, verbose=0).history)
        logs[-1]["weights"] = model.get_weights()
    assert logs[0].keys() == logs[1].keys()
    for name, values in logs[0].items():
        for one, other in zip(values, logs[1][name]):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("is_layer", [False, True])
def test_an_exported_model_takes_any_length(is_layer, tmp_path):
    network = HAM(2, keras.layers.LSTMCell(4))
    if not is_layer:
        inputs = keras.Input((None, 3))
        network = keras.Model(inputs, network(inputs))
    model = ReinforceModel(network)
    x = np.random.default_rng(0).integers(0, 2, (5, 4, 3)).astype("float32")
    if is_layer:
        model(x)
    model.export(tmp_path / "model", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "model")
    for some in (x, x[:2, :3], x[:1, :1]):
        np.testing.assert_allclose(loaded.serve(some), model(some), atol=1e-6)
