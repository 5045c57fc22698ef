"""Nothing is looked for without end where there is none of it."""

import numpy as np
import pytest

from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.families.act.family import ACT


def test_sequences_of_a_task_that_has_no_long_ones(monkeypatch):
    """No example has three inputs; the longest are taken."""
    monkeypatch.setattr(ACT, "predict_inputs", lambda self, probe, inputs: inputs)
    recipe = recipes.load("act_logic").with_overrides({"gates": 2, "vectors": 2})
    found = ACT(recipe).some_sequences(None)
    assert [inputs.shape[1] for inputs in found] == [2, 2, 2]
    found = ACT(recipes.load("act_logic")).some_sequences(None)
    assert len(found) == 3 and min(inputs.shape[1] for inputs in found) >= 3


def test_measuring_examples_without_a_target():
    recipe = recipes.load("act_addition")

    def probe(inputs):
        shape = inputs.shape[:2]
        ponder = {"ponder": np.ones(shape), "ponder_steps": np.ones(shape)}
        return {"outputs": np.ones((*shape, 6, 11)), **ponder}

    with pytest.raises(ValueError, match="no example of the first 100 batches has a target"):
        ACT(recipe).measure(probe, 1, parameters={"numbers": 1})
