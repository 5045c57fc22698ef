"""A recipe whose network grows from one stage to the next."""

import dataclasses

import numpy as np
import pytest

from keras_adaptive.weight_averages import averaged_weights, use_averages
from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.families.neural_gpu.family import NeuralGPU
from keras_adaptive.zoo.training.run import restore
from keras_adaptive.zoo.training.train import train

pytestmark = pytest.mark.usefixtures("eager", "few_validated")


@pytest.fixture
def growing():
    """A small Neural GPU with one layer, then two."""
    recipe = recipes.load("neural_gpu_multiplication")
    few_bits = {"bits": 2, "min_bits": 2, "longer": 3, "longer_at_first": 3}
    recipe = recipe.with_overrides({"maps": 3, "batch_size": 2, "averaging": 0.9, **few_bits})
    stage = dataclasses.replace(recipe.stages[0], steps=4, chunk=2, bins=(1, 2))
    last = dataclasses.replace(stage, hyperparameters={}, steps=6)
    return recipe.replace(stages=(stage, last))


def layers_of(run):
    return run.model.get_layer("neural_gpu").num_layers


@pytest.mark.parametrize("stopped_after", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_a_network_that_grows_can_be_interrupted(growing, tmp_path, stopped_after):
    """Right before it grows, and after it has."""
    whole = train(growing, tmp_path / "whole")
    part = train(growing, tmp_path / "part", until_step=stopped_after)
    known = restore(tmp_path / "part", recipe=growing)
    assert layers_of(part) == layers_of(known) == (1 if stopped_after == 4 else 2)
    resumed = train(growing, tmp_path / "part", resume=True)
    assert layers_of(resumed) == layers_of(whole) == 2 and resumed.position.step == 10
    for one, other in zip(whole.model.variables, resumed.model.variables, strict=True):
        np.testing.assert_array_equal(one, other, one.path)
    assert layers_of(restore(tmp_path / "part", recipe=growing)) == 2


def test_a_network_grows_from_the_averages_of_its_weights(growing, tmp_path, monkeypatch):
    run = train(growing, tmp_path, until_step=4)
    before = run.model
    with averaged_weights(before):
        averages = [np.array(variable) for variable in before.get_layer("neural_gpu").weights]
    run.grow()
    layer = run.model.get_layer("neural_gpu")
    for cell in layer.cells:
        for variable, average in zip(cell.weights, averages[1:], strict=True):
            np.testing.assert_array_equal(variable, average)
    assert run.model is not before and not run.grow()


def test_a_finished_training_goes_on_with_a_larger_network(growing, tmp_path):
    small = growing.replace(stages=growing.stages[:1])
    assert layers_of(train(small, tmp_path)) == 1
    run = train(growing, tmp_path, resume=True)
    assert layers_of(run) == 2 and run.position.step == 10
    assert np.isfinite(run.history[-1]["loss"])


def test_a_last_stage_that_was_made_shorter_ends_with_the_averages(growing, tmp_path):
    stopped = train(growing, tmp_path, until_step=8).model
    before = stopped.get_weights()
    use_averages(stopped)
    shorter = (growing.stages[0], dataclasses.replace(growing.stages[1], steps=4))
    run = train(growing.replace(stages=shorter), tmp_path, resume=True)
    saved = restore(tmp_path, recipe=growing.replace(stages=shorter))
    assert saved.position.done and saved.position.step == 8
    assert any(np.any(one != other) for one, other in zip(before, stopped.get_weights()))
    for model in (run.model, saved.model):
        for one, other in zip(stopped.get_weights(), model.get_weights(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_weights_with_the_fewest_mistakes_are_taken(growing, tmp_path, monkeypatch):
    """Of the network that is published, by longer validation examples, also after a stop."""
    hyperparameters = {**growing.hyperparameters, "keep_best": True}
    recipe = growing.replace(hyperparameters=hyperparameters, validate_every=2)
    errors = {2: 0.0, 4: 0.0, 6: 0.5, 8: 0.25, 10: 0.75}

    def validate(self, run, probe, *arguments, **options):
        return {"longer_error": errors[run.position.step], "longer_symbol_error": 0.0}

    monkeypatch.setattr(NeuralGPU, "validate", validate)
    whole = train(recipe, tmp_path / "whole")
    best = restore(tmp_path / "whole" / "best", recipe=recipe)
    assert best.position.step == 8 and whole.position.step == 10
    use_averages(best.model)
    train(recipe, tmp_path / "part", until_step=8)
    resumed = train(recipe, tmp_path / "part", resume=True)
    saved = restore(tmp_path / "whole", recipe=recipe)
    for run in (whole, saved, resumed):
        for one, other in zip(best.model.get_weights(), run.model.get_weights(), strict=True):
            np.testing.assert_array_equal(one, other)
