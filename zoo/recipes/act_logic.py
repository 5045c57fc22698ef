"""Sequences of up to ten logic gates a vector (Graves 2016, section 3.2)."""

import dataclasses

from ..recipe import Curriculum, Figure, Recipe, Stage
from ..search.space import TIME_PENALTIES

RECIPE = Recipe(
    name="act_logic",
    dataset="act_logic",
    build="lstm",
    parameters={"gates": 10, "vectors": 10},
    training_parameters={"same_length": True, "hard_share": 0.3},
    hyperparameters={
        "units": 128,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 25,
        "epsilon": 0.01,
        "halting_bias": 1.0,
        "target_ponder": None,
        "clipnorm": 5.0,
    },
    stages=(
        Stage(
            steps=25_000,
            learning_rate=2e-3,
            time_penalty=5e-3,
            curriculum=Curriculum(("gates", "vectors"), start=1, stop="gates", threshold=0.2),
            chunk=100,
        ),
        Stage(steps=10_000, learning_rate=2e-3, time_penalty=5e-3),
        Stage(steps=35_000, learning_rate=2e-3, schedule="cosine", time_penalty=5e-3),
    ),
    figure=Figure(
        10,
        "logic gates",
        ("min_gates", "gates"),
        stop="gates",
        fixed={"min_vectors": 5, "vectors": 5},
    ),
    batch_size=16,
    task=(
        "Each of 1 to 10 vectors has two bits and up to 10 two-input logic gates, which are "
        "applied one after the other, each to the last two results: P is the newer and Q the older "
        "of the two. The answer to a vector is the last result, and it replaces the first bit of "
        "the next vector."
    ),
    paper={
        "cell": "LSTM with 128 units",
        "error": "virtually 0 for time penalties up to 0.01",
        "error_without_act": "about 20 %",
    },
    differences=(
        "One worker with Adam at 2e-3, annealed, instead of 16 asynchronous workers at 1e-4.",
        "A curriculum: the most gates and the most vectors grow together from 1 to 10.",
        "All sequences of a training batch have the same length.",
        "30 % of the training vectors are drawn from the two highest numbers of gates.",
        "At most 25 steps are allowed instead of 100.",
    ),
    search={"time_penalty": TIME_PENALTIES},
)
VARIANTS = (
    RECIPE.replace(
        name="act_logic_anytime",
        hyperparameters={**RECIPE.hyperparameters, "halting": "anytime", "max_ponder": 20},
        stages=(
            # Batches with a small limit of steps are mostly wrong, even if the others are right.
            dataclasses.replace(
                RECIPE.stages[0],
                curriculum=Curriculum(("gates", "vectors"), start=1, stop="gates", threshold=0.35),
            ),
            RECIPE.stages[1],
            dataclasses.replace(RECIPE.stages[2], steps=60_000),
        ),
        differences=(
            *RECIPE.differences[:-1],
            "The largest number of steps is drawn for each batch (`AnytimeACT`), so that the "
            "network also learns to answer early.",
            "At most 20 steps are allowed instead of 100.",
        ),
        test_data_seen=(
            "A training whose limits were mostly small, and whose last stage was shorter, was "
            "measured before the rule drew all limits alike: 8.31 % wrong, 10.7 % with at most 5 "
            "steps (of 1,000).",
            "These weights were first published with 3 of 10,000 wrong. On the validation examples "
            "13 were, so they were measured on other test examples: 6 are wrong.",
        ),
        search={},
    ),
)
