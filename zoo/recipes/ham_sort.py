"""Sorting by an LSTM with HAM."""

import dataclasses

from ..families.ham.baseline_settings import compared_with
from ..families.ham.settings import (
    COMPARING,
    COMPARING_STAGES,
    CONTROLLED,
    FIELDS,
    SEVERAL_SIZES,
    differences,
    softened,
)
from ..recipe import Recipe, Stage

# More pairs have equal keys, because in a large tree it is their order that is wrong.
TIES = Stage(
    steps=2000,
    learning_rate=3e-3,
    schedule="exponential",
    hold=0.3,
    parameters={"distinct_keys": 32},
    chunk=100,
)
STAGES = (
    COMPARING_STAGES[0],
    dataclasses.replace(COMPARING_STAGES[1], steps=2700),
    TIES,
    dataclasses.replace(
        TIES, steps=4000, learning_rate=4e-3, hold=0.5, parameters={"distinct_keys": 8}
    ),
    dataclasses.replace(SEVERAL_SIZES, parameters=TIES.parameters),
)
SETTINGS = {**CONTROLLED, **COMPARING, "patience": 30}
RECIPE = Recipe(
    name="ham_sort",
    dataset="ham_sort",
    **FIELDS,
    hyperparameters=SETTINGS,
    stages=STAGES,
    scouted_stages=len(STAGES),
    batch_size=50,
    task=(
        "A sequence of up to 32 pairs of a key and a value, 5 bits each. The answer is the same "
        "pairs in the order of their keys, those with the same key as they came, and the End Of "
        "Output symbol."
    ),
    paper={"error": "0.04 %", "longer_error": "0.24 %"},
    differences=(
        *differences(SETTINGS, STAGES, 50),
        "In the stages before the last three a key is uniform, as in the paper; in those, it is "
        "one of a few for each sequence, so that more pairs have the same key.",
        "In the published training the learning rate of the first two stages was halved after 8 "
        "chunks without progress instead of 30. It was continued twice after looking at the "
        "error on 200 validation examples of 65 to 128 pairs: 0.5 to 0.6 at first, 0.2 after more "
        "pairs with the same key, at most 0.02 after trees of several sizes.",
    ),
    test_data_seen=(
        "The training was measured (0.32, 9.12 and 68.84 % wrong with 32, 64 and 128 leaves) "
        "before the stages with few different keys and that with trees of several sizes were "
        "added.",
    ),
)
VARIANTS = (
    softened(RECIPE),
    compared_with(RECIPE, attention=False, errors=(99, 100), searched=True),
    compared_with(RECIPE, attention=True, errors=(25, 100)),
)
