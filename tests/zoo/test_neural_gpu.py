"""Entries with a Neural GPU: numbers at many lengths, the SavedModel, cards, commands."""

import dataclasses
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import clean_process
import tables
from keras_adaptive import datasets
from keras_adaptive.checkpoints import files
from keras_adaptive.evaluation import Probe
from keras_adaptive.weight_averages import use_averages
from keras_adaptive.zoo.entries import lengths, store
from keras_adaptive.zoo.entries.figures import other_models
from keras_adaptive.zoo.families.family import Family
from keras_adaptive.zoo.families.neural_gpu import card as neural_gpu_card
from keras_adaptive.zoo.families.neural_gpu.family import NeuralGPU
from keras_adaptive.zoo.recipes import load as recipe_of

# What is trained and saved is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
NAME = "neural_gpu_addition"
FILES = {
    "README.md",
    "history.csv",
    "learning_curve.png",
    "manifest.json",
    "mental_image.gif",
    "mental_image.png",
    "metrics.json",
    "model.keras",
    "recipe.json",
    "saved_model.pb",
    "variables",
}
PROBES = {"carries", "ones", "zeros", "powers", "unequal"}


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A finished training of a tiny Neural GPU, in a graph."""
    small = {"maps": 4, "longer": 5, "bits": 3, "min_bits": 1, "batch_size": 4, "validate_every": 8}
    small |= {"steps": 2, "chunk": 2, "bins": (2, 3)}
    return trained(NAME, tmp_path_factory.mktemp("runs") / "sum", overrides=small, graph=True)


@pytest.fixture(scope="module")
def entries(run, tmp_path_factory, exported):
    """A folder with the entry of `run`."""
    into = tmp_path_factory.mktemp("entries")
    exported(run.folder, into, examples=10, lengths=(4, 20))
    return into


def test_lengths_of_a_training_whose_folder_cannot_be_written(run, tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "_write_new", refuse)
    own = dataclasses.replace(run, folder=tmp_path)
    rows = lengths.measure(NeuralGPU(run.recipe), own, 12, lengths=(4,))
    assert {row["length"] for row in rows} >= {4} and rows[0]["examples"] == 12
    assert capsys.readouterr().err.count("lengths.json") == 1


@pytest.mark.parametrize(
    "optimizer", [pytest.param("adam", marks=pytest.mark.slow), "relative_clip_adamax"]
)
def test_an_average_of_the_weights_stays_beside_them(optimizer):
    recipe = recipe_of(NAME).with_overrides({"maps": 3, "bits": 3, "min_bits": 3})
    settings = {**recipe.hyperparameters, "optimizer": optimizer, "clipnorm": 1.0}
    family = NeuralGPU(recipe.replace(hyperparameters={**settings, "averaging": 0.5}))
    model = family.build()
    family.compile(model, jit_compile=False)
    first = [np.array(x) for x in model.trainable_variables]
    batch = datasets.batch(NAME, 4, bits=3, min_bits=3)
    steps = model.optimizer.gradient_accumulation_steps
    inputs, targets, weights = family.training_batch(batch, None)
    averages = first
    for step in range(3 * steps):
        model.fit(inputs, targets, sample_weight=weights, verbose=0)
        now = [np.array(x) for x in model.trainable_variables]
        # Keras begins with the weights after the first update.
        kept = 0.5 if step >= steps else 0.0
        averages = [kept * x + (1 - kept) * y for x, y in zip(averages, now, strict=True)]
    assert any(np.any(x != y) for x, y in zip(first, now, strict=True))
    use_averages(model)
    for value, average in zip(model.trainable_variables, averages, strict=True):
        np.testing.assert_allclose(np.array(value), average, rtol=1e-5, atol=1e-6)
    noisy = {**settings, "averaging": 0.5, "gradient_noise": 0.1}
    with pytest.raises(ValueError, match="averaging excludes gradient_noise"):
        NeuralGPU(recipe.replace(hyperparameters=noisy)).optimizer()


def perfect(task):
    """A probe that knows all answers."""
    classes = datasets.task(task).sizes()["classes"]
    return lambda inputs: {"outputs": np.eye(classes)[datasets.task(task).answers(inputs)]}


def test_entry_is_complete(entries):
    found = {path.name for path in (entries / NAME).iterdir()}
    assert FILES <= found <= FILES | {"fingerprint.pb", "assets"}
    assert sum(path.stat().st_size for path in entries.rglob("*") if path.is_file()) < 1e6
    assert (entries / NAME / "mental_image.gif").read_bytes().startswith(b"GIF8")


def test_loaded_model_answers_as_the_trained_one_and_trains(run, entries):
    model = store.load(NAME, folder=entries)
    batch = datasets.batch(NAME, 4, seed=3, bits=5)
    ours, theirs = (Probe(x)(batch["inputs"])["outputs"] for x in (model, run.model))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    data = batch["inputs"], batch["targets"], batch["weights"]
    found = model.evaluate(*data[:2], sample_weight=data[2], verbose=0, return_dict=True)
    assert 0 <= found["sequence_error"] <= 1


def test_saved_model_answers_without_the_package_at_any_length(entries):
    inputs = datasets.batch(NAME, 3, seed=3, bits=7)["inputs"]
    inputs[0, 5:] = -1
    expected = Probe(store.load(NAME, folder=entries))(inputs)["outputs"]
    padded, alone = clean_process.ask(
        entries / NAME, ("serve", inputs), ("serving_default", {"inputs": inputs[:1, :5]})
    )
    assert set(padded) == {"outputs"}
    np.testing.assert_allclose(padded["outputs"], expected, atol=1e-5)
    np.testing.assert_allclose(alone["outputs"], expected[:1, :5], atol=1e-5)


def test_limits_are_refused(entries):
    with pytest.raises(ValueError, match="max_ponder is for models with adaptive"):
        store.load(NAME, max_ponder=3, folder=entries)


def test_metrics(run, entries):
    metrics = store.results(NAME, entries)
    assert store.recipe(NAME, entries).length_parameters == ("min_bits", "bits")
    assert set(NeuralGPU.run_metrics) <= set(metrics) and metrics["longer"] == 5
    measured = {(row["probe"], row["length"]): row for row in metrics["lengths"]}
    assert set(measured) == {(None, 3), (None, 4), (None, 20), *((name, 20) for name in PROBES)}
    assert measured[None, 3]["least"] == 1 and measured[None, 4]["least"] == 4
    for row in metrics["lengths"]:
        low, high = row["confidence_interval"]
        assert low <= row["sequence_error"] <= high and row["examples"] == 10
        assert 0 <= row["symbol_error"] <= row["sequence_error"]
    assert [one["training_seed"] for one in metrics["runs"]] == [0]


def test_more_steps_for_each_symbol(run, entries, command):
    recipe = run.recipe.replace(hyperparameters={**run.recipe.hyperparameters, "more_steps": 2})
    family, request = NeuralGPU(recipe), SimpleNamespace(examples=10, lengths=(4, 20), seed=0)
    metrics = {**store.results(NAME, entries), **family.measure_more_steps(run.model, request)}
    rows = metrics["more_steps"]
    found = [(row["length"], row["probe"]) for row in rows]
    assert found == [(4, None), (20, None), (20, "carries")]
    # The model is as it was.
    assert run.model.get_layer("neural_gpu").steps_multiplier == 1
    # The entry answers so too, and `verify` measures it.
    model = store.load(NAME, folder=entries, steps_multiplier=2)
    inputs = datasets.batch(NAME, 3, seed=3, bits=7)["inputs"]
    once, twice = (Probe(x)(inputs)["outputs"] for x in (run.model, model))
    assert np.abs(once - twice).max() > 1e-4
    found = family.measure(Probe(model), 10, seed=0, parameters={"bits": 20, "min_bits": 20})
    assert family.summary(found)["symbol_error"] == rows[1]["symbol_error"]
    again = [one for one in family.measurements(metrics) if one.steps_multiplier == 2]
    assert [one.what for one in again][:2] == ["4, 2 steps a symbol", "20, 2 steps a symbol"]
    assert "**With 2 steps per symbol" in neural_gpu_card.results(recipe, metrics)
    words = ("evaluate", NAME, "--steps-multiplier", 2, "--examples", 5, "--json")
    assert json.loads(command(*words)[1])["examples"] == 5
    assert "must be" in command(*words[:3], 0)[2]


def test_measured_lengths_are_kept(run, entries, monkeypatch):
    asked = []

    def counted(family, probe, examples, measure=Family.measure, **rest):
        asked.append((examples, rest["parameters"]["bits"]))
        return measure(family, probe, examples, **rest)

    monkeypatch.setattr(Family, "measure", counted)
    family = NeuralGPU(run.recipe)
    rows = lengths.measure(family, run, 10, lengths=(4,))
    assert [row["length"] for row in rows] == [3, 4] and asked == []
    rows = lengths.measure(family, run, 12, lengths=(4,))
    assert [row["examples"] for row in rows] == [12, 12] and asked == [(2, 3), (2, 4)]
    monkeypatch.setitem(lengths.VERY_LONG, "bits", 4)
    lengths.measure(family, run, 12, 25, lengths=(4,))
    assert asked[2:] == [(10, 4), (3, 4)]
    # A training that has gone on is measured anew, and one whose network is another now.
    position = dataclasses.replace(run.position, step=run.position.step + 2)
    sharper = run.recipe.with_overrides({"gate_sharpness": 3.0})
    for change in ({"position": position}, {"recipe": sharper}):
        del asked[:]
        changed = dataclasses.replace(run, **change)
        lengths.measure(NeuralGPU(changed.recipe), changed, 1, 1, lengths=(4,))
        assert asked == [(1, 3), (1, 4)]


def test_plan_is_the_papers():
    plan = lengths.plan(recipe_of(NAME), 1000)
    random = {what["length"]: count for what, count in plan if what["probe"] is None}
    assert random == {20: 1000, 25: 1000, 100: 1000, 200: 1000, 2000: 100}
    probed = {(what["probe"], what["length"]) for what, _ in plan if what["probe"]}
    assert probed == {(name, length) for name in PROBES for length in (20, 100)}
    assert plan[0][0] == {"probe": None, "least": 1, "length": 20}
    plan = lengths.plan(recipe_of("neural_gpu_copy"), 2000, 30)
    assert [(what["least"], what["length"], count) for what, count in plan] == [
        (41, 41, 2000),
        (401, 401, 2000),
        (4001, 4001, 30),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0,), "examples must be a whole number from 1"),
        ((10, 0), "long_examples must be a whole number from 1"),
        ((10, 5, (20, 0)), "length must be .* Received: 0"),
        ((10, 5, ()), "lengths"),
    ],
)
def test_bad_plans(arguments, words):
    with pytest.raises(ValueError, match=words):
        lengths.plan(recipe_of(NAME), *arguments)


@pytest.mark.parametrize(
    ("task", "text", "answer"),
    [
        (NAME, "110101+011011", "1010000"),
        (NAME, "1+1", "10"),
        (NAME, "0001+10", "00011"),
        (NAME, "1234567+7654321", "8888888"),
        (NAME, "0+2", "2"),
        ("neural_gpu_multiplication", "11*11", "1001"),
        ("neural_gpu_multiplication", "12*0", "0"),
        ("neural_gpu_duplicate", "001", "001001"),
        ("neural_gpu_reverse", "0011", "1100"),
    ],
)
def test_answers_in_human_form(task, text, answer):
    recipe = recipe_of(NAME).replace(dataset=task, parameters={})
    found = NeuralGPU(recipe).predict(perfect(task), text)
    assert found["answer"] == answer and found["confidence"] == 1
    assert found["steps"] == datasets.task(task).encode(text).shape[1]
    json.dumps(found)


def test_numbers_beyond_the_limit_of_python_texts():
    big = "9" * 5000
    found = NeuralGPU(recipe_of(NAME)).predict(perfect(NAME), f"{big}+1")
    assert found["answer"] == "1" + "0" * 5000


def test_an_output_that_is_no_number_is_shown_as_it_is():
    outputs = np.eye(3)[[[1, 0, 2, 0, 0]]]
    found = NeuralGPU(recipe_of(NAME)).predict(lambda _: {"outputs": outputs}, "2+3")
    assert found["answer"] == found["symbols_written"] == "1_0"


def test_card(run, entries):
    card = store.card(NAME, entries)
    for words in ("# neural_gpu_addition", "| up to 3 |", "| 20 (carries) |", "learning_curve.png"):
        assert words in card
    assert "--set maps=4" in card and "It is the only one that" in card
    assert "| 4 | 10 |" in card and '"110101+011011"' in card


def test_card_says_why_a_training_was_chosen(run, entries):
    metrics = store.results(NAME, entries)
    one = metrics["runs"][0]
    better = {**one, "longer_error": one["longer_error"] - 0.1, "training_seed": 1}
    choice = neural_gpu_card.choice
    assert "chosen for the least error at 5 digits" in choice(run.recipe, [better, one])
    assert "another has a lower error" in choice(run.recipe, [one, better])
    scouted = [{"seed": 3, "steps": 9, "longer_error": 0.5, "longer_symbol_error": 0.25}]
    scouted += [{"seed": 4, "steps": 5, "diverged": True}]
    text = neural_gpu_card.training(run.recipe, {**metrics, "scouted": scouted})
    assert "trained with several seeds" in text and "| 3 | 9 | 50.00 % | 25.0000 % |" in text
    assert "| 4 | 5 | diverged |" in text
    other = {"model": "other", "lengths": metrics["lengths"]}
    text = neural_gpu_card.results(run.recipe, {**metrics, "other_models": [other]})
    assert "[other](../other/README.md)" in text and "(this one)" in text


def test_other_models_of_the_task_are_found(run, entries):
    renamed = run.recipe.replace(name="neural_gpu_addition_again")
    assert other_models(run.recipe, entries, "lengths") == []
    assert other_models(renamed, entries, "lengths")[0]["model"] == NAME
    decimal = renamed.replace(parameters={**renamed.parameters, "base": 10})
    assert other_models(decimal, entries, "lengths") == []


def test_decimal_numbers():
    recipe = recipe_of("neural_gpu_decimal_multiplication")
    task = datasets.task(recipe.dataset)
    classes = task.sizes(**recipe.parameters)["classes"]
    probe = lambda x: {"outputs": np.eye(classes)[task.answers(x)]}  # noqa: E731
    found = NeuralGPU(recipe).predict(probe, "12*34")
    assert found["answer"] == found["symbols_written"] == "0408"
    assert '"1203*3021"' in neural_gpu_card.use(recipe, {"model": recipe.name})


def test_evaluate(command):
    words = ["evaluate", NAME, "--bits", 6, "--examples", 10, "--seed", 991]
    code, out, err = command(*words, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert found["parameters"]["bits"] == found["parameters"]["min_bits"] == 6
    assert {"sequence_error", "bit_error", "confidence_interval"} <= set(found)
    assert "symbol_error" not in out and found["by_difficulty"][0]["difficulty"] == 6
    code, out, _ = command(*words, "--probe", "carries")
    assert code == 0 and "bit error" in out
    probed = json.loads(command(*words, "--probe", "ones", "--json")[1])
    assert probed["parameters"]["probe"] == "ones"


def test_predict(command):
    code, out, _ = command("predict", NAME, "110101+011011", "--json")
    found = json.loads(out)
    assert code == 0 and found["input"] == found["symbols_read"] == "110101+011011"
    assert isinstance(found["answer"], str) and found["steps"] == 13
    code, out, _ = command("predict", NAME, "110101+011011", "--steps-multiplier", 3, "--json")
    assert code == 0 and json.loads(out)["steps"] == 39
    code, out, _ = command("predict", NAME, "1234567+7654321")
    assert code == 0 and out.splitlines()[-1].startswith("answer:")


def test_plot(command, tmp_path):
    path = tmp_path / "sum.gif"
    code, out, err = command("plot", NAME, "11+01", "--out", path)
    assert code == 0, err
    assert out.split() == [str(path), str(path.with_suffix(".png"))]
    assert path.read_bytes().startswith(b"GIF8")
    code, out, _ = command("plot", NAME, "10+01", "--out", tmp_path / "sheet.svg", "--json")
    found = json.loads(out)
    assert found["animation"] == str(tmp_path / "sheet.gif") and found["symbols_read"] == "10+01"
    assert "<svg" in (tmp_path / "sheet.svg").read_text()


def test_list(command):
    assert f"\n{NAME} " in command("list")[1]
    found = json.loads(command("list", "--json")[1])["models"][0]
    keys = {"model", "dataset", "sequence_error", "bit_error", "lengths"}
    assert keys | {"headline", "megabytes"} == set(found)


def test_measure(command, run):
    code, out, err = command("measure", run.folder, "--lengths", 4, "--examples", 5, "--json")
    assert code == 0, err
    assert [row["length"] for row in json.loads(out)["lengths"]] == [3, 4]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["evaluate", NAME, "--length", "20"], "as long as --bits says"),
        (["evaluate", NAME, "--bits", "0"], "bits"),
        (["evaluate", NAME, "--bits", "6", "--probe", "crries"], "one of carries, ones"),
        (["evaluate", NAME, "--max-ponder", "3"], "max-ponder is for models with adaptive"),
        (["predict", NAME, "110101"], "two numbers with '+' between them"),
        (["predict", NAME, ""], "two numbers"),
        (["predict", NAME, "+"], "two numbers"),
        (["predict", NAME, "1+2+3"], "two numbers"),
        (["plot", NAME], "give one"),
        (["plot", NAME, "1+1", "--input", "1+1"], "once"),
        (["plot", NAME, "1+1", "--out", "a.mp4"], "a.mp4"),
        (["plot", NAME, f"{'1' * 300}+1"], "up to 401 positions"),
        (["train", NAME, "--variant", "plain"], "halting rule"),
    ],
)
def test_errors_are_one_line(argv, words, refused):
    refused(argv, words)


def test_tasks_without_numbers_have_length_and_no_probes():
    recipe = recipe_of("neural_gpu_copy")
    family = NeuralGPU(recipe)
    wanted = {"bits": None, "length": 7, "probe": None}
    assert family.evaluation_parameters(wanted) == {"min_length": 7, "length": 7}
    with pytest.raises(ValueError, match="as long as --length says"):
        family.evaluation_parameters({**wanted, "bits": 7})
    with pytest.raises(ValueError, match="--probe is for numbers"):
        family.evaluation_parameters({**wanted, "probe": "ones"})


def test_table_of_the_readme(entries, tmp_path):
    shutil.copytree(entries, tmp_path / "saved_models")
    text, page = "<!-- zoo: -->\n<!-- end of zoo -->", tables.ZOO_PAGE
    found = tables.written(text, tmp_path, page)
    assert "Errors at lengths in digits of each number:" in found
    assert "| model | 4 | 20 | paper |" in found and f"[`{NAME}`]" in found
    metrics = json.loads((entries / NAME / "metrics.json").read_text())
    assert tables.written(found, tmp_path, page) == found and metrics["lengths"]
