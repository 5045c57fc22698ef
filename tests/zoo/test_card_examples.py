"""Entries that learned their task answer the examples on their own cards."""

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.zoo import families
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.entries.headline import headline
from support.tasks import EXAMPLE

pytestmark = pytest.mark.usefixtures("eager")
# Of each kind of network that Keras answers with, one; the rest are slow.
QUICK = ("ham_stack", "hull_pointer", "neural_gpu_copy", "pondernet_parity", "recall_prefix_sums")


def learned():
    """Names of the entries that learned a task whose right answers are known."""
    for name in store.names():
        recipe = store.recipe(name)
        figures = headline(recipe.to_dict(), store.results(name))
        if hasattr(datasets.task(recipe.dataset), "answers") and not figures["experiment"]:
            yield name


def case(name):
    """A parameter of the test, slow if Keras has to load one more network."""
    light = families.without_keras(store.recipe(name), store.entry(name))
    return pytest.param(name, marks=() if light or name in QUICK else pytest.mark.slow)


def corrected(probe, recipe):
    """A probe with the answers of the data set instead of its own."""
    task = datasets.task(recipe.dataset)
    classes = task.sizes(**recipe.parameters).get("classes", 0)

    def answer(inputs):
        targets = task.answers(inputs)
        outputs = targets[..., None] if classes == 2 else np.eye(classes)[targets]
        return {**probe(inputs), "outputs": outputs, "indices": targets}

    return answer


@pytest.mark.parametrize("name", [case(name) for name in learned()])
def test_the_example_of_a_card_is_answered_rightly(name):
    recipe, family = store.recipe(name), families.of(store.recipe(name))
    light = families.without_keras(recipe, store.entry(name))
    probe = light[0] if light else family.probe(store.load(name))
    text = EXAMPLE.search(store.card(name))[1]
    right = family.predict(corrected(probe, recipe), text)
    found = family.predict(probe, text)
    # The same tour may be gone the other way round.
    is_as_short = "length" in right and found["length"] == right["length"]
    assert found["answer"] == right["answer"] or is_as_short
