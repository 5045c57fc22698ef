"""Prefix sums of 24 bits by a recall network, which then solves longer strings."""

from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="recall_prefix_sums",
    family="recall",
    dataset="prefix_sums",
    build="recall",
    parameters={"length": 24, "min_length": 24},
    length_parameters=("min_length", "length"),
    hyperparameters={
        "filters": 48,
        "num_blocks": 2,
        "iterations": 24,
        "alpha": 0.5,
        "clipnorm": 1.0,
        "label_smoothing": 0.05,
        "unchanged_steps": 8,
        "max_ponder": 2000,
        "longer": 192,
    },
    stages=(
        Stage(steps=1000, learning_rate=1e-3, chunk=100),
        Stage(steps=300, learning_rate=3e-4, chunk=100),
        Stage(steps=200, learning_rate=1e-4, chunk=100),
    ),
    figure=None,
    batch_size=64,
    validate_every=100,
    task=(
        "The input is a string of bits; bit k of the answer is 1 if the number of ones among the "
        "first k bits is odd, else 0."
    ),
    paper={"cell": "400 filters", "error": "above 97 % right at 512 bits"},
    differences=(
        "48 filters instead of 400, and 24 bits in training instead of 32.",
        "Label smoothing of 5 %, without which the features of some seeds grow without bound.",
        "A string stops when its answer has not changed for some steps, not after a fixed number.",
    ),
    search={"learning_rate": (3e-4, 1e-3, 3e-3), "alpha": (0.0, 0.5, 1.0)},
)
