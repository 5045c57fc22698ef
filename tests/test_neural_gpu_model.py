"""NeuralGPUModel: what the logs say of the parts of the loss."""

import keras
import numpy as np
import pytest

from keras_adaptive import relaxation
from keras_adaptive.layers import CGRU, NeuralGPU
from keras_adaptive.models import NeuralGPUModel

pytestmark = pytest.mark.usefixtures("eager")
X = np.array([[1, 2, 3, 1], [3, 1, -1, -1], [2, 2, 1, -1]], "int32")
Y = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0]], "int32")


def network(**kwargs):
    symbols = keras.Input((None,), dtype="int32")
    column = NeuralGPU(4, maps=3, width=2, nonlinearity="hard", seed=1, **kwargs)(symbols)
    model = NeuralGPUModel(symbols, keras.layers.Dense(2, activation="softmax")(column))
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
    return model


@pytest.fixture(scope="module")
def both():
    model = network(relaxation=2, relaxation_pull=0.5, saturation_cost=0.25, initial_scale=3.0)
    relaxed = model.layers[1]
    pull = 0.5 * float(relaxation.distance(relaxed.relaxed_variables))
    model(X)
    total = float(sum(model.losses))
    return model, pull, total - pull


def test_the_parts_add_up(both):
    model, pull, saturation = both
    assert pull > 0 and saturation > 0
    found = model.evaluate(X, Y, return_dict=True, verbose=0)
    assert found["relaxation_cost"] == pytest.approx(pull, rel=1e-5)
    assert found["relaxation_pull"] == 0.5
    assert found["saturation_cost"] == pytest.approx(saturation, rel=1e-4)
    parts = found["task_loss"] + found["relaxation_cost"] + found["saturation_cost"]
    assert found["loss"] == pytest.approx(parts, rel=1e-5)
    inside = X >= 0
    p = np.take_along_axis(np.asarray(model(X)), Y[..., None], axis=-1)[..., 0]
    # The layer's mask leaves padding out, and Keras divides by what is left.
    assert found["task_loss"] == pytest.approx(-np.log(p[inside]).mean(), rel=1e-4)


def test_fit_says_what_evaluate_says_and_follows_the_pull(both, traced):
    model, *_ = both
    before = model.evaluate(X, Y, return_dict=True, verbose=0)
    found = {name: value for name, [value] in model.fit(X, Y, verbose=0).history.items()}
    assert found == pytest.approx(before, rel=1e-4)
    relaxation.raise_pull(model, 2.0)
    after = model.evaluate(X, Y, return_dict=True, verbose=0)
    assert after["relaxation_pull"] == 1.0
    relaxation.average(model)
    assert model.evaluate(X, Y, return_dict=True, verbose=0)["relaxation_cost"] == 0.0


def test_only_what_there_is():
    model = network()
    assert sorted(model.fit(X, Y, verbose=0).history) == ["loss", "task_loss"]


def test_a_cgru_in_any_model():
    images = keras.Input((None, 2, 3))
    new = CGRU(3, nonlinearity="hard", saturation_cost=0.5, initial_scale=5.0, seed=0)(images)
    model = NeuralGPUModel(images, new)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x = np.random.default_rng(0).normal(size=(2, 4, 2, 3)).astype("float32")
    model(x)
    cost = float(sum(model.losses))
    found = model.evaluate(x, x, return_dict=True, verbose=0)
    assert found["saturation_cost"] == pytest.approx(cost, rel=1e-5) and cost > 0
    copy = keras.Model.from_config(model.get_config())
    assert copy.get_config()["layers"] == model.get_config()["layers"]


def test_saving_and_loading(tmp_path):
    model = network(relaxation=2)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert isinstance(loaded, NeuralGPUModel)
    np.testing.assert_allclose(loaded(X), model(X), rtol=1e-6)
