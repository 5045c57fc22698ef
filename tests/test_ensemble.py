"""An ensemble gives the mean of its members' outputs, as one model in one file."""

import keras
import numpy as np
import pytest

from keras_adaptive.ensemble import average_outputs
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel, PointerNetwork

pytestmark = pytest.mark.usefixtures("eager")
X = np.array([[1, 2, 3, 1], [2, 2, 1, 3]], "int32")


def network(classes=3, seed=0):
    """All are of the same names, as if trained by one recipe."""
    keras.utils.set_random_seed(seed)
    inputs = keras.Input((None,), dtype="int32", name="inputs")
    x = keras.layers.Embedding(4, 4, "orthogonal", name="embedding")(inputs)
    x = keras.layers.GRU(5, return_sequences=True, name="gru")(x)
    answer = keras.layers.Dense(classes, activation="softmax", name="answer")(x)
    return keras.Model(inputs, answer, name="network")


@pytest.fixture(scope="module")
def members():
    return [network(seed=seed) for seed in range(3)]


@pytest.fixture(scope="module")
def expected(members):
    answers = [model.predict(X, verbose=0) for model in members]
    assert np.abs(answers[0] - answers[1]).max() > 0.01
    return np.mean(answers, axis=0)


def test_mean_of_the_outputs(members, expected):
    model = average_outputs(members)
    np.testing.assert_allclose(model.predict(X, verbose=0), expected, rtol=1e-5)
    assert [member.name for member in members] == ["network"] * 3


def test_the_members_stay_as_they_are(members, expected):
    model = average_outputs(members)
    # XLA on TensorFlow takes half a minute to compile these.
    jit = keras.config.backend() == "jax"
    model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=jit)
    model.fit(X, np.zeros_like(X), verbose=0)
    assert np.abs(model.predict(X, verbose=0) - expected).max() > 1e-5
    answers = [member.predict(X, verbose=0) for member in members]
    np.testing.assert_allclose(np.mean(answers, axis=0), expected, rtol=1e-5)


def test_saved_as_one_model(members, expected, tmp_path):
    average_outputs(members).save(tmp_path / "ensemble.keras")
    model = keras.models.load_model(tmp_path / "ensemble.keras")
    np.testing.assert_allclose(model.predict(X, verbose=0), expected, rtol=1e-5)


@pytest.mark.skipif(keras.config.backend() != "tensorflow", reason="exports with TensorFlow")
def test_exported_as_one_model(members, expected, tmp_path, traced):
    import tensorflow as tf

    average_outputs(members).export(tmp_path / "model", verbose=False)
    served = tf.saved_model.load(tmp_path / "model")
    np.testing.assert_allclose(served.serve(X), expected, rtol=1e-5)
    np.testing.assert_allclose(served.serve(X[:1, :2]), expected[:1, :2], rtol=1e-5)


def test_adaptive_models():
    def adaptive():
        inputs = keras.Input((None, 2))
        states, ponder = ACTRNN(
            keras.layers.SimpleRNNCell(3), return_sequences=True, return_ponder=True, name="act"
        )(inputs)
        answer = keras.layers.Dense(1, activation="sigmoid")(states)
        return AdaptiveModel(inputs, {"answer": answer, "steps": ponder["steps"]})

    members, x = [adaptive(), adaptive()], np.random.default_rng(0).normal(size=(4, 3, 2))
    answers = [member.predict(x, verbose=0) for member in members]
    found = average_outputs(members).predict(x, verbose=0)
    for name in ("answer", "steps"):
        mean = (answers[0][name] + answers[1][name]) / 2
        np.testing.assert_allclose(found[name], mean, rtol=1e-5)


def test_models_that_do_not_fit():
    with pytest.raises(ValueError, match=r"two Keras models or more. Received: models=\[\]"):
        average_outputs([])
    without_inputs = [PointerNetwork(4), keras.Sequential([keras.layers.Dense(2)])]
    for model in without_inputs:
        with pytest.raises(ValueError, match="`models` must be built models, Functional or Seq"):
            average_outputs([model, model])
    with pytest.raises(ValueError, match=r"same inputs and outputs.*None, 3\).*None, 2\)"):
        average_outputs([network(), network(classes=2)])
