"""Cards of trainings of one's own, whose settings are not those of the published ones."""

import re

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.entries import export, store

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


def own_card(name, overrides, **metrics):
    """The card that a training of one's own would have, with the figures of the published one."""
    known = store.results(name)
    settings = {**known["settings"], "overrides": overrides}
    metrics = {**known, **FOLDER, "settings": settings, **metrics}
    return families.of(recipes.load(name).with_overrides(overrides)).card(metrics)


def test_other_data_are_not_described_as_those_of_the_recipe():
    card = own_card("act_parity", {"bits": 8, "units": 16})
    assert " Here with bits=8 (64 in the recipe).\n" in card
    assert "of the paper's distribution" not in card
    (row,) = re.findall(r"\| this model .*", card)
    assert row.endswith(" | – |")
    same = own_card("act_parity", {"units": 16})
    assert "Here with" not in same and "of the paper's distribution" in same


@pytest.mark.parametrize("changes", [{"bits": 8}, {"units": 16}, {"stages.0.steps": 5}])
def test_the_history_of_the_published_training_is_not_that_of_another(changes):
    recipe, card = recipes.load("act_parity"), own_card("act_parity", changes)
    ((name, value),) = changes.items()
    assert f"- The settings of this training are not those of the recipe: {name}={value}." in card
    told = (*recipe.differences, *recipe.test_data_seen)
    assert told and not any(text in card for text in told)
    assert "test examples as those" not in card
    # As are the settings that every training of the family has.
    assert "- The halting unit sees the cell's output" in card


@pytest.mark.parametrize("name", ["act_parity", "act_cifar10"])
def test_the_history_of_a_published_training_is_told(name):
    """Of one with the recipe's settings, wherever it lies, and of all in the package."""
    recipe = store.recipe(name)
    cards = [families.of(recipe).card(store.results(name))]
    if name == "act_parity":
        cards.append(own_card(name, {}))
    for card in cards:
        assert all(text in card for text in (*recipe.differences, *recipe.test_data_seen))


def test_another_kind_of_halting_has_another_history():
    recipe, metrics = recipes.load("act_parity").with_variant("plain"), store.results("act_parity")
    card = families.of(recipe).card({**metrics, **FOLDER})
    assert "not those of the recipe: variant=plain." in card


def test_trainings_that_were_stopped_early_are_marked():
    rows = [dict(row) for row in store.results("act_parity")["runs"]]
    card = own_card("act_parity", {}, runs=rows)
    assert "(not those that were stopped early" in card and "(stopped early)" not in card
    rows[1]["finished"] = False
    card = own_card("act_parity", {}, runs=rows)
    assert "some were stopped early" in card and "finished trainings" not in card
    assert card.count(f"| {rows[1]['steps']:,} (stopped early) |") == 1
    family = families.of(recipes.load("act_parity"))
    known = dict.fromkeys(family.run_metrics, 0)
    assert export.row_of({**known, "finished": False}, family)["finished"] is False
