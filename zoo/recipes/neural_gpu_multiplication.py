"""Long binary multiplication by a Neural GPU with diagonal gates."""

from ..families.neural_gpu import DIAGONAL, DIFFERENCES, build
from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="neural_gpu_multiplication",
    family="neural_gpu",
    dataset="neural_gpu_multiplication",
    build=build,
    parameters={"bits": 20, "min_bits": 20},
    training_parameters={"min_bits": 1, "short_share": 0.05},
    length_parameters=("min_bits", "bits"),
    hyperparameters={
        **DIAGONAL,
        "dropout": 0.15,
        "longer": 100,
        "longer_at_first": 8,
    },
    stages=(
        Stage(steps=10_000, learning_rate=0.01, schedule="cosine", hold=0.6, bins=(1, 2, 3, 4, 5)),
        Stage(steps=5000, learning_rate=0.005, bins=(2, 4, 6, 8, 10)),
        Stage(
            steps=10_000, learning_rate=0.005, schedule="cosine", hold=0.5, bins=(4, 8, 12, 16, 20)
        ),
        # Once more from the high rate.
        Stage(
            steps=20_000, learning_rate=0.005, schedule="cosine", hold=0.3, bins=(4, 8, 12, 16, 20)
        ),
        # And twice with numbers that carry farther.
        Stage(
            steps=15_000,
            learning_rate=0.005,
            schedule="cosine",
            hold=0.3,
            bins=(4, 8, 12, 16, 20),
            parameters={"runs_share": 0.5},
        ),
        Stage(
            steps=14_000,
            learning_rate=0.004,
            schedule="cosine",
            hold=0.7,
            bins=(4, 8, 12, 16, 20),
            parameters={"runs_share": 0.5},
        ),
    ),
    figure=None,
    batch_size=32,
    task=(
        "Two binary numbers of d digits each, the least significant first, with the operator "
        "between them. The answer is their product."
    ),
    paper={"cell": "two layers of CGRU with 24 maps and width 4", "error": "0 %"},
    differences=(
        *DIFFERENCES,
        "A fourth stage goes on from the high learning rate of the third. In a fifth and a sixth "
        "half of the numbers have runs of equal digits.",
        "Two seeds were tried on the first stage; the one that got fewer symbols of longer "
        "validation examples wrong went on. All stages but the last were trained with a dropout of "
        "0.1. Another sixth stage was tried, with a dropout of 0.25.",
        "How often long products are wrong goes up and down while it is trained. The published "
        "model averages the outputs of one training after 63,500, 64,000 and 72,000 batches: of 20 "
        "moments of the last stage three that were good on 200 validation examples of 100 and of "
        "200 digits.",
    ),
)
