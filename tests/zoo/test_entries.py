"""The committed models answer as they did when they were published.

`PYTHONPATH=.:tests python tests/zoo/test_entries.py NAME` writes the answers of an entry, or of all
that lie in saved_models/, into golden.json; do that when an entry is replaced on purpose.
"""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import graphs
import other_backend
from entries_on_every_backend import loaded, outputs, probe_of
from keras_adaptive import datasets
from keras_adaptive.datasets.cifar10 import cifar10
from keras_adaptive.datasets.enwik8 import enwik8
from keras_adaptive.datasets.tatoeba import tatoeba
from keras_adaptive.datasets.wikitext2 import wikitext2
from keras_adaptive.statistics import compare_errors
from keras_adaptive.zoo import families
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.entries.record import limit_of
from support import enwik8_text

GOLDEN = Path(__file__).with_name("golden.json")
# What each entry must not exceed: its share of wrong sequences, or its bits per character.
BOUNDS = {
    "act_parity": 0.01,
    "act_logic": 0.02,
    "act_logic_anytime": 0.002,
    "act_addition": 0.02,
    "act_sort": 0.09,
    "act_enwik8": 2.2,
    "act_enwik8_small": 3.1,
    "act_words": 170,
    "neural_gpu_addition": 0.001,
    "neural_gpu_addition_paper": 0.004,
    "neural_gpu_copy": 0.001,
    "neural_gpu_reverse": 0.001,
    "neural_gpu_duplicate": 0.001,
    "neural_gpu_sort_bits": 0.001,
    "neural_gpu_multiplication": 0.01,
    "neural_gpu_addition_lstm": 0.03,
    "neural_gpu_addition_stack_rnn": 0.001,
    "pondernet_parity": 0.01,
    "recall_prefix_sums": 0.001,
    "sact_digits": 0.07,
    "act_digits": 0.07,
    "sact_cifar10": 0.13,
    "act_cifar10": 0.15,
    "hull_pointer": 0.12,
    # From 5 to 50 points.
    "hull50_pointer": 0.30,
    # Shares of tours that are not the shortest.
    "tour_pointer": 0.30,
    "tour20_pointer": 0.90,
    "ham_merge_32": 0.02,
    "ham_priority_queue_32": 0.005,
    "ham_sort_32": 0.005,
    "ham_stack": 0.005,
    "ham_queue": 0.005,
    "ham_reverse": 0.001,
    "dham_reverse": 0.001,
    "dham_search": 0.005,
    "ham_add": 0.001,
    "ham_search": 0.005,
    "ham_sort": 0.001,
    "ham_merge": 0.01,
    "ham_priority_queue": 0.005,
    "ham_search_attention": 0.005,
    "ham_add_attention": 0.005,
    "ham_reverse_attention": 0.004,
    "ham_merge_attention": 0.15,
}


@pytest.fixture(scope="module", autouse=True)
def text(tmp_path_factory):
    """The test part of the first megabyte of enwik8 is at hand."""
    with pytest.MonkeyPatch.context() as patch:
        path = str(enwik8_text.write_head(tmp_path_factory.mktemp("text") / "enwik8"))
        patch.setenv(enwik8.VARIABLE, path)
        yield path


# How far outputs may be from those of another processor.
NEAR = 2e-2


def answers(name):
    """Outputs of an entry on fixed examples for a golden file, those that took most learning."""
    inputs, found, steps = outputs(name)
    with without_weights(loaded(name)):
        learned = np.abs(found - outputs(name)[1])
    # Three that are sure of yes, and two that are sure of no.
    orders = [np.where(said, -learned, 1).argsort(1) for said in (found > 0.5, found < 0.5)]
    places = np.concatenate([orders[0][:, :3], orders[1][:, :2]], axis=1)
    kept = {
        "inputs": float(np.abs(inputs).sum()),
        "places": places.tolist(),
        "outputs": np.take_along_axis(found, places, 1).astype(float).round(5).tolist(),
    }
    if steps is not None:
        kept["ponder_steps"] = steps[:, :50].astype(int).tolist()
    return kept


# Of windows of text a graph is quicker. For the others it takes longer to trace than they take to
# answer, so that one of each kind of loop does in the suite.
LONG = {name for name in store.names() if store.recipe(name).family == "language"}
IN_GRAPHS = {"act_logic", "ham_reverse", "neural_gpu_copy"}
REST = sorted({*store.names()} - LONG - IN_GRAPHS)
# At least one of each family.
SOON = {
    *("act_addition", "act_digits", "act_enwik8_small", "act_parity", "act_words", "dham_reverse"),
    *("ham_search_lstm", "hull_pointer", "neural_gpu_addition", "neural_gpu_addition_stack_rnn"),
    *("pondernet_parity", "recall_prefix_sums", "translation_en_de"),
}
# Which take no more than a second.
SHORT = {"act_parity", "neural_gpu_addition", "recall_prefix_sums"}


@pytest.mark.parametrize(
    "name",
    [
        name if name in SOON else pytest.param(name, marks=pytest.mark.slow)
        for name in store.names()
    ],
)
def test_golden_answers(name):
    with graphs.functions(run_eagerly=name not in LONG):
        check_golden(name, *outputs(name))


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    "name",
    [*sorted(IN_GRAPHS), *(pytest.param(name, marks=pytest.mark.slow) for name in REST)],
)
def test_golden_answers_in_a_graph(name):
    check_golden(name, *outputs(name))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("name", store.names())
def test_golden_answers_on_other_backends(backend, name, text):
    function = "entries_on_every_backend", "on_this_backend"
    check_golden(name, *other_backend.call(backend, *function, name, text))


def check_golden(name, inputs, found, steps):
    golden = json.loads(GOLDEN.read_text())
    assert name in golden, "golden.json lacks it: see the head of this file"
    expected = golden[name]
    places, wanted = np.array(expected["places"]), np.array(expected["outputs"])
    assert np.abs(inputs).sum() == pytest.approx(expected["inputs"]), "the data set draws otherwise"
    if steps is not None:
        # A halting sum may fall on the other side of its threshold on another processor.
        assert (steps[:, :50] == np.array(expected["ponder_steps"])).mean() > 0.9
    np.testing.assert_allclose(np.take_along_axis(found, places, 1), wanted, atol=NEAR)
    assert all(np.abs(constant - wanted).max() > 10 * NEAR for constant in (0.0, 0.5, 1.0))


# It takes as long as the answers themselves, and depends on little but golden.json.
@pytest.mark.parametrize(
    "name",
    [
        name if name in SHORT else pytest.param(name, marks=pytest.mark.slow)
        for name in store.names()
    ],
)
def test_no_example_is_answered_as_by_a_network_of_zeros(name):
    golden = json.loads(GOLDEN.read_text())[name]
    places, wanted = np.array(golden["places"]), np.array(golden["outputs"])
    with graphs.functions(run_eagerly=name not in LONG), without_weights(loaded(name)):
        silent = np.take_along_axis(outputs(name)[1], places, 1)
    assert (np.abs(silent - wanted).max(axis=1) > 10 * NEAR).all()


@contextlib.contextmanager
def without_weights(model):
    """The model with zeros for weights."""
    weights = [np.array(variable) for variable in model.trainable_variables]
    for variable in model.trainable_variables:
        variable.assign(np.zeros(variable.shape))
    try:
        yield
    finally:
        for variable, value in zip(model.trainable_variables, weights, strict=True):
            variable.assign(value)


VARIABLES = {
    "cifar10": cifar10.VARIABLE,
    "tatoeba": tatoeba.VARIABLE,
    "wikitext2": wikitext2.VARIABLE,
}
WHOLE = {n for n in store.names() if store.recipe(n).parameters.get("size") == enwik8.SIZE}


@pytest.mark.parametrize("name", store.names())
def test_the_error_of_the_card_is_within_its_bounds(name):
    family, results = families.of(store.recipe(name)), store.results(name)
    assert results["examples"] >= family.default_examples
    score = family.main_metric
    assert score == "bleu" or results[score] <= BOUNDS.get(name, 1.0)


# Golden answers are of all entries, a record of `verify` has all their figures, and a sample of
# `verify` is in the suite.
@pytest.mark.slow
@pytest.mark.parametrize("name", store.names())
def test_error_of_the_card_is_met_again(name):
    recipe, results = store.recipe(name), store.results(name)
    if name in WHOLE:
        pytest.skip("the whole of enwik8 is not at hand: `verify` measures it")
    variable = VARIABLES.get(recipe.dataset)
    if variable and not os.environ.get(variable):
        pytest.skip(f"the variable {variable} does not say where the data is")
    # Windows of text are long.
    examples = 1000 if recipe.dataset in datasets.names() else 30
    family = families.of(recipe)
    with graphs.functions(run_eagerly=recipe.family not in ("ham", "language")):
        found = family.summary(family.measure(probe_of(name), examples, seed=99))
    score = family.main_metric
    if score == "sequence_error":
        counts = [(row["errors"], row["examples"]) for row in (results, found)]
        assert compare_errors(*counts[0], *counts[1]) > limit_of(len(store.names()))
    else:
        low, high = found["confidence_interval"]
        assert low <= results[score] <= high


@pytest.mark.parametrize("name", store.names())
def test_card_is_what_the_results_say(name):
    assert families.of(store.recipe(name)).card(store.results(name)) == store.card(name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ[enwik8.VARIABLE] = str(enwik8_text.write_head(Path(folder) / "enwik8"))
        golden = {name: answers(name) for name in sys.argv[1:] or store.names()}
    golden = json.loads(GOLDEN.read_text()) | golden
    lines = (f"{json.dumps(name)}: {json.dumps(kept)}" for name, kept in sorted(golden.items()))
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
