"""Shortest tours through 5 to 10 points by a pointer network whose decoder ponders."""

from ..recipe import Recipe, Stage
from .hull_pointer import RECIPE as HULL

BINS = (6, 8, 10)
RECIPE = Recipe(
    name="tour_pointer",
    family="pointer",
    dataset="tsp",
    build="pointer",
    parameters={"length": 10, "min_length": 5},
    length_parameters=("min_length", "length"),
    hyperparameters=HULL.hyperparameters,
    stages=(
        Stage(steps=6_000, learning_rate=2e-3, time_penalty=0.0, bins=BINS, chunk=100),
        Stage(
            steps=24_000,
            learning_rate=2e-3,
            schedule="cosine",
            time_penalty=2e-4,
            bins=BINS,
            chunk=100,
        ),
    ),
    figure=None,
    batch_size=64,
    validate_every=2000,
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
        "The first weights of the coordinates are ten times those of Keras.",
        "Batches have 5 or 6, 7 or 8, and 9 or 10 points in turn.",
    ),
    search={"time_penalty": (1e-4, 3e-4, 1e-3, 3e-3)},
)
