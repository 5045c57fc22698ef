"""An answer in NumPy is that of the Keras model, and comes without Keras."""

import io
import json
import os
import subprocess
import sys
import zipfile

import h5py
import keras
import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.layers import ACTRNN
from keras_adaptive.numpy_act import NumpyACT
from keras_adaptive.zoo import families
from keras_adaptive.zoo.entries import store

pytestmark = pytest.mark.usefixtures("eager")
# Those with another cell, several answers, one vector, and padding of another value.
NAMES = ("act_addition", "act_logic", "act_parity", "act_sort")


@pytest.mark.parametrize("name", NAMES)
def test_numpy_answers_as_keras_does(name):
    recipe = store.recipe(name)
    probe, _ = families.without_keras(recipe, store.entry(name))
    batch = datasets.batch(recipe.dataset, 20, seed=3, split="test", **recipe.parameters)
    expected = families.of(recipe).probe(store.load(name))(batch["inputs"])
    steps = expected["ponder_steps"]
    assert len(np.unique(steps)) > 1
    for row, inputs in enumerate(batch["inputs"]):
        for key, values in probe(inputs[None]).items():
            np.testing.assert_allclose(values[0], expected[key][row], atol=1e-4, err_msg=key)


def test_numpy_stops_at_the_largest_number_of_steps():
    probe = NumpyACT(store.entry("act_logic") / "model.keras")
    model = store.load("act_logic", max_ponder=3)
    probe.max_ponder = 3
    batch = datasets.batch("act_logic", 1, seed=3, **store.recipe("act_logic").parameters)
    expected = families.of(store.recipe("act_logic")).probe(model)(batch["inputs"])
    assert expected["ponder_steps"].max() == 3
    for key, values in probe(batch["inputs"]).items():
        np.testing.assert_allclose(values, expected[key], atol=1e-4, err_msg=key)


def test_other_networks_have_none():
    """Every entry says by its recipe whether it answers in NumPy."""
    light = [
        name
        for name in store.names()
        if families.without_keras(store.recipe(name), store.entry(name))
    ]
    assert light == list(NAMES)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    with zipfile.ZipFile(store.entry("act_parity") / "model.keras") as archive:
        files = {file: archive.read(file) for file in archive.namelist()}
    weights = io.BytesIO(files["model.weights.h5"])
    with h5py.File(weights, "r+") as file:
        file["layers/dense/vars/1"][0] = np.nan
    files["model.weights.h5"] = weights.getvalue()
    with zipfile.ZipFile(tmp_path / "model.keras", "w") as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    with pytest.raises(ValueError, match=r"layers/dense/vars/1 of .* are not finite"):
        NumpyACT(tmp_path / "model.keras")


@pytest.mark.parametrize("text", ["12+345+6", "7+8"])
def test_predict_answers_without_keras(text, tmp_path):
    code = f"""
import sys
from keras_adaptive.zoo.cli import main
status = main(["predict", "act_addition", {text!r}, "--json"])
assert not {{"keras", "tensorflow", "jax", "torch"}} & set(sys.modules)
sys.exit(status)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert json.loads(done.stdout) == store.predict("act_addition", text)


@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 4), (1, 3, 5)])
def test_inputs_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match=r"`inputs` must be numbers of shape \(1, time, 64\)"):
        NumpyACT(store.entry("act_parity") / "model.keras")(np.ones(shape))


def saved(path, cell=None, activation="sigmoid", others=(), **settings):
    """The path of a file with a small network."""
    act = ACTRNN(
        cell or keras.layers.SimpleRNNCell(4),
        **{"return_sequences": True, "max_ponder": 3, **settings},
    )
    dense = keras.layers.Dense(1, activation=activation)
    keras.Sequential([keras.Input((None, 2)), keras.layers.Masking(), act, *others, dense]).save(
        path / "model.keras"
    )
    return path / "model.keras"


def test_networks_of_ones_own(tmp_path):
    path = saved(tmp_path)
    inputs = np.random.default_rng(0).normal(size=(1, 5, 2)).astype("float32")
    inputs[0, 3] = 0
    np.testing.assert_allclose(
        NumpyACT(path)(inputs)["outputs"], keras.models.load_model(path)(inputs), atol=1e-6
    )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"cell": keras.layers.GRUCell(4)}, "whose cell is one of"),
        ({"cell": keras.layers.SimpleRNNCell(4, activation="relu")}, "`activation` of SimpleRNN"),
        ({"cell": keras.layers.LSTMCell(4, use_bias=False)}, "`use_bias` of LSTMCell"),
        ({"halting": "fixed", "steps": 2}, "`halting` of ACTRNN"),
        ({"go_backwards": True}, "`go_backwards` of ACTRNN"),
        ({"activation": "linear"}, "`activation` of Dense"),
        ({"others": [keras.layers.Dense(3)]}, "with the layers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_computed_in_another_way_is_refused(tmp_path, change, named):
    with pytest.raises(ValueError, match=rf"`path` must be of a model .*{named}"):
        NumpyACT(saved(tmp_path, **change))


def test_other_files_are_refused(tmp_path):
    (tmp_path / "model.keras").write_text("a text")
    with pytest.raises(ValueError, match=r"`path` must be of a `\.keras` file"):
        NumpyACT(tmp_path / "model.keras")
