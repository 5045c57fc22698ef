"""Reversing bits by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import BITS, BITS_NETWORK, DIFFERENCES
from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="neural_gpu_reverse",
    dataset="neural_gpu_reverse",
    **BITS,
    hyperparameters=BITS_NETWORK,
    stages=(
        Stage(steps=6000, learning_rate=0.01, schedule="cosine", hold=0.6, bins=(3, 5, 7, 9, 13)),
        Stage(steps=500, learning_rate=0.005, bins=(5, 9, 13, 17, 21)),
        Stage(
            steps=6000, learning_rate=0.005, schedule="cosine", hold=0.5, bins=(9, 17, 25, 33, 41)
        ),
    ),
    task=("The answer is the bits of the input in reverse order."),
    differences=DIFFERENCES,
)
