"""Cards of trainings of one's own, whose settings are not those of the published ones."""

import re

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.zoo import families, recipes

FOLDER = {"folder": "entries"}
# Lines of code that a trained model is needed for.
MODEL = re.compile("zoo[.]|outputs|print")


def snippet(recipe):
    """The lines of a card's code that do not need a trained model."""
    code = re.search(r"```python\n(.*?)```", families.of(recipe).text.use(recipe, FOLDER), re.S)[1]
    return "\n".join(line for line in code.splitlines() if not MODEL.search(line))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("act_parity", {"bits": 8}),
        ("act_parity", {"bits": 2}),
        ("pondernet_parity", {"bits": 64}),
    ],
)
def test_examples_have_the_width_of_the_network(name, changes):
    recipe = recipes.load(name).with_overrides(changes)
    found = {}
    exec(snippet(recipe), found)
    assert found["inputs"].shape == (1, 1, changes["bits"]) and np.any(found["inputs"])


def test_examples_have_the_base_of_the_network():
    recipe = recipes.load("neural_gpu_decimal_multiplication")
    assert 'task.encode("1203*3021", base=10)' in snippet(recipe)
    assert "base" not in snippet(recipe.with_overrides({"base": 2}))


@pytest.mark.parametrize(("changes", "padding"), [({}, 28), ({"length": 2, "min_length": 2}, 0)])
def test_examples_are_padded_to_what_was_trained(changes, padding):
    recipe = recipes.load("ham_stack").with_overrides(changes)
    code, found = snippet(recipe), {}
    exec(code, found)
    padded = found["padded"][0]
    assert (padded == datasets.task("ham_stack").PADDING).all(-1).sum() == padding


def test_vectors_of_another_width():
    recipe = recipes.load("ham_stack")
    recipe = recipe.replace(parameters={**recipe.parameters, "bits": 7})
    found = {}
    exec(snippet(recipe), found)
    assert found["padded"].shape == (1, 32, 8)
