"""Merging of two sorted sequences by an LSTM with HAM."""

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
    up_to_32,
)
from ..recipe import Recipe, Stage

# The last errors to go are in the order of priorities that are 1/300 apart. Each stage makes the
# turns random again (`entropy_again`), and each reduces these errors.
STAGES = (
    dataclasses.replace(
        COMPARING_STAGES[0],
        steps=20_000,
        curriculum=dataclasses.replace(COMPARING_STAGES[0].curriculum, validation_threshold=0.04),
    ),
    Stage(steps=6000, learning_rate=4e-3, schedule="exponential", hold=0.4, chunk=100),
    SEVERAL_SIZES,
    dataclasses.replace(SEVERAL_SIZES, steps=5000, learning_rate=6e-3),
    dataclasses.replace(SEVERAL_SIZES, steps=8000, learning_rate=8e-3),
    # Most priorities lie as close as they do among 128.
    dataclasses.replace(
        SEVERAL_SIZES, steps=6000, learning_rate=8e-3, parameters={"hard_share": 0.5}
    ),
)
SETTINGS = {
    **CONTROLLED,
    **COMPARING,
    # With half as many, 16 leaves take twice as many steps, and close priorities are ordered worse.
    "hidden_units": 96,
    "priority_gain": 20.0,
    "patience": 12,
    "entropy_again": 3e-4,
    # Slow at the largest size too, because turns that become certain early do not change any more.
    "sure_decay": 0.6**0.002,
}
FIRST_WEIGHTS = (
    "The initial weights from a priority into EMBED start 20 times as large: neighbours among the "
    "priorities differ by 1/300 or a little more."
)
RECIPE = Recipe(
    name="ham_merge",
    dataset="ham_merge",
    **FIELDS,
    hyperparameters=SETTINGS,
    stages=STAGES,
    scouted_stages=len(STAGES),
    batch_size=50,
    task=(
        "Two sequences of pairs of a priority between 0 and 1 and a value of 5 bits, up to 32 "
        "pairs in all; priorities rise within each sequence. The answer is the values of both in "
        "the order of the priorities, and the End Of Output symbol."
    ),
    paper={"error": "0 %", "longer_error": "2.48 %"},
    differences=(
        *differences(SETTINGS, STAGES, 50),
        FIRST_WEIGHTS,
        "α is 0.0003 again at the start of each stage. Two stages were added after a look at the "
        "error on 200 validation examples of 65 to 128 pairs, 33 % before them; and the last one, "
        "half of whose examples have priorities among 2n neighbours, after a look at the mistakes "
        "on 1,000 of 128 pairs.",
    ),
    test_data_seen=(
        "Two trainings of earlier recipes were measured before this one: 60.40, 99.56 and "
        "100.00 % wrong with 32, 64 and 128 leaves, and 21.72, 75.76 and 97.12 %. It was then "
        "published with 0.24, 0.76 and 3.28 % wrong, before the last stage was added, and with "
        "0.00, 0.16 and 0.48 %, when that stage had begun with the weights of the version before. "
        "This version is one training of all stages, with no change after these figures.",
    ),
)
# What it is compared with was trained before the last stage was added.
BEFORE = RECIPE.replace(stages=STAGES[:-1], scouted_stages=len(STAGES) - 1)
VARIANTS = (
    up_to_32(
        RECIPE,
        FIRST_WEIGHTS,
        "α is 0.0003 again at the start of each stage, and in the last one half of the examples "
        "have priorities among 2n neighbours.",
    ),
    softened(BEFORE),
    compared_with(BEFORE, attention=False, errors=(88, 100)),
    compared_with(
        BEFORE,
        attention=True,
        errors=(16, 100),
        test_data_seen=(
            "Seed 0 was published first, with 29.80, 93.04 and 100.00 % wrong for up to 32, 64 and "
            "128 input vectors.",
        ),
    ),
)
