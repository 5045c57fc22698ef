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
        "longer": 30,
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
        "A fourth stage goes on from the high learning rate of the third.",
        "Two seeds were tried on the first stage; the one that got fewer symbols of longer "
        "validation examples wrong went on.",
    ),
)
