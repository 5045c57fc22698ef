"""What is chosen, is chosen on validation data: nobody looks at the test split meanwhile.

The test split is poisoned: whoever draws from it gets an error. Under it each family trains, with
its measurements and its curriculum, tells what a choice between trainings may look at, and chooses
seeds; the search, and the choice of heights in a text, go on too.
"""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.datasets.enwik8 import enwik8
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.evaluate import evaluate
from keras_adaptive.zoo.families.act import card as act_card
from keras_adaptive.zoo.families.act.family import ACT
from keras_adaptive.zoo.families.ham import card as ham_card
from keras_adaptive.zoo.families.language import segmentation
from keras_adaptive.zoo.families.neural_gpu import card as neural_gpu_card
from keras_adaptive.zoo.recipe import Stage
from keras_adaptive.zoo.search.seeds import choose_seed
from keras_adaptive.zoo.training.train import train

ROOT = Path(__file__).parents[2]
BINS = Stage(steps=2, learning_rate=0.01, bins=(2, 3), chunk=2)
SHORT = {"chunk": 2, "steps": 2, "validate_every": 2, "batch_size": 4}
NEURAL_GPU = {"length": 5, "min_length": 5, "longer": 7, "longer_at_first": 6}
# A recipe of each family, and what makes it small.
SMALL = {
    "act": ("act_parity", {"units": 4, "bits": 4, "max_ponder": 3, **SHORT}),
    "language": (
        "act_enwik8_small",
        {"units": 4, "length": 8, "size": 2000, "max_ponder": 3, **SHORT},
    ),
    "neural_gpu": ("neural_gpu_copy", {"maps": 3, **NEURAL_GPU}),
    "baseline": (
        "neural_gpu_addition_lstm",
        {"units": 4, "num_layers": 1, "bits": 3, "min_bits": 3, "longer": 5, **SHORT},
    ),
    "pondernet": (
        "pondernet_parity",
        {"units": 4, "bits": 8, "length": 4, "max_ponder": 3, **SHORT, "stages.1.bins": [2, 4]},
    ),
    "recall": (
        "recall_prefix_sums",
        {
            "filters": 4,
            "num_blocks": 1,
            "iterations": 3,
            "length": 4,
            "min_length": 4,
            "longer": 8,
            "max_ponder": 9,
            "unchanged_steps": 2,
            **SHORT,
        },
    ),
    "pointer": (
        "hull_pointer",
        {"units": 4, "length": 5, "min_length": 4, "bins": [4, 5], "max_ponder": 2, **SHORT},
    ),
    "ham": (
        "ham_stack",
        {"units": 4, "hidden_units": 4, "length": 4, "min_length": 4, "longer": 8, **SHORT},
    ),
    "ham_baseline": (
        "ham_reverse_lstm",
        {"units": 4, "length": 4, "longer": 8, **SHORT},
    ),
}
TAKES = "A choice looked at test data"


def small(family):
    """A small recipe of a family."""
    name, changes = SMALL[family]
    recipe = recipes.load(name)
    assert recipe.family == family
    if family == "neural_gpu":
        recipe = recipe.replace(stages=(BINS, BINS), batch_size=4, validate_every=2)
    return recipe.with_overrides(changes)


@pytest.fixture
def poisoned(monkeypatch, tmp_path):
    """Draws no examples of the test split, of any data set."""
    text = np.random.default_rng(0).integers(97, 123, 2000, "uint8").tobytes()
    (tmp_path / "enwik8").write_bytes(text)
    monkeypatch.setenv(enwik8.VARIABLE, str(tmp_path / "enwik8"))
    honest = {"batch": datasets.batch, "windows": enwik8.windows, "sample": enwik8.sample}

    def batch(*arguments, split="train", **options):
        assert split != "test", TAKES
        return honest["batch"](*arguments, split=split, **options)

    def windows(split, *arguments, **options):
        assert split != "test", TAKES
        return honest["windows"](split, *arguments, **options)

    monkeypatch.setattr(datasets, "batch", batch)
    monkeypatch.setattr(enwik8, "windows", windows)


class Drawn(Exception):
    """Somebody wanted examples."""


@pytest.mark.parametrize("family", SMALL)
def test_a_choice_draws_validation_data_first(family, monkeypatch):
    """The same without a network: only whom it asks for examples."""
    recipe, splits = recipes.load(SMALL[family][0]), []
    one = families.of(recipe)

    def draw(split):
        splits.append(split)
        raise Drawn

    monkeypatch.setattr(datasets, "batch", lambda *_, split="train", **__: draw(split))
    monkeypatch.setattr(enwik8, "windows", lambda split, *_, **__: draw(split))
    monkeypatch.setattr(one, "probe", lambda model: None)
    monkeypatch.setattr(one, "evaluation_batch_size", lambda parameters: 4)
    position = SimpleNamespace(stage=1, level=None)
    with pytest.raises(Drawn):
        one.selection_metrics(SimpleNamespace(recipe=recipe, model=None, position=position), 4)
    assert splits == ["validation"]


@pytest.mark.slow
@pytest.mark.parametrize("family", SMALL)
def test_no_family_chooses_on_test_data(family, poisoned, tmp_path):
    recipe = small(family)
    if "longer" in recipe.hyperparameters:
        # As seeds are tried, of which the best goes on to the end.
        run = choose_seed(recipe, tmp_path / "run", 1)
    else:
        run = train(recipe, tmp_path / "run")
    # It was measured on its way, on validation data.
    assert any("validation" in key for row in run.history for key in row)
    chosen_by = families.of(recipe).selection_metrics(run, 4)
    assert any(key.startswith("validation") for key in chosen_by)
    with pytest.raises(AssertionError, match=TAKES):
        evaluate(run.model, recipe, 4)


@pytest.mark.slow
def test_heights_in_a_text_are_chosen_on_validation_data(poisoned, tmp_path):
    recipe = small("language")
    family = families.of(recipe)
    probe = family.probe(families.of(recipe).build())
    with pytest.raises(AssertionError, match=TAKES):
        segmentation.measure(family, probe)
    heights = segmentation.choices(family, probe)
    assert {text for text, _ in heights} == set(segmentation.TEXTS)


@pytest.mark.slow
def test_sharpness_is_looked_at_on_validation_data(poisoned, monkeypatch):
    path = ROOT / "benchmarks" / "neural_gpu_sharpness.py"
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location("neural_gpu_sharpness", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LENGTHS", {"neural_gpu_copy": (5,)})
    monkeypatch.setattr(module, "SHARPNESSES", (1.0,))
    assert module.measured("neural_gpu_copy", 2)["rows"][0]["examples"] == 2


# Two trainings: the first is better on test data, the second on validation data.
TRAININGS = [
    {"validation_error": 0.2, "longer_error": 0.2, "longer_symbol_error": 0.2, "longer": 60},
    {"validation_error": 0.1, "longer_error": 0.1, "longer_symbol_error": 0.1, "longer": 60},
]
for _place, _run in enumerate(TRAININGS):
    _run |= {"sequence_error": 0.1 * _place, "symbol_error": 0.1 * _place, "variant": "plain"}


def test_the_better_training_on_validation_data_is_chosen(monkeypatch):
    monkeypatch.setattr(ACT, "run_metrics", ("validation_error",))
    assert ACT(None).best_plain(TRAININGS) == {"validation_error": 0.1}
    recipe = recipes.load("neural_gpu_addition")
    for better, said in ((TRAININGS, "though another"), (TRAININGS[::-1], "least error")):
        assert said in act_card.choice(better)
        assert said in ham_card.choice(better, "128 leaves")
        assert said in neural_gpu_card.choice(recipe, better)
    assert "chosen" not in act_card.choice(TRAININGS[:1])
    assert "It was chosen" not in ham_card.choice(TRAININGS[:1], "128 leaves")
    assert "chosen" not in neural_gpu_card.choice(recipe, TRAININGS[:1])


def test_a_seed_is_chosen_by_what_its_validation_data_said(tmp_path, monkeypatch):
    """Not by the numbers of the training, nor by any that `metrics.json` has."""

    def fake(recipe, out, seed, **_):
        row = {"stage": 0, "step": 2, "symbol_error": seed, "sequence_error": seed}
        row |= {"longer_error": 0.5, "longer_symbol_error": 0.3 - 0.1 * seed}
        position = SimpleNamespace(step=2, seconds=1.0)
        return SimpleNamespace(history=[row], seed=seed, position=position)

    monkeypatch.setattr("keras_adaptive.zoo.search.trainings.train", fake)
    # It collects all garbage, which there is none of here.
    monkeypatch.setattr("keras.backend.clear_session", lambda: None)
    assert choose_seed(small("neural_gpu"), tmp_path, 3).seed == 2
    assert len(json.loads((tmp_path / "scout.json").read_text())) == 3
