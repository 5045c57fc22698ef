"""Long binary multiplication by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import DIAGONAL, DIFFERENCES, NUMBERS, several, sharper
from ..recipe import Recipe

RECIPE = Recipe(
    name="neural_gpu_multiplication",
    dataset="neural_gpu_multiplication",
    **NUMBERS,
    hyperparameters={
        **DIAGONAL,
        "maps": 96,
        "gate_sharpness": 1.4,
        "longer": 100,
        "longer_at_first": 8,
    },
    stages=(
        several(10_000, 0.005, (1, 2, 3, 4, 5), hold=0.6),
        # From here on, some numbers have runs of equal digits, which cause longer carries.
        several(5000, 0.004, (2, 4, 6, 8, 10), runs_share=0.3),
        several(20_000, 0.004, (4, 8, 12, 16, 20), runs_share=0.5),
        # Some products have such runs, too.
        several(16_000, 0.004, (4, 8, 12, 16, 20), runs_share=0.4, result_runs_share=0.3),
    ),
    task=(
        "Two binary numbers of d digits each, the least significant first, with the operator "
        "between them. The answer is their product."
    ),
    differences=(
        *DIFFERENCES,
        "After the first stage some numbers have runs of equal digits, and in the last stage "
        "some of the products. That stage was added because an earlier published model, without "
        "it, got 83 % of the products of the probe of carries wrong at 20 digits, and 4.5 % at 200 "
        "digits, on the test examples.",
        sharper("100 and 200 digits"),
        "How often long products are wrong goes up and down while it is trained. The published "
        "model averages the outputs of this training after 42,000 and 51,000 batches and of an "
        "earlier one of 48 maps after 64,000, in six stages, half of whose numbers had runs in the "
        "last two; a dropout of 0.15 is that of the last, 0.1 that of the stages before. They were "
        "chosen by validation examples of 20, 100 and 200 digits and of the probes: nine moments "
        "of the last stage were averaged in every combination on 100 examples of 200 digits, then "
        "four of these with one before the stage and the one of 48 maps on 200 of 200 and 400 of "
        "100 digits; two more moments were looked at. The last stage was meant to have 60,000 "
        "batches and was ended after 16,000.",
    ),
    test_data_seen=(
        "Three earlier versions were published: with 40.30, 3.50 and 1.90 % wrong at 100 digits "
        "and 52.40, 12.50 and 4.50 % at 200. Settings, stages and members were changed after "
        "each.",
    ),
)
