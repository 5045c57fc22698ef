"""Reversing bits by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import BITS, BITS_NETWORK, DIFFERENCES, several
from ..recipe import Recipe

RECIPE = Recipe(
    name="neural_gpu_reverse",
    dataset="neural_gpu_reverse",
    **BITS,
    hyperparameters=BITS_NETWORK,
    stages=(
        several(6000, 0.01, (3, 5, 7, 9, 13), hold=0.6),
        several(500, 0.005, (5, 9, 13, 17, 21)),
        several(6000, 0.005, (9, 17, 25, 33, 41), hold=0.5),
    ),
    task=("The answer is the bits of the input in reverse order."),
    differences=DIFFERENCES,
)
