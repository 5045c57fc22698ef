"""Long decimal multiplication by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import DIAGONAL, several
from ..recipe import Recipe

RECIPE = Recipe(
    name="neural_gpu_decimal_multiplication",
    family="neural_gpu",
    dataset="neural_gpu_multiplication",
    build="neural_gpu",
    parameters={"bits": 5, "min_bits": 5, "base": 10},
    training_parameters={"min_bits": 1, "short_share": 0.05},
    length_parameters=("min_bits", "bits"),
    hyperparameters={**DIAGONAL, "maps": 192, "longer": 8},
    # The shifts and sums in base 2 first, then larger tables.
    stages=(
        several(6000, 0.0025, (1, 2, 3, 4, 5), base=2),
        several(4000, 0.0025, (2, 4, 6, 8, 10), base=2),
        several(25_000, 0.0025, (1, 2, 3, 4, 5), base=4),
        several(12_000, 0.0025, (1, 2, 3)),
        several(30_000, 0.0025, (1, 2, 3, 4, 5), hold=0.5),
    ),
    figure=None,
    batch_size=32,
    task=(
        "Two decimal numbers of d digits each, the least significant first, with the operator "
        "between them. The answer is their product."
    ),
    paper={"cell": "two layers of CGRU with 24 maps and width 4", "error": "not learned"},
    differences=(
        "One layer of CGRU with 192 maps on an image without width, with the hard nonlinearities "
        "and diagonal gates of Freivalds & Liepins (2017), instead of two layers on an image of "
        "width 4.",
        "A curriculum over the bases 2, 4 and 10, by which Price, Zaremba & Sutskever (2016) "
        "learned it with 256 maps; the operator is another symbol in each base.",
        "Several lengths up to five digits in every update, instead of one length at a time; no "
        "relaxation of parameter sharing and no gradient noise.",
        "AdaMax with relative clipping (Freivalds & Liepins 2017) instead of Adam.",
    ),
)
