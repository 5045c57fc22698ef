"""The family of recall networks, from a small training to an entry's answers."""

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from keras_adaptive import halting
from keras_adaptive.zoo import cli, families
from keras_adaptive.zoo.families.recall import family as recall
from keras_adaptive.zoo.families.recall import fixed
from keras_adaptive.zoo.training import run as runs

# What is trained and saved is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
SMALL = {"filters": 4, "num_blocks": 1, "iterations": 3, "length": 6, "min_length": 6, "longer": 9}
SETTINGS = {"max_ponder": 12, "unchanged_steps": 2, "stages.0.steps": 2, "stages.0.chunk": 2}


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A training of two steps, and one in each further stage."""
    overrides = {**SMALL, **SETTINGS}
    overrides |= {f"stages.{n}.{what}": 1 for n in (1, 2) for what in ("steps", "chunk")}
    folder = tmp_path_factory.mktemp("recall") / "run"
    return trained("recall_prefix_sums", folder, overrides=overrides, seed=3, graph=True)


def test_every_weight_moves(run):
    first = runs.start(run.recipe, run.folder, run.settings).model
    pairs = zip(first.trainable_weights, run.model.trainable_weights, strict=True)
    assert all(np.any(a.numpy() != b.numpy()) for a, b in pairs)


def test_history_tells_errors_and_steps(run):
    last = run.history[-1]
    assert 0 <= last["longer_error"] <= 1
    assert 3 <= last["longer_ponder_steps"] <= 12
    assert last["progressive_loss"] > 0


def test_measures_steps_of_each_example(run):
    family = families.of(run.recipe)
    probe = family.probe(run.model)
    numbers = family.summary(family.measure(probe, 7, parameters={"length": 20, "min_length": 4}))
    assert numbers["examples"] == 7
    answer = family.predict(probe, "0110")
    assert answer["ponder_steps"] == answer["steps"] <= 12
    assert {*answer["answer"]} <= {*"01_"}
    assert "read: 0110" in family.format_answer(answer)


def test_limit_ends_the_thought(run):
    family = families.of(run.recipe)
    family.apply_limits(run.model, {"max_ponder": 1})
    try:
        assert family.predict(family.probe(run.model), "010011")["steps"] == 1
    finally:
        family.apply_limits(run.model, {"max_ponder": 12})


def test_fixed_steps_are_those_of_the_rule_and_kept(run, capsys):
    family = families.of(run.recipe)
    first = fixed.measure(family, run, 8, (2, 5), 4)
    assert [row["steps"] for row in first] == [2, 5]
    assert "4 wrong" in capsys.readouterr().err
    assert fixed.measure(family, run, 8, (2, 5), 4) == first
    assert not capsys.readouterr().err
    assert isinstance(run.model.get_layer("recall").halting, halting.Converged)


def test_line_through_steps():
    rows = [{"length": n, "ponder_steps": 3.0 + n / 2} for n in (4, 8, 20)]
    assert recall.line(rows) == {"slope": 0.5, "intercept": 3.0, "r_squared": 1.0}
    assert recall.line(rows[:2]) is None


def test_plot_shows_every_step(run, tmp_path, capsys):
    for out in (tmp_path / "answers.svg", tmp_path / "answers.png"):
        assert cli.main(["plot", "--run", str(run.folder), "011010", "--out", str(out)]) == 0
    assert run.recipe.name in (tmp_path / "answers.svg").read_text()
    with Image.open(out) as picture:
        assert picture.size[0] > 300
    assert cli.main(["plot", "--run", str(run.folder), "01" * 65]) == 2
    assert "at most 128 bits" in capsys.readouterr().err


@pytest.mark.slow
def test_entry_answers_without_this_package(run, tmp_path, exported, monkeypatch):
    monkeypatch.setattr(recall, "FIXED_STEPS", (3, 40))
    monkeypatch.setattr(recall, "DRAWN", 6)
    exported(run.folder, tmp_path, examples=6, lengths=(6, 9, 12))
    folder = tmp_path / "recall_prefix_sums"
    served = tf.saved_model.load(str(folder))
    symbols = np.array([[1, 2, 2, 1, 1, 2, 1, -1], [2, 2, -1, -1, -1, -1, -1, -1]], "int32")
    found = served.serve(symbols)
    expected = families.of(run.recipe).probe(run.model)(symbols)
    np.testing.assert_allclose(found["outputs"], expected["outputs"], atol=1e-5)
    np.testing.assert_array_equal(found["ponder_steps"], expected["ponder_steps"])
    limited = served.serve_with_limits(symbols, 2)
    np.testing.assert_array_equal(limited["ponder_steps"], [2, 2])
    card = (folder / "README.md").read_text()
    assert f"| {max(recall.LENGTHS)} | 40 | 6 |" in card and "R²" in card
    assert (folder / "answers.png").stat().st_size > 1000
