"""What HAM is compared with: shapes, sizes, training, and the page that tells of trainings."""

import json
import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive import datasets
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.families.ham.baseline import HAMBaseline, network_in_words
from keras_adaptive.zoo.families.ham.family import HAM
from keras_adaptive.zoo.families.ham.network import Probe
from pages import ham as ham_page

TASKS = ("reverse", "search", "merge", "sort", "add")
NAMES = [f"ham_{task}_{kind}" for task in TASKS for kind in ("lstm", "attention")]
SMALL = {"units": 3, "length": 4, "batch_size": 4}


def weights(name):
    """How many numbers of a recipe's network are trained."""
    recipe = recipes.load(name)
    model = families.of(recipe).build()
    return sum(math.prod(variable.shape) for variable in model.trainable_variables)


@pytest.mark.parametrize("name", NAMES)
def test_same_curriculum_and_outputs_that_fit(name):
    recipe = recipes.load(name)
    # A baseline may take more batches than the network with memory.
    times = {"ham_add_attention": 8, "ham_reverse_attention": 4}.get(name, 1)
    ours = recipes.load(name.rpartition("_")[0]).scaled(times)
    # The last stages of these were added when their baselines had been trained, on more batches.
    later = 1 if ours.name in ("ham_sort", "ham_merge") else 0
    assert recipe.stages == ours.stages[: len(ours.stages) - later]
    assert recipe.batch_size == ours.batch_size
    assert recipe.hyperparameters["attention"] == name.endswith("attention")
    recipe = recipe.with_overrides(SMALL)
    model = families.of(recipe).build()
    batch = datasets.batch(recipe.dataset, 2, **{**recipe.parameters, "length": 8})
    shape = model.compute_output_shape(batch["inputs"].shape)
    assert tuple(shape) == batch["targets"].shape
    json.dumps(recipe.to_dict())


def test_more_weights_than_our_largest():
    largest = max(weights(name) for name in ("ham_reverse", "ham_search", "ham_sort"))
    assert min(weights(name) for name in ("ham_search_lstm", "ham_add_lstm")) > largest


def test_trains_on_bits_and_is_asked():
    recipe = recipes.load("ham_add_attention").with_overrides(SMALL)
    model = families.of(recipe).build()
    family = HAMBaseline(recipe)
    family.compile(model, jit_compile=False)
    model.run_eagerly = True
    batch = datasets.batch(recipe.dataset, 2, **{**recipe.parameters, "length": 6})
    data = family.training_batch(batch, None)
    found = model.train_on_batch(*data, return_dict=True)
    expected = keras.losses.binary_crossentropy(data[1], np.full(data[1].shape, 0.5))
    assert 0 < found["loss"] < 4 * float(np.mean(expected)) and 0 <= found["sequence_error"] <= 1

    def probe(inputs):
        return {"outputs": datasets.task("ham_add").answers(inputs)[..., None] * 1.0}

    found = family.predict(probe, "11+01")
    assert found["answer"] == "100" and found["confidence"] == 1
    assert family.format_answer(found).splitlines()[-1] == "answer: 100"
    assert "with attention, one layer of 3" in network_in_words(recipe)


def test_limits_are_refused():
    recipe = recipes.load("ham_add_lstm").with_overrides(SMALL)
    with pytest.raises(ValueError, match="leaves is for models with a memory of leaves"):
        HAMBaseline(recipe).apply_limits(families.of(recipe).build(), {"leaves": 8})


@pytest.mark.usefixtures("eager")
def test_an_entry_is_published_and_answers(tmp_path, trained, exported):
    small = {**SMALL, "longer": 8, "steps": 2, "chunk": 2}
    run = trained("ham_add_lstm", tmp_path / "run", overrides=small, jit_compile=False)
    exported(run.folder, tmp_path, examples=5)
    card = store.card("ham_add_lstm", tmp_path)
    assert "| input vectors | examples |" in card and "| 9 to 16 | 5 |" in card
    for words in ("| leaves |", "most probable turns", "The memory"):
        assert words not in card
    inputs = datasets.batch("ham_add", 3, length=10)["inputs"]
    expected = Probe(store.load("ham_add_lstm", folder=tmp_path))(inputs)["outputs"]
    model = tf.saved_model.load(tmp_path / "ham_add_lstm")
    np.testing.assert_allclose(model.serve(inputs)["outputs"], expected[..., 0], atol=1e-5)


def test_what_has_no_entry_is_measured(tmp_path, monkeypatch, capsys):
    from keras_adaptive.zoo.training.train import train

    small = {**SMALL, "min_length": 4, "hidden_units": 2, "samples": 2}
    run = train("ham_stack", tmp_path / "run", overrides=small, until_step=0)
    row = {"leaves": 4, "sequence_error": 0.25, "symbol_error": 0.125}
    monkeypatch.setattr(HAM, "sizes", lambda *_: [row] * 3)
    assert cli.main(["measure", str(run.folder), "--examples", "7", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == 0 and not found["finished"]
    assert found["bit_error"] == found["sizes"][0]["bit_error"] == 0.125

    folder = tmp_path / ham_page.UNPUBLISHED
    folder.mkdir(parents=True)
    (folder / "ham_sort.json").write_text(json.dumps(found))
    (tmp_path / "saved_models" / "ham_stack").mkdir(parents=True)
    (tmp_path / "saved_models" / "ham_stack" / "metrics.json").write_text(json.dumps(found))
    table = ham_page.tables(tmp_path, lambda path: json.loads(path.read_text()))["trained"]
    assert "| `ham_sort` | 64 | 25.00 % | 25.00 % | 25.00 % | 0.04 % | 0.24 % |" in table
    assert "| [`ham_stack`](../saved_models/ham_stack/README.md) | 32 | 25.00 % |" in table
    assert "| `ham_merge` | 64 | not trained | – | – |" in table
