"""Cards and tables say what was chosen by what, and what readers must know of a figure."""

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from keras_adaptive import checkpoints, datasets, zoo
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.entries import baseline, export, headline, lengths, store, verify
from keras_adaptive.zoo.entries.card import minutes, with_medians
from keras_adaptive.zoo.entries.headline import is_of_one_length
from keras_adaptive.zoo.families.ham.family import HAM
from keras_adaptive.zoo.families.neural_gpu.family import NeuralGPU
from keras_adaptive.zoo.search import study_table
from renew import renew

ENTRIES = {name: (store.recipe(name), store.results(name)) for name in store.names()}
ROOT = Path(__file__).parents[2]
# Entries of which test figures were known when something was changed.
SEEN = (
    "act_addition",
    "act_logic_anytime",
    "act_sort",
    "ham_merge",
    "ham_priority_queue",
    "ham_search",
    "ham_sort",
    "neural_gpu_addition",
    "neural_gpu_addition_lstm",
    "neural_gpu_addition_stack_rnn",
    "neural_gpu_duplicate",
    "neural_gpu_multiplication",
    "neural_gpu_sort_bits",
)


SNIPPETS = (
    "act_addition",
    "act_enwik8_small",
    "ham_sort_lstm",
    "neural_gpu_addition_lstm",
    "neural_gpu_copy",
)
REST = sorted({*ENTRIES} - {*SNIPPETS})


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "name", [*SNIPPETS, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)]
)
def test_the_snippet_of_a_card_runs(name, capsys):
    code = re.search(r"```python\n(.*?)```", store.card(name), re.S)[1]
    variables = {}
    try:
        exec(code, variables)
    except FileNotFoundError as error:
        # Of the entries whose examples are files of the user.
        assert name in ("act_cifar10", "sact_cifar10"), error
        pytest.skip(str(error))
    assert capsys.readouterr().out.strip() and variables["model"].built
    # Of pictures there are several.
    assert "batch" in variables or variables["inputs"].shape[0] == 1


@pytest.mark.parametrize("name", store.names())
def test_cards_begin_with_use(name):
    """And their tables of trainings come last, folded."""
    card = store.card(name)
    titles = re.findall("^## (.*)$", card, re.M)
    # Adaptive networks that were measured with limits have a section more.
    titles = [title for title in titles if title != "With less thought"]
    assert titles[:5] == ["Use", "Results", "Limits", "Licence", "Pictures"]
    assert titles[-1] == "Training" and "\n| seed" not in card.split("<details>")[0]


@pytest.mark.parametrize("name", store.names())
def test_cards_load_the_packaged_model(name):
    assert ENTRIES[name][1].get("folder") is None and "folder=" not in store.card(name)


@pytest.mark.parametrize("name", ["act_sort", "act_digits", "sact_digits"])
def test_limits_say_what_the_training_did_not_see(name):
    (limits,) = re.findall("## Limits\n\n(.*?)\n\n##", store.card(name), re.S)
    assert limits.endswith(datasets.task(ENTRIES[name][0].dataset).UNSEEN)


@pytest.mark.parametrize("name", SEEN)
def test_cards_say_which_test_figures_were_seen(name):
    _, section = store.card(name).split("## Test figures that were seen before a change")
    assert re.search(r"\d %", section) and f"keras-adaptive verify {name}" in section


@pytest.mark.parametrize("name", store.names())
def test_the_only_training_is_not_called_chosen(name):
    recipe, metrics = ENTRIES[name]
    card, own = store.card(name), recipe.variant
    alike = [run for run in metrics["runs"] if run.get("variant", own) == own]
    if len(alike) == 1:
        assert "It was chosen" not in card and "training is chosen" not in card
        assert "least error on validation data" not in card and "only one" in card


@pytest.mark.parametrize("name", store.names())
def test_cards_say_at_which_lengths_sharpness_was_chosen(name):
    recipe, _ = ENTRIES[name]
    settings = recipe.hyperparameters
    if max(settings.get("gate_sharpness", 1.0), settings.get("action_sharpness", 1.0)) > 1:
        assert re.search(r"sharper in inference .*validation examples of \d+", store.card(name))


def test_the_best_training_of_each_number_of_fixed_steps_is_among_the_results():
    metrics = store.results("act_parity")
    plain = metrics["without_act"]
    trained = [("fixed-3", 0.2, 200), ("fixed-7", 0.1, 520_000), ("fixed-3", 0.4, 520_000)]
    others = [
        {**plain, "variant": v, "validation_error": e, "sequence_error": e, "steps": steps}
        for v, e, steps in trained
    ]
    family = families.of(store.recipe("act_parity"))
    card = family.card({**metrics, "runs": [*metrics["runs"], *others]})
    rows = [line for line in card.splitlines() if " steps for every input, " in line]
    # And the published one, with eight steps.
    assert len(rows) == 3
    assert any("0.0 times the examples | 20.00 %" in row for row in rows)
    assert any("as long a training | 10.00 %" in row for row in rows)


def test_no_entry_is_an_average_of_networks():
    """The figures of the papers are those of single ones; `export --ensemble` is an option."""
    assert not [name for name, (_, metrics) in ENTRIES.items() if metrics.get("ensemble")]


def test_tables_say_what_saw_64_leaves():
    page = (ROOT / "docs" / "zoo.md").read_text(encoding="utf-8")
    for name, (recipe, metrics) in ENTRIES.items():
        if "sizes" in metrics:
            seen = 64 if any(64 in stage.bins for stage in recipe.stages) else 32
            assert f"[`{name}`](../saved_models/{name}/README.md) | {seen} |" in page
    found = headline.headline(*(json.loads(text) for text in files("ham_sort")))
    assert found["trained_on"] == "up to 64 leaves" and found["error"] == 0.0004


def files(name):
    """The texts of `recipe.json` and `metrics.json` of an entry."""
    return [(store.entry(name) / f"{what}.json").read_text() for what in ("recipe", "metrics")]


def test_raw_ham_is_measured_at_exactly_as_many_operations(monkeypatch):
    """At the size of training too, also if a training saw shorter examples."""
    recipe = recipes.load("ham_stack").with_overrides({"min_length": 1})
    monkeypatch.setattr(HAM, "measure", lambda *_, parameters, **__: parameters)
    monkeypatch.setattr(HAM, "summary", lambda _, parameters: dict(parameters))
    monkeypatch.setattr(HAM, "probe", lambda *_: None)
    rows = HAM(recipe).sizes(None, 10)
    assert [(row["least"], row["leaves"]) for row in rows] == [(32, 32), (64, 64), (128, 128)]
    exact = [name for name, (_, found) in ENTRIES.items() if "sizes" in found]
    exact = [name for name in exact if is_of_one_length(ENTRIES[name][1]["sizes"][0])]
    assert exact == ["ham_priority_queue", "ham_priority_queue_32", "ham_queue", "ham_stack"]
    written = f"{', '.join(map('`{}`'.format, exact))}: exactly as many as leaves"
    assert written in (ROOT / "docs" / "zoo.md").read_text(encoding="utf-8")


def test_the_text_model_is_compared_with_a_model_that_is_here():
    _, metrics = ENTRIES["act_enwik8_small"]
    assert (store.entry("act_enwik8_small") / metrics["without_act"]["weights"]).is_file()
    kinds = {row["kind"]: row for row in metrics["by_difficulty"]}
    assert kinds["line ends"]["bytes"] == 1197 and kinds["spaces"]["bytes"] == 5475


def test_an_exported_card_loads_its_own_model(entries, run):
    card = store.card("act_addition", entries)
    (call,) = re.findall(r"^model = (zoo\.load\(.*?\)) ", card, re.M)
    model = eval(call, {"zoo": zoo})  # As a reader would type it.
    for own, trained in zip(model.get_weights(), run.model.get_weights(), strict=True):
        np.testing.assert_array_equal(own, trained)


def test_inputs_that_a_card_describes_are_answered_by_the_saved_model():
    """As a reader would build them without the package."""
    card = store.card("neural_gpu_copy")
    (given, answer) = re.search(r"`0011` is `(.*?)`, and its answer `(.*?)`", card).groups()
    model = store.saved_model("neural_gpu_copy")
    served = model.serve(np.array([json.loads(given)], "int32"))
    assert np.argmax(served["outputs"], -1).tolist() == [json.loads(answer)]
    assert "1 is the bit 0, 2 the bit 1" in card and answer == "[1, 1, 2, 2]"


def test_operations_that_a_card_describes_are_answered_by_the_saved_model():
    card = store.card("ham_stack")
    assert "PUSH is 1 and the 5 bits of the value, the most significant first" in card
    assert "that of a POP is 6 zeros" in card
    push, pop = re.search("begins with `(.*?)` and ends with `(.*?)`", card).groups()
    inputs = np.full((1, 32, 6), -1, "float32")
    inputs[0, :4] = [json.loads(push), [1, 0, 0, 0, 1, 1], [0] * 6, json.loads(pop)]
    model = store.saved_model("ham_stack")
    outputs = np.array(model.serve(inputs)["outputs"])[0, 2:4] > 0.5
    assert outputs.astype(int).tolist() == [[0, 0, 0, 1, 1], [0, 0, 1, 0, 1]]


@pytest.mark.parametrize("name", [name for name in ENTRIES if name.startswith("neural_gpu")])
def test_cards_give_the_symbols_of_the_task(name):
    recipe, _ = ENTRIES[name]
    (text, given) = re.search(r"`([01*+]+)` is `(.*?)`", store.card(name)).groups()
    assert datasets.task(recipe.dataset).describe(np.array(json.loads(given))) == text


NUMBERS = ("examples", "seed")


def test_lengths_of_what_has_none_are_refused(run, tmp_path):
    with pytest.raises(ValueError, match="leave out --lengths"):
        export.export(run.folder, tmp_path, lengths=[5])


@pytest.mark.parametrize("others", [("run",), ("other", "run/../other"), ("more",)])
def test_a_training_is_listed_once(others, monkeypatch, tmp_path):
    """What is not is refused before anything is loaded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    with pytest.raises(ValueError, match=rf"others \(--others\) .* once.*: {others[-1]}"):
        export.export(tmp_path / "run", tmp_path, others, ensemble=("more",))


def test_export_reports_as_many_examples_as_it_was_told(run, monkeypatch, tmp_path):
    known = dict.fromkeys(("variant", *HAM.run_metrics, "ponder_steps"), 0)
    known |= {"steps": run.position.step, "examples": 500, "seed": 0}
    known |= {"parameters": dict(run.recipe.parameters), "settings": run.settings}
    (tmp_path / "metrics.json").write_text(json.dumps(known))
    own = SimpleNamespace(
        folder=tmp_path, recipe=run.recipe, position=run.position, settings=run.settings
    )
    monkeypatch.setattr(export, "evaluate_run", lambda _, *numbers: dict(zip(NUMBERS, numbers)))
    assert export.metrics_of(own, 300, 300)["examples"] == 300
    assert export.metrics_of(own, 300)["examples"] == 500
    assert export.metrics_of(own, 300, seed=1) == {"examples": 300, "seed": 1}
    (tmp_path / "metrics.json").write_text(json.dumps({**known, "examples": "many"}))
    assert export.metrics_of(own, 300) == {"examples": 300, "seed": 0}
    (tmp_path / "metrics.json").write_text(json.dumps(known))
    own.settings = {**run.settings, "seed": 9}
    assert export.metrics_of(own, 300) == {"examples": 300, "seed": 0}
    own.settings = run.settings
    # Measured on other data, when the recipe was another.
    own.recipe = run.recipe.replace(parameters={**run.recipe.parameters, "digits": 3})
    assert export.metrics_of(own, 300) == {"examples": 300, "seed": 0}
    found = {"wrong": [True] * 5, "wrong_symbols": [1] * 5, "symbols": [2] * 5}
    row = {"probe": None, "least": 3, "length": 3, "seconds": 1, "backend": "", "found": found}
    assert lengths.row_of(row, NeuralGPU(recipes.load("neural_gpu_copy")), 3)["examples"] == 3


def test_words_of_one():
    assert minutes(61) == "1 minute" and minutes(1) == "less than a minute"
    one = [{"error": 0.5, "ponder_steps": 3.0}]
    assert study_table.in_words(one, "error", ".1%") == "50.0%"
    assert study_table.in_words(one * 2, "error", ".1%") == "50.0% ± 0.0%"


@pytest.mark.usefixtures("eager")
def test_errors_against_the_limit_are_measured_published_and_measured_again(entries, tmp_path):
    """Of the entry of a small network that may take two steps."""
    folder = tmp_path / "entries"
    shutil.copytree(entries, folder)
    metrics = store.results("act_addition", folder)
    rows = metrics["against_limit"]
    assert [row["max_ponder"] for row in rows] == [1, 2]
    assert [row["examples"] for row in rows] == [60] * 2
    assert rows[0]["ponder_steps"] == 1 and rows[-1]["ponder_steps"] == metrics["ponder_steps"]
    assert (folder / "act_addition" / "limit.png").is_file()
    assert "| step limit | sequence error | mean steps |" in store.card("act_addition", folder)
    path = folder / "act_addition" / "metrics.json"
    path.write_text(json.dumps({k: v for k, v in metrics.items() if k != "against_limit"}))
    checkpoints.write_manifest(path.parent)
    renew("act_addition", folder=folder, limits=True)
    renewed = store.results("act_addition", folder)["against_limit"]
    assert [row["max_ponder"] for row in renewed] == [1, 2]
    found = verify.again("act_addition", 1_234_567, examples=20, folder=folder)["figures"]
    assert {"at most 1 steps", "at most 2 steps"} <= {one["what"] for one in found}


@pytest.mark.usefixtures("eager")
def test_a_card_lists_a_training_once(entries, run, tmp_path):
    folder = tmp_path / "entries"
    shutil.copytree(entries, folder)
    before = store.results("act_addition", folder)["runs"]
    renew("act_addition", folder=folder, added=[run.folder])
    assert store.results("act_addition", folder)["runs"] == before


def test_a_share_of_the_training_is_one_of_examples():
    """Batches have several sizes, and a training may begin with the weights of another."""
    metrics = store.results("act_sort")
    seen = baseline.examples_seen(metrics["settings"], metrics["steps"])
    assert seen == 1_001_500 * 32 + 16_250 * 1024
    plain = metrics["without_act"]
    assert baseline.share_of_training(metrics, plain) == 32_000_000 / seen
    assert baseline.share_of_training(plain, metrics) == 1


def test_the_median_of_three_seeds_stands_below_them():
    row = {"settings": {"overrides": None, "steps_scale": None}, "variant": "act", "steps": 5}
    errors = {0: 0.1, 1: 0.4, 2: 0.2}
    runs = [{**row, "training_seed": seed, "error": [error]} for seed, error in errors.items()]
    plain = {**runs[0], "variant": "plain"}
    *same, median = with_medians([plain, *runs])
    assert same == [plain, *runs]
    assert median == {**runs[0], "training_seed": "median of 3", "error": [0.2]}
    # Two are too few, as is one that was stopped early, or a seed that was trained twice.
    assert with_medians(runs[1:]) == runs[1:]
    broken = [*runs[1:], {**runs[0], "finished": False}]
    assert with_medians(broken) == broken
    assert with_medians([*runs[1:], runs[1]]) == [*runs[1:], runs[1]]
