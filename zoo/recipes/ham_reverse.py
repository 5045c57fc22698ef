"""Reversal of a sequence by an LSTM with HAM."""

from ..families.ham.baseline_settings import compared_with
from ..families.ham.settings import CONTROLLED, CONTROLLED_STAGES, FIELDS, differences, softened
from ..recipe import Recipe

RECIPE = Recipe(
    name="ham_reverse",
    dataset="ham_reverse",
    **FIELDS,
    hyperparameters=CONTROLLED,
    stages=CONTROLLED_STAGES,
    scouted_stages=len(CONTROLLED_STAGES),
    batch_size=25,
    task=(
        "A sequence of up to 32 vectors of 10 bits. The answer is the same vectors, the last one "
        "first, and the End Of Output symbol."
    ),
    paper={"error": "0 %", "longer_error": "0 %"},
    differences=differences(CONTROLLED, CONTROLLED_STAGES, 25),
)
VARIANTS = (
    softened(RECIPE, steps=(8000, 2000), entropy_bonus=3e-3),
    compared_with(
        RECIPE,
        attention=False,
        errors=(73, 100),
        searched=True,
        test_data_seen=(
            "A training with the recipe's own settings was published before they were searched "
            "for, with 87.20 % wrong for up to 32 input vectors.",
        ),
    ),
    compared_with(
        RECIPE,
        attention=True,
        errors=(0, 100),
        searched=True,
        times=4,
        test_data_seen=(
            "A training of a quarter of the batches was published first, with 0.72 % wrong for up "
            "to 32 input vectors.",
        ),
    ),
)
