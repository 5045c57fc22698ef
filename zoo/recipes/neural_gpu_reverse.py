"""Reversing bits by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import DIAGONAL, DIFFERENCES
from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="neural_gpu_reverse",
    family="neural_gpu",
    dataset="neural_gpu_reverse",
    build="neural_gpu",
    parameters={"length": 41, "min_length": 41},
    training_parameters={"min_length": 2, "short_share": 0.05},
    length_parameters=("min_length", "length"),
    hyperparameters={**DIAGONAL, "maps": 24, "dropout": 0.2, "longer": 121, "longer_at_first": 31},
    stages=(
        Stage(steps=6000, learning_rate=0.01, schedule="cosine", hold=0.6, bins=(3, 5, 7, 9, 13)),
        Stage(steps=500, learning_rate=0.005, bins=(5, 9, 13, 17, 21)),
        Stage(
            steps=6000, learning_rate=0.005, schedule="cosine", hold=0.5, bins=(9, 17, 25, 33, 41)
        ),
    ),
    figure=None,
    batch_size=32,
    validate_every=1000,
    task=("Bits are said again from the last to the first."),
    paper={"cell": "two layers of CGRU with 24 maps and width 4", "error": "0 %"},
    differences=DIFFERENCES,
)
