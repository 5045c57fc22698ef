"""Entries with HAM: training on growing trees, errors with larger memories, commands."""

import argparse
import functools
import json

import keras
import numpy as np
import pytest

import clean_process
import tables
from keras_adaptive import datasets
from keras_adaptive.weight_averages import averaged_weights
from keras_adaptive.zoo import argument_types, cli, families, recipes
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.entries.figures import other_models
from keras_adaptive.zoo.families.ham import card as ham_card
from keras_adaptive.zoo.families.ham.family import HAM
from keras_adaptive.zoo.families.ham.network import Probe
from keras_adaptive.zoo.recipe import Curriculum
from pages import zoo as zoo_page

# What is saved, and one training, is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
NAME, SOFT, RAW = "ham_reverse", "dham_sort", "ham_stack"
FILES = {
    "README.md",
    "history.csv",
    "learning_curve.png",
    "manifest.json",
    "metrics.json",
    "model.keras",
    "recipe.json",
    "saved_model.pb",
    "variables",
}
SMALL = {
    "units": 3,
    "hidden_units": 4,
    "length": 4,
    "longer": 8,
    "batch_size": 4,
    "validate_every": 4,
    "steps": 2,
    "chunk": 2,
}


def small(name):
    """What makes the recipe small."""
    units = recipes.load(name).hyperparameters["controller_units"]
    changes = {"controller_units": units and 3, "min_length": 1 if units else 4}
    return {**SMALL, **changes, **({} if name == SOFT else {"samples": 2})}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory, trained):
    """Trains a tiny network, once for each recipe; one of them in a graph."""
    folder = tmp_path_factory.mktemp("runs")

    @functools.cache
    def run(name):
        options = {"overrides": small(name), "graph": name == NAME, "jit_compile": False}
        return trained(name, folder / name, **options)

    return run


@pytest.fixture(scope="module")
def entries(tiny, tmp_path_factory, exported):
    """A folder with the entries of a network with a controller and of one without."""
    into = tmp_path_factory.mktemp("entries")
    for name in (NAME, RAW):
        exported(tiny(name).folder, into, examples=5)
    return into


def perfect(task):
    """A probe that knows all answers."""

    def probe(inputs):
        outputs = datasets.task(task).answers(inputs)[..., None] * 0.98 + 0.01
        return {"outputs": outputs, "leaves": np.full(len(inputs), inputs.shape[1])}

    return probe


def test_every_task_has_a_recipe():
    known = {name for name in recipes.names() if "ham_" in name}
    assert known >= {f"ham_{name}" for name in ("reverse", "search", "merge", "sort", "add")}
    assert known >= {"ham_stack", "ham_queue", "ham_priority_queue", "dham_sort"}
    for name in known:
        recipe = recipes.load(name)
        assert recipe.stages[0].curriculum.doubling and recipe.differences


@pytest.mark.parametrize(
    "name", ["ham_search", "ham_merge", "ham_add", "ham_priority_queue", "ham_sort", "dham_sort"]
)
def test_outputs_fit_the_targets_of_every_task(name):
    recipe = recipes.load(name).with_overrides(small(name))
    model = families.of(recipe).build()
    batch = datasets.batch(recipe.dataset, 2, **{**recipe.parameters, "length": 8})
    layer = getattr(model, "network", model).get_layer("ham")
    spec = layer.compute_output_spec(keras.KerasTensor(batch["inputs"].shape))
    assert spec.shape == batch["targets"].shape


@pytest.mark.parametrize("name", ["ham_merge", "dham_merge"])
def test_a_priority_can_be_enlarged(name):
    recipe = recipes.load(name).with_overrides(small(name))
    kernels = []
    for gain in (1.0, 20.0):
        keras.utils.set_random_seed(0)
        model = recipe.replace(hyperparameters={**recipe.hyperparameters, "priority_gain": gain})
        model = families.of(model).build()
        layer = getattr(model, "network", model).get_layer("ham")
        kernels.append(np.array(layer.memory.embed.trainable_variables[0]))
    np.testing.assert_allclose(kernels[1][0], 20.0 * kernels[0][0], rtol=1e-6)
    np.testing.assert_array_equal(kernels[1][1:], kernels[0][1:])


def test_the_tree_doubles_when_both_errors_are_low():
    curriculum = Curriculum(("length",), 2, 32, 0.4, validation_threshold=0.03, doubling=True)
    assert [curriculum.after(level) for level in (2, 4, 16)] == [4, 8, 32]
    passed = {"sequence_error": 0.39, "validation_error": 0.03}
    assert curriculum.is_passed(passed)
    assert not curriculum.is_passed({**passed, "validation_error": 0.031})
    assert not curriculum.is_passed({**passed, "sequence_error": 0.4})
    assert not curriculum.is_passed({"sequence_error": 0.0})
    with pytest.raises(ValueError, match=r"validation_threshold must lie in .* 2"):
        Curriculum(("length",), 2, 32, 0.4, validation_threshold=2)


def test_training_goes_through_the_sizes(tiny):
    run = tiny(RAW)
    assert run.position.done and [row.get("level") for row in run.history] == [2, None, None]
    assert run.history[0]["validation_error"] <= 1 and "longer_error" not in run.history[0]
    for row in run.history[1:]:
        assert {"longer_error", "reward", "entropy", "entropy_bonus"} <= set(row)


def test_rates_and_bonus_follow_the_history(tiny):
    run = tiny(RAW)
    settings = {**run.recipe.hyperparameters, "size_factor": 0.5, "patience": 2}
    settings |= {"entropy_again": 0.125, "entropy_decay": 0.5, "sure_from": 4, "sure_decay": 0.25}
    run = type(run)(**{**vars(run), "recipe": run.recipe.replace(hyperparameters=settings)})
    family = HAM(run.recipe)
    row = {"stage": 0, "level": 2, "validation_error": 0.5, "validation_symbol_error": 0.5}
    run.position = type(run.position)(level=2)
    run.history = []
    assert family.on_chunk_begin(run) == 1 and run.model.entropy_decay == 0.5
    run.history = [row, row, row]
    assert family.on_chunk_begin(run) == 0.5
    run.position.level = 4
    assert family.on_chunk_begin(run) == 0.5 and run.model.entropy_bonus == 0.125
    assert run.model.entropy_decay == 0.125
    settings |= {"again_from": 1, "entropy_again": 0.25}
    run.recipe = run.recipe.replace(hyperparameters=settings)
    HAM(run.recipe).on_chunk_begin(run)
    assert run.model.entropy_bonus == 0.125
    run.position.stage = 1
    HAM(run.recipe).on_chunk_begin(run)
    assert run.model.entropy_bonus == 0.25


def test_the_average_is_what_is_measured_and_kept(tiny):
    run = tiny(NAME)
    optimizer = run.model.optimizer
    kept = [np.asarray(x) for x in run.model.trainable_variables]
    for value, average in zip(kept, optimizer._model_variables_moving_average, strict=True):
        np.testing.assert_array_equal(value, np.asarray(average))
    run.model.trainable_variables[0].assign(kept[0] + 1)
    with averaged_weights(run.model):
        np.testing.assert_array_equal(np.asarray(run.model.trainable_variables[0]), kept[0])
    np.testing.assert_array_equal(np.asarray(run.model.trainable_variables[0]), kept[0] + 1)
    run.model.trainable_variables[0].assign(kept[0])


def test_measured_are_memories_of_fixed_sizes(tiny):
    run = tiny(NAME)
    asked = argparse.Namespace(lengths=[3], examples=2, seed=None)
    with pytest.raises(ValueError, match="no --lengths"):
        HAM(run.recipe).measure_lengths(run, asked)
    asked.lengths = []
    by_seed = [
        HAM(run.recipe).measure_lengths(run, argparse.Namespace(**{**vars(asked), "seed": seed}))
        for seed in (None, 0, 1)
    ]
    assert by_seed[0] == by_seed[1] != by_seed[2]


def test_soft_memory_trains_by_backpropagation_alone():
    recipe = recipes.load(SOFT).with_overrides(small(SOFT))
    model = families.of(recipe).build()
    family = HAM(recipe)
    family.compile(model, jit_compile=False)
    model.run_eagerly = True
    batch = datasets.batch(recipe.dataset, 2, length=2)
    found = model.train_on_batch(*family.training_batch(batch, None), return_dict=True)
    assert set(found) == {"loss", "sequence_error"} and np.isfinite(found["loss"])
    assert "DHAM" in ham_card.network(recipe)


def test_entries_are_complete(entries):
    for name in (NAME, RAW):
        found = {path.name for path in (entries / name).iterdir()}
        assert FILES <= found <= FILES | {"fingerprint.pb", "assets"}
        assert set(HAM.run_metrics) <= set(store.results(name, entries))


def test_sizes(entries):
    for name, least in ((NAME, [1, 5, 9]), (RAW, [4, 8, 16])):
        rows = store.results(name, entries)["sizes"]
        assert [row["leaves"] for row in rows] == [4, 8, 16]
        assert [row["least"] for row in rows] == least
        for row in rows:
            low, high = row["confidence_interval"]
            assert low <= row["sequence_error"] <= high and row["examples"] == 5


def test_loaded_model_answers_as_the_trained_one_and_trains(tiny, entries):
    model = store.load(NAME, folder=entries)
    batch = datasets.batch(NAME, 4, seed=3, length=8)
    ours, theirs = (Probe(x)(batch["inputs"])["outputs"] for x in (model, tiny(NAME).model))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    data = batch["inputs"], batch["targets"].astype("float32"), batch["weights"]
    found = model.fit(*data[:2], sample_weight=data[2], verbose=0).history
    assert np.isfinite(found["loss"][0])


def test_saved_model_answers_without_the_package_at_any_length(entries):
    probe = Probe(store.load(NAME, folder=entries))
    short, long = (datasets.batch(NAME, 3, seed=3, length=n)["inputs"] for n in (3, 9))
    *served, alone = clean_process.ask(
        entries / NAME,
        ("serve", short),
        ("serve", long),
        ("serving_default", {"inputs": short[:1]}),
    )
    expected = [probe(inputs)["outputs"][..., 0] for inputs in (short, long)]
    for found, outputs in zip((*served, alone), (*expected, expected[0][:1]), strict=True):
        np.testing.assert_allclose(found["outputs"], outputs, atol=1e-5)


@pytest.mark.parametrize(
    ("task", "text", "answer"),
    [
        ("ham_reverse", "5 3 1023", "1023 3 5"),
        ("ham_search", "1:7 3:9 3:4 ? 3", "9"),
        ("ham_merge", "12/300:7 0.5:3 | 30/300:9", "7 9 3"),
        ("ham_sort", "3:7 1:4 3:2", "1:4 3:7 3:2"),
        ("ham_add", "53+27", "80"),
        ("ham_add", "110101+011011", "1010000"),
        ("ham_stack", "PUSH 5, PUSH 3, POP, POP", "3 5"),
        ("ham_priority_queue", "PUSH 9:5, PUSH 12:3, POP, POP, POP", "3 5 0"),
    ],
)
def test_answers_in_human_form(task, text, answer):
    found = HAM(recipes.load(task)).predict(perfect(task), text)
    assert found["answer"] == answer and found["leaves"] == 32
    assert 0 < found["confidence"] < 1
    json.dumps(found)


def test_long_examples_get_more_leaves():
    family = HAM(recipes.load("ham_reverse"))
    found = family.predict(perfect("ham_reverse"), " ".join(["7"] * 33))
    assert found["leaves"] == 64 and found["answer"].split() == ["7"] * 33


def test_card(tiny, entries):
    card = store.card(NAME, entries)
    for words in ("# ham_reverse", "| 16 | 9 to 16 | 5 |", "learning_curve.png", "--set units=3"):
        assert words in card
    assert "ends too early" in card and "ends too early" not in store.card(RAW, entries)
    one = store.results(NAME, entries)["runs"][0]
    better = {**one, "longer_error": one["longer_error"] - 0.1}
    assert "It was chosen for" in ham_card.choice([better, one], "8 leaves")
    assert "another has a lower error" in ham_card.choice([one, better], "8 leaves")
    metrics = store.results(RAW, entries)
    metrics["other_models"] = [{"model": "other", "sizes": metrics["sizes"]}]
    assert "[other](../other/README.md)" in ham_card.results(tiny(RAW).recipe, metrics)


def test_other_models_of_the_task_are_found(tiny, entries):
    renamed = tiny(RAW).recipe.replace(name="ham_stack_again")
    assert other_models(tiny(RAW).recipe, entries, "sizes") == []
    assert other_models(renamed, entries, "sizes")[0]["model"] == RAW


def test_commands(command, tmp_path):
    words = ["evaluate", NAME, "--length", "3:7", "--leaves", 16, "--examples", 5, "--seed", 991]
    code, out, err = command(*words, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert {"sequence_error", "bit_error", "confidence_interval"} <= set(found)
    assert (found["parameters"]["min_length"], found["parameters"]["length"]) == (3, 7)
    assert {row["difficulty"] for row in found["by_difficulty"]} <= set(range(3, 8))
    code, out, err = command("evaluate", RAW, "--length", 6, "--leaves", 2, "--examples", 5)
    assert code == 0 and "bit error" in out, err
    found = json.loads(command("predict", RAW, "PUSH 5, POP", "--json")[1])
    assert found["read"] == ["PUSH 5", "POP"] and found["leaves"] == 4
    assert command("predict", NAME, "5 3")[1].startswith("read: 5 3\n4 leaves")
    assert "\n16 leaves" in command("predict", NAME, "5 3", "--leaves", 16)[1]
    assert "\n2 leaves" in command("predict", NAME, "5 3", "--leaves", 2)[1]
    code, out, err = command("predict", NAME, "5 3 1 2", "--leaves", 2)
    assert (code, out) == (2, "") and "2 leaves, which are too few for 4 vectors" in err
    assert "--leaves must be a power of two" in command("predict", NAME, "5", "--leaves", 3)[2]
    for name, text in ((NAME, "5 3 1"), (RAW, "PUSH 5, POP, PUSH 1")):
        path = tmp_path / f"{name}.svg"
        code, out, err = command("plot", name, text, "--out", path, "--json")
        found = json.loads(out)
        assert code == 0 and found["picture"] == str(path) and found["leaves"] == 4, err
        assert found["attended"] and max(found["attended"]) < 4
        assert f"access 1: leaf {found['attended'][0]}" in path.read_text()
    listed = json.loads(command("list", "--json")[1])["models"][0]
    keys = {"model", "dataset", "sequence_error", "bit_error", "sizes"}
    assert keys | {"headline", "megabytes"} == set(listed)
    assert "leaves" in command("list")[1]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["evaluate", NAME, "--bits", "20"], "as long as --length says"),
        (["evaluate", NAME, "--probe", "ones"], "no --probe"),
        (["evaluate", NAME, "--leaves", "12"], "power of two"),
        (["evaluate", NAME, "--length", "9", "--leaves", "8"], "8 leaves, which are too few"),
        (["evaluate", NAME, "--within", "3"], "--within is for models with adaptive"),
        (["evaluate", NAME, "--max-ponder", "3"], "max-ponder is for models with adaptive"),
        (["predict", NAME, "1:2"], "separated by spaces"),
        (["plot", NAME], "give one"),
        (["plot", NAME, " ".join(["1"] * 33)], "up to 32 leaves"),
        (["predict", RAW, "PUSH 32"], "below 32"),
    ],
)
def test_errors_are_one_line(argv, words, command):
    code, out, err = command(*argv)
    assert code == 2 and out == ""
    assert words in err
    assert err.startswith("keras-adaptive: error: ") and err.count("\n") == 1


def test_a_length_is_a_number_or_a_range(capsys):
    assert argument_types.lengths("7") == 7 and argument_types.lengths("65:128") == (65, 128)
    assert argument_types.lengths("5-10") == (5, 10) and argument_types.lengths("-5") == -5
    assert cli.main(["evaluate", NAME, "--length", "9:3"]) == 2
    assert "--length must be least:largest. Received: 9:3" in capsys.readouterr().err


def test_table_of_the_readme(entries):
    table = zoo_page.zoo_table(entries.glob("*/metrics.json"), tables.read)
    assert "| model | trained with up to | 4 | 8 | 16 | paper, 4 | paper, 16 |" in table
    assert f"[`{RAW}`]" in table


def test_a_picture_shows_the_answer_that_is_given_with_it(entries, tmp_path):
    """The tree that is drawn may be smaller than that of `predict`, and answer otherwise."""
    family, model = families.of(store.recipe(NAME, entries)), store.load(NAME, folder=entries)
    text, path = "5 3", tmp_path / "picture.svg"
    drawn = family.plot(model, argparse.Namespace(input=text, out=path))
    model.network.get_layer("ham").num_leaves = 2
    assert drawn == {
        **family.predict(family.probe(model), text),
        "picture": str(path),
        "attended": drawn["attended"],
    }
    for number, leaf in enumerate(drawn["attended"], 1):
        assert f"access {number}: leaf {leaf}" in path.read_text()
