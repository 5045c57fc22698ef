"""The family of PonderNets, from a small training to an entry's answers."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_adaptive import zoo
from keras_adaptive.models import AdaptiveModel, PonderNetModel
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.training import run as runs
from pages import zoo as zoo_page

# What is trained and saved is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
SMALL = {
    "units": 8,
    "bits": 8,
    "length": 4,
    "max_ponder": 4,
    "prior": 0.3,
    "batch_size": 16,
    "stages.0.steps": 4,
    "stages.0.chunk": 2,
    "stages.1.steps": 2,
    "stages.1.chunk": 2,
    "stages.1.bins": [2, 4],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A training of a few steps, in a graph."""
    folder = tmp_path_factory.mktemp("pondernet") / "run"
    return trained("pondernet_parity", folder, overrides=SMALL, seed=3, graph=True)


@pytest.fixture(scope="module")
def others(tmp_path_factory, trained):
    """The same with other kinds of halting."""
    folder = tmp_path_factory.mktemp("others")
    return {
        variant: trained("pondernet_parity", folder / variant, overrides=SMALL, variant=variant)
        for variant in ("act", "plain")
    }


def test_every_weight_moves(run):
    assert isinstance(run.model, PonderNetModel)
    first = runs.start(run.recipe, run.folder, run.settings).model
    pairs = zip(first.trainable_weights, run.model.trainable_weights, strict=True)
    assert all(np.any(a.numpy() != b.numpy()) for a, b in pairs)


def test_each_unit_sees_one_input_at_first():
    recipe = recipes.load("pondernet_parity")
    kernel = families.of(recipe).build().get_layer("pondernet").cell.kernel.numpy()
    np.testing.assert_array_equal((kernel != 0).sum(axis=0), np.ones(192))
    np.testing.assert_array_equal((kernel != 0).sum(axis=1), np.full(96, 2))


def test_history_tells_of_what_is_beyond_training(run):
    last = run.history[-1]
    assert last["divergence"] >= 0
    assert 0 <= last["longer_error"] <= 1
    assert 1 <= last["longer_ponder_steps"] <= 4
    family = families.of(run.recipe)
    assert family.beyond() == {"min_length": 5, "length": 8}


@pytest.mark.parametrize("variant", ["act", "plain"])
def test_other_kinds_of_halting(variant, run, others):
    """The family of the PonderNet measures them too, as `verify` does."""
    other = others[variant]
    assert type(other.model) is AdaptiveModel
    family = families.of(run.recipe)
    found = family.summary(family.measure(family.probe(other.model), 5, parameters=family.beyond()))
    most = 1 if other.recipe.variant == "plain" else 4
    assert 1 <= found["ponder_steps"] <= most
    assert "divergence" not in other.history[-1]


def test_limit_ends_the_thought(run):
    family = families.of(run.recipe)
    family.apply_limits(run.model, {"max_ponder": 1})
    try:
        assert family.predict(family.probe(run.model), "+-0+")["ponder_steps"] == [1]
    finally:
        family.apply_limits(run.model, {"max_ponder": 4})


def test_evaluate_beyond_training(run, capsys):
    options = ["--run", str(run.folder), "--examples", "6", "--json"]
    assert cli.main(["evaluate", *options, "--length", "5:8"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["difficulty"] for row in found["by_difficulty"]} <= {5, 6, 7, 8}
    assert 0 <= found["sequence_error"] <= 1 <= found["ponder_steps"]
    assert cli.main(["evaluate", *options, "--bits", "5"]) == 2
    assert "--bits is for models" in capsys.readouterr().err


def test_evaluate_within_a_time(run, others, capsys):
    for each in (run, *others.values()):
        options = ["--run", str(each.folder), "--examples", "12", "--within", "0.5", "--json"]
        assert cli.main(["evaluate", *options]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["within"] == 0.5 and found["calls"] >= 12 and 0 <= found["late"] <= 1


def test_halting_of_another_family():
    with pytest.raises(ValueError, match="halting=pondernet is of recipes of PonderNets"):
        recipes.load("act_parity").with_overrides({"halting": "pondernet"})


def test_entry_answers_without_this_package(run, others, tmp_path, exported):
    exported(run.folder, tmp_path, [other.folder for other in others.values()], examples=6)
    folder = tmp_path / "pondernet_parity"
    loaded = zoo.load("pondernet_parity", folder=tmp_path)
    assert (loaded.prior, loaded.beta) == (0.3, 0.5)
    served = tf.saved_model.load(str(folder))
    vectors = np.random.default_rng(0).integers(-1, 2, (5, 1, 8)).astype("float32")
    found = served.serve(vectors)
    expected = families.of(run.recipe).probe(run.model)(vectors)
    for name in ("outputs", "ponder_steps"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-5)
    limited = served.serve_with_limits(vectors, 2)
    assert np.max(limited["ponder_steps"]) <= 2
    card = (folder / "README.md").read_text()
    assert "5 to 8, beyond it" in card and "PonderNet" in card
    assert "up to 4 non-zeros" in card
    metrics = json.loads((folder / "metrics.json").read_text())
    assert [row["variant"] for row in metrics["runs"]] == ["pondernet", "act", "plain"]
    assert {*metrics["curves"]} == {"ACT", "one step"}
    entry = ("pondernet_parity", run.recipe.to_dict(), metrics)
    assert "up to 4 non-zeros | " in zoo_page.range_table([entry])
    assert (folder / "ponder.png").stat().st_size > 1000
