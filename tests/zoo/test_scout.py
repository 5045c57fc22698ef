"""Several seeds on the first stage, and the best of them to the end."""

import json

import pytest

from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.recipe import Stage
from keras_adaptive.zoo.search.seeds import choose_seed
from keras_adaptive.zoo.training import SEEDS

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


def test_bad_input(small, tmp_path):
    with pytest.raises(ValueError, match=r"seeds must be a whole number from 1 to .* 0"):
        choose_seed(small, tmp_path, 0)
    with pytest.raises(ValueError, match="act_logic does not measure"):
        choose_seed("act_logic", tmp_path, 2)
    with pytest.raises(FileNotFoundError, match="no trainings to resume"):
        choose_seed(small, tmp_path, 2, resume=True)
