"""The baselines of the Neural GPU: from training to the entry, and what counts as right."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import clean_process
from keras_adaptive import datasets
from keras_adaptive.evaluation import Probe
from keras_adaptive.zoo import families
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.families.neural_gpu import card as card_of_family
from keras_adaptive.zoo.families.neural_gpu.baseline import NeuralGPUBaseline
from keras_adaptive.zoo.recipes import load as recipe_of
from keras_adaptive.zoo.training.batches import batches as training_batches
from keras_adaptive.zoo.training.train import Conductor

# What is saved, and one training, is traced; a few answers take less without.
pytestmark = pytest.mark.usefixtures("eager")
LSTM, STACK = "neural_gpu_addition_lstm", "neural_gpu_addition_stack_rnn"
TIMES = "neural_gpu_multiplication_lstm"
SMALL = {"units": 4, "bits": 3, "min_bits": 3, "longer": 4, "batch_size": 4, "validate_every": 8}
STEPS = {"steps": 2, "chunk": 2, "curriculum": None}
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


def small(name):
    """What makes the recipe small."""
    return {**SMALL, **STEPS, **({"num_stacks": 2} if name == STACK else {"num_layers": 1})}


@pytest.fixture(scope="module", params=[LSTM, pytest.param(STACK, marks=pytest.mark.slow)])
def run(request, tmp_path_factory, trained):
    """A finished training of a tiny network; one of them in a graph."""
    name = request.param
    folder = tmp_path_factory.mktemp("runs") / name
    return trained(name, folder, overrides=small(name), graph=name == LSTM)


@pytest.fixture(scope="module")
def entries(run, tmp_path_factory, exported):
    """A folder with the entry of `run`."""
    into = tmp_path_factory.mktemp("entries")
    exported(run.folder, into, examples=5, lengths=(4,))
    return into


def writing(digits):
    """A probe that writes some symbols and then its end symbol, whatever it reads."""

    def probe(inputs):
        outputs = np.zeros((*inputs.shape, 3))
        symbols = np.zeros(inputs.shape[1], int)
        symbols[: len(digits)] = digits
        outputs[:, np.arange(len(symbols)), symbols] = 1
        return {"outputs": outputs}

    return probe


def perfect(inputs, task="neural_gpu_addition"):
    """A probe that knows all sums."""
    return {"outputs": np.eye(3)[datasets.task(task).answers(inputs)]}


@pytest.mark.parametrize(
    ("name", "steps"),
    [(LSTM, lambda d: d + 2), (STACK, lambda d: d + 2), (TIMES, lambda d: 2 * d + 1)],
)
def test_targets_are_cut_behind_the_end_of_the_longest_answer(name, steps):
    recipe = recipe_of(name).with_overrides({"batch_size": 3})
    for stage, level in ((recipe.stages[0], 2), (recipe.stages[0], 7), (recipe.stages[-1], None)):
        batches = training_batches(recipe, 0, stage, level)
        inputs, targets, weights = batches[0]
        bits = level or recipe.parameters["bits"]
        assert inputs.shape == (3, 2 * bits + 1)
        assert targets.shape == weights.shape == (3, steps(bits))
        whole = datasets.task(recipe.dataset).answers(inputs)
        np.testing.assert_array_equal(targets, whole[:, : steps(bits)])
        assert (whole[:, steps(bits) :] == 0).all() and (targets[:, -1] == 0).all()


@pytest.mark.parametrize("scales", [(1.0, 1.0), (4.0, 3.0)])
def test_scales_of_the_first_weights_of_the_stack_rnn(scales):
    settings = dict(zip(("kernel_scale", "action_scale"), scales, strict=True))
    recipe = recipe_of(STACK).with_overrides(settings)
    cell = families.of(recipe).build().cell
    for weight, scale in zip((cell.kernel, cell.action_kernel), scales, strict=True):
        bound = scale * np.sqrt(6 / sum(weight.shape))
        assert 0.95 * bound < np.abs(weight).max() <= bound


@pytest.mark.parametrize("name", ["kernel_scale", "action_scale", "action_sharpness"])
def test_what_must_be_positive(name):
    with pytest.raises(ValueError, match=f"{name} must be a number above 0 .*-1.0"):
        recipe_of(STACK).with_overrides({name: -1.0})


def test_only_the_whole_answer_is_right():
    recipe = recipe_of(LSTM)
    parameters = {"bits": 4, "min_bits": 4}
    measured = families.of(recipe).measure(perfect, 50, parameters=parameters)
    assert not measured["wrong"].any() and not measured["wrong_symbols"].any()
    # All zeros are the sum of zeros alone, and only with their full number of digits.
    probed = {**parameters, "probe": "zeros"}
    inputs = datasets.batch(recipe.dataset, 50, seed=0, split="test", **probed)["inputs"]
    zeros = (datasets.task(recipe.dataset).answers(inputs) < 2).all(axis=1)
    for digits, expected in ((5, ~zeros), (4, np.ones(50, bool)), (6, np.ones(50, bool))):
        probe = writing([1] * digits)
        found = families.of(recipe).measure(probe, 50, seed=0, parameters=probed)
        np.testing.assert_array_equal(found["wrong"], expected)


def test_answers_in_human_form():
    family = families.of(recipe_of(LSTM))
    found = family.predict(perfect, "110101+011011")
    assert found["answer"] == "1010000" and found["confidence"] == 1
    assert found["steps"] == 8 and found["symbols_read"] == "110101+011011"
    assert family.predict(writing([]), "101+1")["steps"] == 1
    # Who writes no end symbol is cut where the input ends.
    endless = family.predict(writing([2] * 7), "101+1")
    assert endless["answer"] == "1111111" and endless["steps"] == 7


def test_fewer_examples_at_once_of_longer_ones():
    family = families.of(recipe_of(STACK))
    assert family.evaluation_batch_size({"bits": 20, "min_bits": 20}) == 500
    assert 1 < family.evaluation_batch_size({"bits": 2000, "min_bits": 2000}) < 100


def test_entry_is_complete(run, entries):
    found = {path.name for path in (entries / run.recipe.name).iterdir()}
    assert FILES <= found <= FILES | {"fingerprint.pb", "assets"}
    metrics = store.results(run.recipe.name, entries)
    assert set(NeuralGPUBaseline.run_metrics) <= set(metrics) and metrics["longer"] == 4
    assert {row["length"] for row in metrics["lengths"]} == {3, 4}


def test_loaded_model_answers_as_the_trained_one_and_goes_on(run, entries):
    model = store.load(run.recipe.name, folder=entries)
    batch = datasets.batch("neural_gpu_addition", 4, seed=3, bits=5)
    ours, theirs = (Probe(x)(batch["inputs"])["outputs"] for x in (model, run.model))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert ours.shape == (4, 11, 3)
    data = batch["inputs"], batch["targets"], batch["weights"]
    assert np.isfinite(model.train_on_batch(*data)).all()


def test_saved_model_answers_without_the_package_at_any_length(run, entries):
    name = run.recipe.name
    inputs = datasets.batch("neural_gpu_addition", 2, seed=3, bits=4)["inputs"]
    inputs[0, 5:] = -1
    expected = Probe(store.load(name, folder=entries))(inputs)["outputs"]
    served, alone = clean_process.ask(
        entries / name, ("serve", inputs), ("serving_default", {"inputs": inputs[:1, :5]})
    )
    np.testing.assert_allclose(served["outputs"], expected, atol=1e-5)
    np.testing.assert_allclose(alone["outputs"], expected[:1, :5], atol=1e-5)


def test_the_end_of_a_curriculum_is_measured():
    recipe = recipe_of(LSTM)
    position = SimpleNamespace(level=19)
    run = SimpleNamespace(recipe=recipe, stage=recipe.stages[0], position=position)
    conductor = SimpleNamespace(run=run)

    def learns_all(error):
        return Conductor.learns_all(conductor, {"sequence_error": error})

    assert learns_all(0.09) and not learns_all(0.1)
    position.level = 18
    assert not learns_all(0.0)
    run.stage, position.level = recipe.stages[1], None
    assert not learns_all(0.0)


def test_a_training_goes_on(run):
    from keras_adaptive.zoo.training.run import restore

    again = restore(run.folder)
    assert again.position == run.position and again.position.done
    for ours, theirs in zip(again.model.get_weights(), run.model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_card(run, entries):
    card = store.card(run.recipe.name, entries)
    words = {LSTM: "with attention, one layer of 4 units", STACK: "and 2 stacks without limit ("}
    for text in (words[run.recipe.name], "(the paper: ", "| 4 | 5 |", "learning_curve.png"):
        assert text in card
    assert "mental image" not in card and "It is the only one that" in card
    row = {"probe": None, "least": 100, "length": 100, "examples": 9}
    row |= {"sequence_error": 1.0, "symbol_error": 0.5, "confidence_interval": [0.9, 1.0]}
    text = card_of_family.results(recipe_of(STACK), {"lengths": [row], "other_models": []})
    assert "| 12 % |" in text


def test_commands(run, command):
    name = run.recipe.name
    code, out, err = command("predict", name, "10+01", "--json")
    assert code == 0, err
    assert json.loads(out)["symbols_read"] == "10+01"
    code, out, err = command("evaluate", name, "--bits", 2, "--examples", 5, "--json")
    assert code == 0, err
    assert {"sequence_error", "bit_error"} <= set(json.loads(out))
    code, out, err = command("measure", run.folder, "--lengths", 4, "--examples", 5, "--json")
    assert code == 0, err
    assert [row["length"] for row in json.loads(out)["lengths"]] == [3, 4]
    assert f"\n{name} " in command("list")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plot", "1+1"), "no mental image to draw"),
        (("evaluate", "--length", "20"), "as long as --bits says"),
        (("evaluate", "--max-ponder", "3"), "max-ponder is for models with adaptive"),
        (("predict", "110101"), "two numbers with '+' between them"),
    ],
)
def test_errors_are_one_line(arguments, words, run, command):
    code, out, err = command(arguments[0], run.recipe.name, *arguments[1:])
    assert code == 2 and out == "" and words in err and err.count("\n") == 1
