"""Duplicating bits by a Neural GPU with diagonal gates."""

from ..families.neural_gpu.settings import BITS, BITS_NETWORK, DIFFERENCES, several, sharper
from ..recipe import Recipe

RECIPE = Recipe(
    name="neural_gpu_duplicate",
    dataset="neural_gpu_duplicate",
    **BITS,
    hyperparameters={
        **BITS_NETWORK,
        "gate_sharpness": 1.5,
        "gradient_noise": 0.002,
    },
    stages=(
        several(6000, 0.01, (3, 5, 7, 9, 13), hold=0.6),
        several(500, 0.005, (5, 9, 13, 17, 21)),
        several(4000, 0.005, (9, 17, 25, 33, 41), hold=0.5),
        # Half of the inputs have longer runs of equal bits than uniform bits have.
        several(8000, 0.003, (9, 17, 25, 33, 41), hold=0.3, runs_share=0.5),
    ),
    task=("Half of the input is bits, the rest blanks. The answer is the bits twice."),
    differences=(
        DIFFERENCES[0],
        "Several lengths in every update, in stages of growing length, instead of one length at a "
        "time; in the last stage half of the inputs have runs of equal bits. No relaxation of "
        "parameter sharing.",
        *DIFFERENCES[2:],
        sharper("4001 positions"),
        "The first three stages were trained with one seed and several scales of the gradient "
        "noise (0, 0.0002, 0.0005, 0.001 and 0.002), with 48 maps and with a saturation cost; of "
        "those with nothing wrong on validation examples of 121 positions, the one with the fewest "
        "mistakes at 401 was continued. Two other seeds, without noise, ended with 11 and 84 % "
        "wrong at 41 positions. One with runs in its second and third stage, and no such choice "
        "before it, was wrong in all validation examples of 401 positions; a second seed of that "
        "was stopped early.",
        "Before the last stage was tried, earlier models had been measured on test examples of "
        "401 and 4001 positions: four trainings, and an average of three, which was published, "
        "without and with sharper gates.",
    ),
    test_data_seen=(
        "Earlier versions were published with 35.40 % wrong at 401 positions, and, as an "
        "average of three networks, with 0.30 % at 401 and all of them at 4001. Sharper gates "
        "and the stage with runs of equal bits were added after that. The same weights with a "
        "sharpness of 1.25 were published with 1 of 100 wrong at 4001; with 1.5 none of 1,000 "
        "validation examples was.",
    ),
)
