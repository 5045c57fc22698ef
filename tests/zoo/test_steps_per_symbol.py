"""A recipe of a Neural GPU may have more steps per symbol than one."""

from types import SimpleNamespace

from keras_adaptive import datasets
from keras_adaptive.zoo.families.neural_gpu import card as neural_gpu_card
from keras_adaptive.zoo.families.neural_gpu.family import NeuralGPU
from keras_adaptive.zoo.recipes import load as recipe_of

NAME = "neural_gpu_addition"


def test_a_recipe_has_its_own_number_of_steps_per_symbol():
    recipe = recipe_of(NAME)
    hyperparameters = {**recipe.hyperparameters, "maps": 4, "steps_multiplier": 2}
    recipe = recipe.replace(hyperparameters=hyperparameters)
    model = NeuralGPU(recipe).build()
    inputs = datasets.batch(NAME, 3, seed=3, bits=7)["inputs"]
    assert (NeuralGPU(recipe).probe(model)(inputs)["steps"] == 2 * inputs.shape[1]).all()
    assert "2 steps per symbol" in neural_gpu_card.network(recipe)
    more = recipe.replace(hyperparameters={**hyperparameters, "more_steps": 3})
    request = SimpleNamespace(examples=2, lengths=(4,), seed=0)
    rows = NeuralGPU(more).measure_more_steps(model, request)
    assert model.get_layer("neural_gpu").steps_multiplier == 2
    metrics = {**rows, "lengths": [], "other_models": []}
    assert "trained with 2 steps" in neural_gpu_card.results(more, metrics)
