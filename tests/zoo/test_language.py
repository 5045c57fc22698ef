"""Networks that predict bytes: from training to the entry, its commands, and what is measured."""

import json
import math

import numpy as np
import pytest

from keras_adaptive import large_files, plots, zoo
from keras_adaptive.datasets.enwik8 import characters, enwik8
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.entries import baseline, store
from keras_adaptive.zoo.entries.export import export, keep_baseline
from keras_adaptive.zoo.evaluate import evaluate
from keras_adaptive.zoo.families.language import segmentation
from keras_adaptive.zoo.families.language.at_spaces import space_ratios
from keras_adaptive.zoo.families.language.family import Language
from keras_adaptive.zoo.families.language.passage import SHOWN
from support import enwik8_text

NAME = "act_enwik8_small"
SIZE = 40_000
SMALL = {
    "size": SIZE,
    "length": 100,
    "units": 8,
    "embedding": 4,
    "batch_size": 4,
    "chunk": 2,
    "steps": 2,
    "validate_every": 8,
}
LONGER = "[[It]] was 1066, and <b>they</b> had no maps."
NUMBERS = ("bits_per_character", "entropy", "ponder", "ponder_steps")


@pytest.fixture(scope="module", autouse=True)
def text(tmp_path_factory):
    """A text of Wikipedia where the environment says."""
    path = tmp_path_factory.mktemp("text") / "enwik8"
    path.write_bytes(enwik8_text.test_part())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(enwik8.VARIABLE, str(path))
        yield path


@pytest.fixture(scope="module")
def runs(tmp_path_factory, trained):
    """Finished trainings of a tiny network with and without ACT; the former in a graph."""
    folder = tmp_path_factory.mktemp("runs")
    with_act = trained(NAME, folder / "act", variant="act", overrides=SMALL, graph=True)
    plain = trained(NAME, folder / "plain", variant="plain", overrides=SMALL)
    return {"act": with_act, "plain": plain}


@pytest.fixture(scope="module")
def entries(runs, tmp_path_factory):
    """A folder with the entry of the trainings; text is long, so a graph takes less."""
    into = tmp_path_factory.mktemp("entries")
    export(runs["act"].folder, into, [runs["plain"].folder])
    return into


def test_history(runs):
    (row,) = runs["act"].history
    assert 6 < row["bits_per_character"] < 9 and 6 < row["validation_bits_per_character"] < 9
    assert row["ponder_steps"] >= 1 and row["validation_ponder"] >= 2
    assert "sequence_error" not in row
    plain = runs["plain"].history[-1]
    assert (plain["validation_ponder_steps"], plain["time_penalty"]) == (1.0, 0.0)


def test_the_price_of_a_step_is_never_negative(runs):
    assert runs["act"].model.get_layer("act").target_ponder.minimum == 0.0
    assert runs["plain"].model.get_layer("act").target_ponder is None


def test_the_papers_network():
    """A byte comes in as one of 256 inputs that is 1."""
    recipe = recipes.load("act_enwik8_paper")
    assert recipe.hyperparameters["units"] == 1500 and recipe.parameters["length"] == 500
    model = families.of(recipe.with_overrides({"units": 3})).build()
    given = np.asarray(model.get_layer("bytes")(np.array([[7]])))
    assert given.shape == (1, 1, 256) and given.argmax() == 7 and given.sum() == 1
    found = np.asarray(model(np.array([[1, 255]])))
    assert found.shape == (1, 2, 256)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)


def test_evaluation_reads_every_window_once(runs):
    family = Language(runs["act"].recipe)
    probe = family.probe(runs["act"].model)
    found = family.measure(probe, 10**6)
    text = np.frombuffer(enwik8_text.test_part(), np.uint8)[38_000:39_900]
    assert sorted(map(bytes, found["inputs"].astype(np.uint8))) == sorted(
        map(bytes, text.reshape(-1, 100))
    )
    few = family.measure(probe, 5, seed=1)
    assert len(few["inputs"]) == 5
    outputs = probe(few["inputs"])["outputs"]
    places = np.arange(5)[:, None], np.arange(100), few["targets"]
    np.testing.assert_allclose(few["bits"], -np.log2(outputs[places]), rtol=1e-4)
    entropy = -(outputs * np.log2(outputs)).sum(-1)
    np.testing.assert_allclose(few["entropy"], entropy, rtol=1e-4)
    numbers = family.summary(few)
    assert numbers["examples"] == 5
    assert numbers["bits_per_character"] == pytest.approx(few["bits"].mean(), abs=1e-4)
    low, high = numbers["confidence_interval"]
    assert low < numbers["bits_per_character"] < high


def test_a_time_limit_counts_the_calls_on_what_is_measured(runs):
    """Not those on validation data, which choose the peaks of `boundary_f1`."""
    run = runs["act"]
    numbers = evaluate(run.model, run.recipe, examples=3, within=60.0)
    assert numbers["calls"] == numbers["examples"] == 3 and "boundary_f1" in numbers


def test_numbers_of_each_kind_of_byte():
    inputs = enwik8.encode("<b>It is</b>, 42 &amp; [[it]].")
    values = np.arange(inputs.size, dtype=float).reshape(inputs.shape)
    found = {
        "inputs": inputs,
        **dict.fromkeys(("bits", "entropy", "ponder", "ponder_steps"), values),
    }
    rows = {row["kind"]: row for row in Language(None).by_difficulty(found)}
    places = {
        "spaces": [5, 13, 16, 22],
        "punctuation": [12, 29],
        "word starts": [3, 6, 25],
        "inside words": [4, 7, 26],
        "digits": [14, 15],
        "XML tags": [0, 1, 2, 8, 9, 10, 11],
        "other markup": [17, 18, 19, 20, 21, 23, 24, 27, 28],
        "opening brackets of tags": [0, 8],
    }
    assert {kind: row["bytes"] for kind, row in rows.items()} == {
        kind: len(there) for kind, there in places.items()
    }
    for kind, there in places.items():
        assert all(rows[kind][key] == round(np.mean(there), 4) for key in NUMBERS)


def test_ponder_at_spaces_beside_inside_words():
    inputs = np.array([enwik8.encode(x)[0] for x in ("ab cd", "e fgh", "xy z.")])
    at_space = characters.kinds(inputs) == characters.KINDS.index("spaces")
    results = {
        "inputs": inputs,
        "ponder": np.where(at_space, 3.0, 2.0),
        "ponder_steps": np.where(at_space, 1.0, 4.0),
    }
    assert space_ratios(results) == {
        "space_ratio": 1.5,
        "space_ratio_interval": [1.5, 1.5],
        "space_steps_ratio": 0.25,
        "space_steps_ratio_interval": [0.25, 0.25],
    }
    results["ponder"][0, 2] = 6.0
    found = space_ratios(results)
    low, high = found["space_ratio_interval"]
    assert found["space_ratio"] == 2.0 and 0 < low < 2.0 < high
    assert low * high == pytest.approx(4.0, rel=1e-3)
    assert space_ratios({name: values[:1] for name, values in results.items()}) == {}
    assert space_ratios({name: values[:, :1] for name, values in results.items()}) == {}


def test_tags_that_a_window_cuts():
    kinds = characters.kinds(np.stack([enwik8.encode(x)[0] for x in ("le>ab<id", "a é\n(7)")]))
    names = [[characters.KINDS[kind] for kind in row] for row in kinds]
    assert names[0] == ["XML tags"] * 3 + ["word starts", "inside words"] + ["XML tags"] * 3
    assert names[1][:5] == ["word starts", "spaces", "word starts", "inside words", "line ends"]


def test_without_spaces():
    inputs = np.array([enwik8.encode(x)[0] for x in ("the  cat", " sat on\n", "it. Yes ")])
    found, real = characters.without_spaces({"inputs": inputs})
    assert bytes(found.astype(np.uint8).ravel()) == b"thecatsatonit.Ye"
    assert np.flatnonzero(real.ravel()).tolist() == [2, 5, 8, 10, 13]


def test_boundaries_with_spaces(runs):
    found = segmentation.texts(runs["act"].recipe, "test")
    inputs, real = found["with spaces"]
    assert characters.is_space(inputs[real]).all()
    hidden, places = found["without spaces"]
    assert not characters.is_space(hidden).any()
    assert real.mean() < places.mean() < 1.5 * real.mean()


@pytest.mark.parametrize("large", [False, True])
def test_a_large_baseline_is_not_written(runs, tmp_path, monkeypatch, large):
    plain = runs["plain"]
    monkeypatch.setattr(large_files, "is_large", lambda model: large)
    known = {"without_act": {"settings": plain.settings, "steps": plain.position.step}}
    found = keep_baseline(known, list(runs.values()), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ([] if large else [baseline.NAME])
    assert (baseline.load(found, tmp_path) is None) == large and (found == known) == large


def test_entry(entries):
    metrics = store.results(NAME, entries)
    assert (entries / NAME / "saved_model.pb").exists()
    for file in ("sequence.png", "tags.png", "learning_curve.png"):
        assert (entries / NAME / file).stat().st_size > 5000
    assert "sequence_error" not in metrics and metrics["examples"] == 19
    assert metrics["without_act"]["ponder_steps"] == 1.0
    kinds = {row["kind"]: row["bytes"] for row in metrics["by_difficulty"]}
    tags = kinds.pop("opening brackets of tags", 0)
    assert sum(kinds.values()) == 1900 and tags < kinds.get("XML tags", 1)
    rows = metrics["segmentation"]
    assert [(row["text"], row["signal"]) for row in rows] == [
        (text, signal) for text in segmentation.TEXTS for signal in segmentation.SIGNALS
    ]
    assert all(0 <= row["f1"] <= 1 and math.isfinite(row["height"]) for row in rows)
    for passage in metrics["passages"].values():
        assert len(passage["inputs"]) == len(passage["bits"]) == SHOWN
        there = enwik8_text.test_part()[38_000 + passage["start"] :][:SHOWN]
        assert enwik8.describe(np.frombuffer(there, np.uint8)) == passage["inputs"]


def test_card(entries):
    card = store.card(NAME, entries)
    assert card == Language(store.recipe(NAME, entries)).card(store.results(NAME, entries))
    for said in (
        "Trained on the first 36,000 bytes of enwik8",
        "spaces",
        "at peaks of",
        "GNU Free",
    ):
        assert said in card


def test_saved_model_takes_bytes_of_any_length(entries, runs):
    model = store.saved_model(NAME, entries)
    inputs = enwik8.encode("A text.")
    expected = Language(runs["act"].recipe).probe(runs["act"].model)(inputs)
    for served in (model.serve(inputs), model.serve_with_limits(inputs, 5, 0.01)):
        np.testing.assert_allclose(served["outputs"], expected["outputs"], atol=1e-5)
    limited = model.serve_with_limits(inputs, 1, 0.01)
    assert (np.asarray(limited["ponder_steps"]) == 1).all()


def test_list_and_predict(command):
    code, out, _ = command("list")
    assert code == 0 and f"{NAME} " in out and "bits per byte" in out
    data = json.loads(command("list", "--json")[1])
    assert {"bits_per_character", "ponder_steps"} <= set(data["models"][0])
    code, out, _ = command("predict", NAME, "ab c")
    assert code == 0 and len(out.splitlines()) == 5 and "' '" in out
    found = json.loads(command("predict", NAME, "abc", "--json")[1])
    assert found["inputs"] == ["a", "b", "c"] and found["bits"][2] is None
    probabilities = [2 ** -found["bits"][0], found["confidence"][0]]
    assert 0 < probabilities[0] <= probabilities[1] + 1e-4 <= 1


def test_evaluate_and_plot(command, tmp_path):
    code, out, _ = command("evaluate", NAME, "--json")
    found = json.loads(out)
    assert code == 0 and found["examples"] == 19
    low, high = found["space_ratio_interval"]
    assert low < found["space_ratio"] < high and 0 < found["boundary_f1"] < 1
    picture = tmp_path / "a.svg"
    code, out, _ = command("plot", NAME, "A <b>text</b>.", "--out", picture, "--json")
    assert code == 0 and len(json.loads(out)["ponder"]) == 14
    assert "entropy (bits)" in picture.read_text()
    code, _, error = command("plot", NAME, "--out", picture)
    assert code == 2 and "some text" in error
    code, _, error = command("plot", NAME, "a" * 541, "--out", picture)
    assert code == 2 and "a text of 1 to 540 bytes" in error


def test_segment(command, entries):
    for words in (["the cat sät on the mat"], ["thecatsätonthemat", "--by", "loss"]):
        code, out, _ = command("segment", NAME, *words)
        assert code == 0 and out.strip("\n").replace("|", "") == words[0]
    found = json.loads(command("segment", NAME, LONGER, "--height", -1, "--json")[1])
    assert "".join(found["pieces"]) == LONGER and len(found["boundaries"]) > 0
    assert [len("".join(found["pieces"][:i])) for i in range(1, len(found["pieces"]))] == found[
        "boundaries"
    ]
    assert zoo.segment(NAME, "ab cd", height=99, folder=entries)["pieces"] == ["ab cd"]
    lines = LONGER.replace(" ", "\r\n")
    pieces = zoo.segment(NAME, lines, height=-1, folder=entries)["pieces"]
    assert "".join(pieces) == lines and not any(piece[0] == "\n" for piece in pieces)
    with pytest.raises(ValueError, match=r"at most 200,000 characters. Received: 200,001"):
        zoo.segment(NAME, "a" * 200_001, folder=entries)
    with pytest.raises(ValueError, match="by must be one of ponder, loss, entropy"):
        zoo.segment(NAME, "ab cd", by="surprise", folder=entries)


def test_only_what_reads_text_is_segmented():
    name = store.names()[0]
    with pytest.raises(ValueError, match="does not read text byte by byte"):
        zoo.segment(name, "a b")


def test_a_search_needs_an_objective_that_is_measured():
    from keras_adaptive.zoo.search.rows import check_measured, score, weights_of

    row = {"diverged": False, "validation_bits_per_character": 2.5}
    recipe = recipes.load(NAME)
    assert score(row, weights_of("bits_per_character"), recipe) == 2.5
    with pytest.raises(ValueError, match="has no error; it has"):
        check_measured(weights_of("error"), recipe)


@pytest.mark.parametrize("key", ["ponder", "bits", "entropy"])
def test_numbers_that_are_not_finite_are_named(tmp_path, key):
    reading = {"inputs": ["a"], "ponder": [2.0], "bits": [1.0], "entropy": [1.0]}
    with pytest.raises(ValueError, match=rf'`reading\["{key}"\]` must be a finite number.*nan'):
        plots.text.ponder_under_text(tmp_path / "a.svg", {**reading, key: [float("nan")]})
    assert not (tmp_path / "a.svg").exists()


def test_equal_ponder_has_bars(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(plots.text, "write_figure", lambda figure, *_: drawn.append(figure))
    reading = {"inputs": list("abc"), "bits": [1.0] * 3, "entropy": [1.0] * 3}
    plots.text.ponder_under_text(tmp_path / "a.svg", {**reading, "ponder": [2.0] * 3})
    low, high = drawn[0].axes[0].get_ylim()
    assert low + 0.1 * (high - low) < 2.0 < high


def test_pictures(tmp_path):
    lists = {key: [1.0, 2.0, 3.0, 4.0, None] for key in ("bits", "entropy")}
    lists["ponder"] = [2.0, 2.0, 2.5, 2.0, 3.5]
    path = tmp_path / "a.svg"
    assert plots.text.ponder_under_text(path, {"inputs": list("a $ b"), **lists}) == path
    with pytest.raises(ValueError, match="`path` must end in one of"):
        plots.text.ponder_under_text(tmp_path / "a.gif", {"inputs": ["a"], **lists})
    with pytest.raises(ValueError, match="`histories` must be"):
        plots.text.bits_while_training(path, {"a": []})
