"""Entries: loading, questions, limits, damage, and the SavedModel without this package."""

import json
import re
import shutil
from pathlib import Path

import keras
import numpy as np
import pytest

import clean_process
from keras_adaptive import checkpoints, datasets, zoo
from keras_adaptive.evaluation import PonderProbe as Probe
from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.families.act.family import ACT

# What is saved is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
FILES = {
    "README.md",
    "history.csv",
    "limit.png",
    "manifest.json",
    "metrics.json",
    "model.keras",
    "ponder.png",
    "recipe.json",
    "saved_model.pb",
    "sequences.png",
    "variables",
}


@pytest.fixture
def damaged(entries, tmp_path):
    """A copy of the entries that a test may damage."""
    shutil.copytree(entries, tmp_path / "entries")
    return tmp_path / "entries"


@pytest.fixture(scope="module")
def batch(run):
    parameters = {**run.recipe.parameters, "digits": 5}
    return datasets.batch("act_addition", 8, seed=3, split="test", **parameters)


def test_entry_is_complete(entries):
    found = {path.name for path in (entries / "act_addition").iterdir()}
    assert FILES <= found <= FILES | {"fingerprint.pb", "assets"}
    assert store.names(entries) == ["act_addition"]
    size = sum(path.stat().st_size for path in entries.rglob("*") if path.is_file())
    assert size < 1e6


def test_loaded_model_answers_as_the_trained_one(run, entries, batch):
    model = store.load("act_addition", folder=entries)
    np.testing.assert_allclose(
        model.predict(batch["inputs"], verbose=0),
        run.model.predict(batch["inputs"], verbose=0),
        atol=1e-6,
    )


def test_loaded_model_trains_and_evaluates(entries, batch):
    model = store.load("act_addition", folder=entries)
    data = batch["inputs"], batch["targets"], batch["weights"]
    model.fit(*data[:2], sample_weight=data[2], verbose=0)
    found = model.evaluate(*data[:2], sample_weight=data[2], verbose=0, return_dict=True)
    assert 0 <= found["sequence_error"] <= 1


def test_entry_has_no_optimizer_state(entries):
    model = keras.saving.load_model(entries / "act_addition" / "model.keras", safe_mode=True)
    assert getattr(model, "optimizer", None) is None


def test_limits(entries, batch):
    model = store.load("act_addition", max_ponder=1, folder=entries)
    assert Probe(model)(batch["inputs"])["ponder_steps"].max() == 1
    with pytest.raises(ValueError, match="max_ponder"):
        store.load("act_addition", max_ponder=0, folder=entries)
    with pytest.raises(ValueError, match="epsilon"):
        store.load("act_addition", epsilon=1.0, folder=entries)
    with pytest.raises(TypeError, match=r"takes the limits .*max_ponder.* Received: max_steps=2"):
        store.predict("act_addition", "1+2", folder=entries, max_steps=2)


def test_saved_model_answers_without_the_package(entries, batch):
    inputs = batch["inputs"]
    expected = Probe(store.load("act_addition", folder=entries))(inputs)
    *served, default, limited = clean_process.ask(
        entries / "act_addition",
        ("serve", inputs),
        ("serve", inputs[:1, :2]),
        ("serving_default", {"inputs": inputs}),
        ("serve_with_limits", inputs, 1, 0.01),
    )
    for found, given in zip(served, (inputs, inputs[:1, :2]), strict=True):
        assert set(found) == {"outputs", "ponder", "ponder_steps"}
        assert found["ponder_steps"].shape == given.shape[:2]
    np.testing.assert_allclose(default["outputs"], expected["outputs"], atol=1e-5)
    np.testing.assert_array_equal(default["ponder_steps"], expected["ponder_steps"])
    assert limited["ponder_steps"].max() == 1


def test_predict_in_human_form(entries):
    found = store.predict("act_addition", "12+34+56", folder=entries)
    assert found["inputs"] == ["12", "34", "56"]
    assert found["answer"] == found["answers"][-1]
    assert len(found["ponder_steps"]) == len(found["confidence"]) == 3
    # Nothing is asked of the first number.
    assert found["answers"][0] == "" and found["confidence"][0] is None
    assert all(0 <= value <= 1 for value in found["confidence"][1:])
    json.dumps(found)
    with pytest.raises(ValueError, match="nothing is asked of '12'"):
        store.predict("act_addition", "12", folder=entries)


def test_answers_that_follow_the_inputs_are_the_answer():
    task = datasets.task("act_sort")
    inputs = task.encode("0.3 -1.2")
    outputs = np.eye(15, dtype="float32")[[5, 5, 1, 0]]
    ponder = np.ones((1, 4))
    probe = lambda _: {"outputs": outputs[None], "ponder": ponder, "ponder_steps": ponder}  # noqa: E731
    family = ACT(recipes.load("act_sort"))
    found = family.predict_inputs(probe, inputs)
    assert found["answer"] == "1 0" and found["answers"] == ["", "", "1", "0"]
    assert found["confidence"] == [None, None, 1.0, 1.0]
    table = family.format_answer(found).splitlines()
    assert [line.split() for line in table[1:3]] == [["0.3", "1"], ["-1.2", "1"]]


def test_weights_that_are_no_numbers_are_refused(damaged):
    path = damaged / "act_addition"
    model = store.load("act_addition", folder=damaged)
    model.get_layer("answer").bias.assign(np.full(model.get_layer("answer").bias.shape, np.nan))
    model.save(path / "model.keras")
    checkpoints.write_manifest(path)
    with pytest.raises(ValueError, match=r"the weights answer/bias of .* are not finite"):
        store.predict("act_addition", "1+2", folder=damaged)


@pytest.mark.parametrize("content", ["[]", "{}", '{"name": 3}'])
def test_damaged_recipe(content, damaged):
    path = damaged / "act_addition"
    (path / "recipe.json").write_text(content)
    checkpoints.write_manifest(path)
    with pytest.raises(ValueError, match=r"recipe\.json is damaged"):
        store.recipe("act_addition", damaged)


def test_predict_refuses_what_it_cannot_read(entries):
    for text in ("twelve", 12, None, "\ud800"):
        with pytest.raises(ValueError, match=re.escape(repr(text))):
            store.predict("act_addition", text, folder=entries)
    for limit, value in (("leaves", 4.0), ("leaves", 2**25), ("beam", 0), ("max_ponder", "2")):
        with pytest.raises(ValueError, match=limit):
            store.load("act_addition", folder=entries, **{limit: value})


def test_card_and_metrics(run, entries):
    card = store.card("act_addition", entries)
    for words in ("# act_addition", "not measured", "Differences from the paper", "ponder.png"):
        assert words in card
    metrics = store.results("act_addition", entries)
    low, high = metrics["confidence_interval"]
    assert low <= metrics["sequence_error"] <= high
    assert metrics["examples"] == 60
    assert metrics["runs"][0]["settings"]["overrides"] == run.settings["overrides"]
    assert {"keras", "numpy", "keras_adaptive", "python"} <= set(metrics["versions"])
    assert store.recipe("act_addition", entries) == run.recipe.replace(build=None)


def test_unknown_model_shows_the_nearest(entries):
    with pytest.raises(ValueError, match=r"act_additon.*Nearest: act_addition"):
        store.load("act_additon", folder=entries)


@pytest.mark.parametrize("name", ["model.keras", "saved_model.pb", "recipe.json"])
def test_altered_file_is_refused_by_name(name, damaged):
    path = damaged / "act_addition" / name
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(ValueError, match=rf"{name}.*damaged or altered"):
        store.load("act_addition", folder=damaged)


def test_missing_file_is_refused_by_name(damaged):
    (damaged / "act_addition" / "model.keras").unlink()
    with pytest.raises(ValueError, match=r"the file .*model\.keras is missing"):
        store.load("act_addition", folder=damaged)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "no JSON", '{"format": 1, "files": []}', '{"format": 1, "files": {}}']
)
def test_damaged_manifest(text, damaged):
    (damaged / "act_addition" / checkpoints.MANIFEST).write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.json is missing or damaged"):
        store.load("act_addition", folder=damaged)


def test_a_manifest_must_list_the_model(damaged):
    path = damaged / "act_addition" / checkpoints.MANIFEST
    data = json.loads(path.read_text())
    del data["files"]["model.keras"]
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"does not list model\.keras"):
        store.load("act_addition", folder=damaged)


def test_unknown_format(damaged):
    path = damaged / "act_addition" / checkpoints.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(ValueError, match="format 99"):
        store.load("act_addition", folder=damaged)


def test_public_names():
    assert zoo.names is store.names and zoo.card is store.card
    assert Path(store.root(), "__init__.py").is_file()
