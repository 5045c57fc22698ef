"""Several seeds on the first stage, and the best of them to the end."""

import json
import shutil
from types import SimpleNamespace

import pytest

from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.recipe import Stage
from keras_adaptive.zoo.search import seeds, trainings
from keras_adaptive.zoo.search.seeds import choose_seed
from keras_adaptive.zoo.training import SEEDS, checkpoint
from keras_adaptive.zoo.training.train import train

STAGES = (
    Stage(steps=2, learning_rate=0.01, bins=(2, 3), chunk=2),
    Stage(steps=4, learning_rate=0.01, bins=(3, 5), chunk=2),
)


@pytest.fixture
def small():
    recipe = recipes.load("neural_gpu_copy").replace(stages=STAGES, batch_size=4)
    changes = {"maps": 3, "length": 5, "min_length": 5, "longer": 7, "longer_at_first": 6}
    return recipe.with_overrides(changes)


@pytest.mark.usefixtures("eager", "few_validated")
def test_the_best_seed_goes_on(small, tmp_path):
    run = choose_seed(small, tmp_path, 2)
    found = json.loads((tmp_path / SEEDS).read_text())
    assert [one["seed"] for one in found] == [0, 1]
    assert all(one["steps"] == 2 for one in found)
    best = min(found, key=lambda one: (one["longer_symbol_error"], one["longer_error"]))
    assert run.recipe.seed == best["seed"] and run.folder == tmp_path / f"seed-{best['seed']}"
    assert run.position.done and run.position.step == 6

    with pytest.raises(FileExistsError, match="already holds trainings"):
        choose_seed(small, tmp_path, 2)
    again = choose_seed(small, tmp_path, 2, resume=True)
    assert again.history == run.history
    assert json.loads((tmp_path / SEEDS).read_text()) == found


@pytest.fixture
def calls(monkeypatch):
    """What each training is called with, in place of the trainings; the first is interrupted."""
    found = []

    def begun(recipe, out, **options):
        found.append(options)
        (out / checkpoint.NAME).touch()
        if len(found) == 1:
            raise KeyboardInterrupt
        row = {"stage": 0, "step": 2, "longer_error": 0.5, "longer_symbol_error": 0.5}
        return SimpleNamespace(history=[row], position=SimpleNamespace(step=2, seconds=0.5))

    monkeypatch.setattr(trainings, "train", begun)
    return found


def test_all_seeds_are_trained_with_the_settings_of_the_first(calls, small, tmp_path):
    given = {"overrides": {"stages.1.bins": (3, 4)}, "steps_scale": 2, "precision": "float32"}
    with pytest.raises(KeyboardInterrupt):
        choose_seed(small, tmp_path, 2, **given)
    for changed, message in (
        ({"steps_scale": 1}, r"steps_scale: .* holds trainings with 2.* Received: 1"),
        ({"overrides": {"maps": 2}}, r"overrides: .* holds trainings with .*\[3, 4\]"),
        ({"variant": "paper"}, "variant: .* holds trainings with None"),
        ({"precision": "mixed_bfloat16"}, "precision: .* holds trainings with 'float32'"),
    ):
        with pytest.raises(ValueError, match=message):
            choose_seed(small, tmp_path, 2, resume=True, **changed)
    with pytest.raises(ValueError, match=r"recipe: .* holds trainings with 'neural_gpu_copy'"):
        choose_seed("neural_gpu_reverse", tmp_path, 2, resume=True)
    assert len(calls) == 1
    # A command without `--set` gives no overrides; more seeds are no other setting.
    choose_seed(small, tmp_path, 3, resume=True, overrides={})
    assert [call["seed"] for call in calls[1:]] == [0, 1, 2, 0]
    kept = {**given, "overrides": {"stages.1.bins": [3, 4]}, "variant": None}
    assert all({name: call[name] for name in kept} == kept for call in calls[1:])
    choose_seed(small, tmp_path, 3, resume=True, **given)


def test_a_seed_that_diverges_is_left_out(small, tmp_path, monkeypatch):
    lost = {0}

    def some(recipe, out, seed, **options):
        (out / checkpoint.NAME).touch()
        if seed in lost:
            raise FloatingPointError(f"the loss of seed {seed} is nan")
        row = {"stage": 0, "step": 2, "longer_error": 1.0, "longer_symbol_error": 0.5}
        at = SimpleNamespace(step=2, seconds=0.5)
        return SimpleNamespace(history=[row], position=at, seed=seed)

    at = {"position": {"step": 1, "seconds": 0.1}}
    monkeypatch.setattr(trainings, "train", some)
    monkeypatch.setattr(checkpoint, "latest", lambda folder: SimpleNamespace(state=at))
    assert choose_seed(small, tmp_path, 2).seed == 1
    first, second = json.loads((tmp_path / SEEDS).read_text())
    assert first == {"seed": 0, "steps": 1, "diverged": True} and second["longer_error"] == 1.0
    lost = {0, 1}
    with pytest.raises(FloatingPointError, match="the loss of seed 1 is nan"):
        choose_seed(small, tmp_path, 2, resume=True)


@pytest.mark.usefixtures("eager", "few_validated")
def test_trainings_of_an_earlier_version_which_kept_no_settings(small, tmp_path, request):
    train(small, tmp_path / "seed-0", seed=0, steps_scale=2, until_stage=0)
    train(small, tmp_path / "seed-1", seed=1, until_stage=0)
    with pytest.raises(ValueError, match=r"steps_scale: .* seed-0 with 2 and seed-1 with None"):
        choose_seed(small, tmp_path, 2, resume=True)
    shutil.rmtree(tmp_path / "seed-1")
    calls = request.getfixturevalue("calls")
    with pytest.raises(KeyboardInterrupt):
        choose_seed(small, tmp_path, 2, resume=True)
    assert calls[0]["steps_scale"] == 2
    assert json.loads((tmp_path / seeds.NAME).read_text())["steps_scale"] == 2


def test_bad_input(small, tmp_path):
    with pytest.raises(ValueError, match=r"seeds must be a whole number from 1 to .* 0"):
        choose_seed(small, tmp_path, 0)
    with pytest.raises(ValueError, match="act_logic does not measure"):
        choose_seed("act_logic", tmp_path, 2)
    with pytest.raises(FileNotFoundError, match="no trainings to resume"):
        choose_seed(small, tmp_path, 2, resume=True)
