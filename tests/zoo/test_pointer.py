"""The family of pointer networks, from a small training to an entry's answers."""

import json

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from keras_adaptive import datasets, zoo
from keras_adaptive.datasets.convex_hull import convex_hull
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.families.pointer import card
from keras_adaptive.zoo.training import run as runs

# What is trained and saved is traced, as by users; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
SMALL = {
    "units": 4,
    "length": 6,
    "min_length": 4,
    "batch_size": 8,
    "bins": [5, 6],
    "steps": 2,
    "chunk": 2,
    "validate_every": 4,
}
POINTS = "0.1,0.2 0.8,0.3 0.5,0.9 0.4,0.4"


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A training of a few steps, as users train."""
    folder = tmp_path_factory.mktemp("pointer") / "run"
    return trained("hull_pointer", folder, overrides=SMALL, seed=3, graph=True)


@pytest.fixture(scope="module", params=["fixed-2", pytest.param("plain", marks=pytest.mark.slow)])
def other(request, tmp_path_factory, trained):
    """The same with another kind of decoder."""
    folder = tmp_path_factory.mktemp("pointer") / "run"
    return trained("hull_pointer", folder, overrides=SMALL, variant=request.param)


@pytest.fixture(scope="module")
def entries(run, tmp_path_factory, exported):
    """A folder with the entry of `run`."""
    into = tmp_path_factory.mktemp("entries")
    exported(run.folder, into, examples=8, lengths=(4, 6, 9))
    return into


def test_every_weight_moves(run):
    first = runs.start(run.recipe, run.folder, run.settings).model
    pairs = zip(first.trainable_weights, run.model.trainable_weights, strict=True)
    assert all(np.any(a.numpy() != b.numpy()) for a, b in pairs)


def test_coordinates_weigh_more_at_first():
    recipe = recipes.load("hull_pointer")
    scales = []
    for gain in (1.0, 10.0):
        model = families.of(recipe.with_overrides({"input_gain": gain})).build()
        scales.append([abs(lstm.kernel.numpy()) for lstm in lstms(model)])
    for usual, larger in zip(*scales):
        assert larger[:2].mean() > 5 * usual[:2].mean()
        # Those of the decoder's flags and of what it reads are as they were.
        assert not len(usual[2:]) or larger[2:].mean() < 1.5 * usual[2:].mean()


def lstms(model):
    return model.encoder.cell, model.decoder.cell.cell


def test_tau_is_that_of_the_stage(run):
    assert run.recipe.stages[-1].time_penalty > 0
    expected = pytest.approx(run.recipe.stages[-1].time_penalty)
    assert float(run.model.decoder.time_penalty) == expected
    assert run.history[-1]["time_penalty"] == expected


def test_padding_behind_the_longest_answer_changes_nothing(run):
    """Hulls of many points are trained on as many columns as their answers need."""
    family, task = families.of(run.recipe), {"length": 30, "min_length": 30}
    batch = datasets.batch("convex_hull", 4, **task)
    inputs, targets = family.training_batch(batch, task)
    assert batch["targets"].shape == (4, 31) and targets.shape == (4, 16)
    assert not batch["targets"][:, 16:].any()
    moved = []
    for answers in (targets, batch["targets"]):
        model = runs.start(run.recipe, run.folder, run.settings).model
        model.train_on_batch(inputs, answers)
        moved.append(model.get_weights())
    for a, b in zip(*moved, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.slow
def test_other_decoders(other):
    assert other.model.ponders == (other.recipe.variant != "plain")
    family = families.of(other.recipe)
    answer = family.predict(family.probe(other.model), POINTS)
    looks = {"plain": 1, "fixed-2": 2}[other.recipe.variant]
    assert set(answer["ponder_steps"]) == {looks}
    assert family.limits_measured == ()


def test_measures_each_answer(run):
    family = families.of(run.recipe)
    numbers = family.summary(family.measure(family.probe(run.model), 30))
    assert numbers["examples"] == 30
    assert 1 <= numbers["ponder_steps"] <= 3
    assert 0 <= numbers["invalid"] < 1
    assert 0 < numbers["area_covered"] < 1
    assert "area covered" in family.describe(numbers)


def test_scores_of_known_answers():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]], "float32")
    batch = {"inputs": np.stack([square] * 4), "targets": np.array([[1, 2, 3, 4, 1, 0]] * 4)}
    answers = [[1, 2, 3, 4, 1, 0], [2, 3, 4, 2, 0, 0], [1, 3, 2, 4, 1, 0], [4, 3, 2, 4, 0, 0]]
    found = convex_hull.measure(batch, np.array(answers))
    # Right; half of the square; sides that cross; half, clockwise.
    np.testing.assert_allclose(found["area_covered"], [1, 0.5, 0, 0.5])
    np.testing.assert_array_equal(found["invalid"], [0, 0, 1, 0])


def test_answers_to_points(run):
    family = families.of(run.recipe)
    answer = family.predict(family.probe(run.model), POINTS)
    indices = answer["answer"].split()
    assert indices[0] == indices[-1] and set(indices) <= set("1234")
    assert answer["points"] == POINTS.split()
    for name in ("confidence", "ponder", "ponder_steps"):
        assert len(answer[name]) == len(indices)
    for steps, ponder in zip(answer["ponder_steps"], answer["ponder"]):
        assert steps <= ponder <= steps + 1
    assert f"answer: {answer['answer']}" in family.format_answer(answer)


def test_file_of_the_authors_format(run, tmp_path, capsys):
    batch = datasets.batch("convex_hull", 12, seed=5, length=9, min_length=4)
    path = tmp_path / "hulls.txt"
    path.write_text("\n".join(convex_hull.write(batch["inputs"], batch["targets"])))
    words = ["evaluate", "--run", str(run.folder), "--file", str(path), "--json"]
    assert cli.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    family = families.of(run.recipe)
    expected = family.summary(family.measure(family.probe(run.model), 12, given=batch))
    for name, value in expected.items():
        assert found[name] == value, name
    assert found["file"] == str(path) and found["examples"] == 12
    assert cli.main([*words, "--examples", "3", "--beam", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == 3


@pytest.mark.parametrize(
    "text, expected",
    [
        ("0.1 0.2 0.8 0.3 0.5 0.9 out 1 2 3 1", "`output` is missing"),
        ("0.1 0.2 0.8 0.3 0.5 0.9 output 1 2 3", "ends with its first one"),
        ("0.1 0.2 0.8 0.3 0.5 0.9 output 1 2 2 1", "each once"),
        ("0.1 0.2 0.8 0.3 output 1 2 1", "at least 3 points"),
        ("", "no example"),
    ],
)
def test_another_format_is_refused(run, tmp_path, capsys, text, expected):
    path = tmp_path / "hulls.txt"
    path.write_text(text)
    assert cli.main(["evaluate", "--run", str(run.folder), "--file", str(path)]) == 2
    said = capsys.readouterr().err
    assert expected in said and str(path) in said


def test_options_of_other_models_are_refused(run, tmp_path, capsys):
    path = tmp_path / "hulls.txt"
    path.write_text("0 0 1 0 0 1 output 1 2 3 1")
    folder = ["evaluate", "--run", str(run.folder)]
    for words, expected in (
        (["evaluate", "act_parity", "--beam", "3"], "--beam is for models with a search"),
        (["evaluate", "act_parity", "--file", str(path)], "--file is for models of points"),
        ([*folder, "--length", "5", "--file", str(path)], "--length is for fresh examples"),
        ([*folder, "--file", str(tmp_path / "none")], "there is no file"),
        ([*folder, "--file", str(tmp_path)], "must be a file, not a folder"),
        ([*folder, "--length", "2"], "length"),
        ([*folder, "--length", "1001"], "at most 1,000 points"),
        ([*folder, "--bits", "5"], "--bits"),
        ([*folder, "--beam", "0"], "beam"),
        (["predict", "--run", str(run.folder), "0,0 1,1"], "at least 3 points"),
        (["predict", "--run", str(run.folder), "0,0 1,1 0,0"], "must differ"),
        (["predict", "--run", str(run.folder), "0,0 1,1 0,2"], "square"),
        (["predict", "--run", str(run.folder), "0 0 1 1 0 1"], "points x,y"),
    ):
        assert cli.main(words) == 2, words
        assert expected in capsys.readouterr().err


def test_more_beams_find_no_less_likely_answers(run):
    family = families.of(run.recipe)
    points = datasets.batch("convex_hull", 20, seed=1, length=6, min_length=6)["inputs"]
    found = []
    for beams in (1, 8):
        family.apply_limits(run.model, {"beam": beams})
        found.append(family.probe(run.model)(points)["log_probability"])
    family.apply_limits(run.model, {"beam": 1})
    assert (found[1] >= found[0] - 1e-4).mean() > 0.9
    assert found[1].mean() > found[0].mean()


@pytest.mark.parametrize("example", [POINTS, None])
def test_plot_draws_points(run, tmp_path, example):
    out = tmp_path / "answer.png"
    words = ["plot", "--run", str(run.folder), "--out", str(out)]
    assert cli.main([*words, *([example] if example else ["--examples", "3"])]) == 0
    with Image.open(out) as picture:
        colours = len(picture.convert("RGB").getcolors(100_000))
        assert picture.size[0] > 200 and colours > 30


@pytest.mark.slow
def test_entry_answers_without_this_package(run, entries):
    folder = entries / "hull_pointer"
    served = tf.saved_model.load(str(folder))
    points = datasets.batch("convex_hull", 5, length=8, min_length=4)["inputs"]
    found = served.serve(points)
    expected = families.of(run.recipe).probe(run.model)(points)
    np.testing.assert_array_equal(found["indices"], expected["indices"])
    np.testing.assert_allclose(found["outputs"], expected["outputs"], atol=1e-5)
    np.testing.assert_allclose(found["ponder"], expected["ponder"], atol=1e-5)
    limited = served.serve_with_limits(points, 1, 0.01)
    assert set(np.unique(limited["ponder_steps"])) == {0, 1}


def test_entry_tells_of_itself(entries):
    card = zoo.card("hull_pointer", folder=entries)
    for words in ("up to 6", "area covered", "ACT", "zoo.predict"):
        assert words in card
    for picture in ("ponder.png", "learning_curve.png", "limit.png"):
        assert (entries / "hull_pointer" / picture).stat().st_size > 1000
    wide = zoo.load("hull_pointer", folder=entries, beam=4)
    assert wide.beams == 4
    rows = json.loads((entries / "hull_pointer" / "metrics.json").read_text())["lengths"]
    assert [row["length"] for row in rows] == [4, 6, 6, 9]


def test_trainings_of_tours_are_compared_by_their_length():
    recipe, metrics = store.recipe("tour_pointer"), store.results("tour_pointer")
    table = card.trainings_table(recipe, metrics).splitlines()
    assert "length / shortest, 10 points" in table[0]
    for line, run in zip(table[2:], metrics["runs"], strict=True):
        ratios = {row["difficulty"]: row["length_ratio"] for row in run["by_difficulty"]}
        assert f"| {ratios[5]:.4f} | {ratios[10]:.4f} |" in line
