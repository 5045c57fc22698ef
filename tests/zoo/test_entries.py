"""The committed models answer as they did when they were published.

`PYTHONPATH=. python tests/zoo/test_entries.py` writes the answers of the entries that lie in
saved_models/ into golden.json; do that when an entry is replaced on purpose.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.zoo import store
from keras_adaptive.zoo.evaluate import evaluate
from keras_adaptive.zoo.families.act import Probe

GOLDEN = Path(__file__).with_name("golden.json")
# The share of wrong sequences that each entry must not exceed. For sort that is what was reached:
# its aim, 12 %, is still open (see its card).
BOUNDS = {"act_parity": 0.05, "act_logic": 0.02, "act_addition": 0.05, "act_sort": 0.24}


def answers(name):
    """Some outputs of an entry on fixed examples, for a golden file."""
    recipe = store.recipe(name)
    batch = datasets.batch(recipe.dataset, 8, seed=11, split="test", **recipe.parameters)
    found = Probe(store.load(name))(batch["inputs"])
    return {
        "inputs": float(np.abs(batch["inputs"]).sum()),
        "ponder_steps": found["ponder_steps"].astype(int).tolist(),
        "outputs": found["outputs"].reshape(8, -1)[:, :5].astype(float).round(5).tolist(),
    }


@pytest.mark.parametrize("name", store.names())
def test_golden_answers(name):
    golden = json.loads(GOLDEN.read_text())
    assert name in golden, "golden.json lacks it: see the head of this file"
    found, expected = answers(name), golden[name]
    assert found["inputs"] == pytest.approx(expected["inputs"]), "the data set draws otherwise"
    # A halting sum may fall on the other side of its threshold on another processor.
    same = np.array(found["ponder_steps"]) == np.array(expected["ponder_steps"])
    assert same.mean() > 0.9
    np.testing.assert_allclose(found["outputs"], expected["outputs"], atol=2e-2)


@pytest.mark.parametrize("name", store.names())
def test_error_of_the_card_is_met_again(name):
    recipe, results = store.recipe(name), store.results(name)
    found = evaluate(store.load(name), recipe, examples=1000, seed=99)
    low, high = found["confidence_interval"]
    assert low - 0.02 <= results["sequence_error"] <= high + 0.02
    assert results["examples"] >= 10_000
    assert results["sequence_error"] <= BOUNDS.get(name, 1.0)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({name: answers(name) for name in store.names()}, indent=1) + "\n")
