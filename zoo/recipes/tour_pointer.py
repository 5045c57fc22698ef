"""Shortest tours through 5 to 10 points by a pointer network whose decoder ponders."""

import dataclasses

from ..recipe import Stage
from .hull_pointer import RECIPE as HULL

RECIPE = HULL.replace(
    name="tour_pointer",
    dataset="tsp",
    task=(
        "The input is a set of 5 to 10 points, uniform in the unit square. The answer is the "
        "indices of the shortest tour through all of them, from the first point and back to it, in "
        "the direction in which its second index is less than its last but one."
    ),
    paper={
        "cell": "LSTM with 256 or 512 units",
        "error": "mean length 2.12 at 5 points (shortest 2.12), 2.88 at 10 (shortest 2.87)",
    },
    differences=(
        "An LSTM of 128 units and Adam with a cosine schedule, where the paper has SGD.",
        *HULL.differences[1:-1],
        "In the talk ACT helps. Here it is better than the paper's decoder after equally many "
        "batches, and in the same time a little better.",
    ),
)
# As many points as the most with shortest tours in the paper.
VARIANTS = (
    RECIPE.replace(
        name="tour20_pointer",
        parameters={"length": 20, "min_length": 20},
        stages=(
            dataclasses.replace(RECIPE.stages[0], steps=10_000, parameters=RECIPE.parameters),
            Stage(
                steps=16_000,
                learning_rate=2e-3,
                schedule="cosine",
                time_penalty=2e-4,
                # A shortest tour through 20 points takes as long as a step of training.
                parameters={"length": 20, "min_length": 11, "views": 16},
                bins=(15, 20),
                chunk=100,
            ),
        ),
        task=(
            "The input is a set of 5 to 20 points, uniform in the unit square. The answer is the "
            "indices of the shortest tour through all of them, from the first point and back to "
            "it, in the direction in which its second index is less than its last but one."
        ),
        paper={
            "cell": "LSTM with 256 or 512 units",
            "error": "mean length 3.88 (shortest 3.83), trained on tours of 5 to 20 cities",
        },
        differences=(
            RECIPE.differences[0],
            "The initial weights of the coordinates are ten times those of Keras.",
            "Trained on 5 to 10, then on 11 to 20 points, with shortest tours as targets. Of the "
            "latter, 16 examples have the same points, in another order, turned or mirrored.",
            "In the talk ACT helps. Here it is better than the paper's decoder after equally many "
            "batches and in the same time.",
        ),
    ),
)
