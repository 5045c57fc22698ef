"""Addition of binary numbers by an LSTM with HAM."""

import dataclasses

from ..families.ham.baseline_settings import compared_with
from ..families.ham.settings import CONTROLLED, CONTROLLED_STAGES, differences, softened
from ..recipe import Recipe

# No sum has fewer than 4 symbols.
FIRST = dataclasses.replace(
    CONTROLLED_STAGES[0].curriculum, start=4, threshold=0.4, validation_threshold=0.02
)
STAGES = (
    dataclasses.replace(CONTROLLED_STAGES[0], curriculum=FIRST),
    dataclasses.replace(CONTROLLED_STAGES[1], steps=4000, hold=0.5),
)

SETTINGS = {
    **CONTROLLED,
    "units": 32,
    "hidden_units": 32,
    "controller_units": 32,
    "accesses_per_output": 2,
    "max_outputs": [0.5, 1],
    "sure_from": 64,
}
RECIPE = Recipe(
    name="ham_add",
    family="ham",
    dataset="ham_add",
    build="ham",
    parameters={"length": 32, "min_length": 4},
    length_parameters=("min_length", "length"),
    hyperparameters=SETTINGS,
    stages=STAGES,
    scouted_stages=len(STAGES),
    figure=None,
    batch_size=25,
    validate_every=100,
    task=(
        "Two binary numbers of the same length with a plus between them and an equals sign "
        "at the end, the least significant bits first, up to 32 symbols in all. The answer is "
        "their sum, and the End Of Output symbol."
    ),
    paper={"error": "0 %", "longer_error": "100 %"},
    differences=differences(SETTINGS, STAGES, 25),
)
VARIANTS = (
    softened(RECIPE),
    compared_with(RECIPE, attention=False, errors=(39, 100), searched=True),
    compared_with(
        RECIPE,
        attention=True,
        errors=(0, 100),
        searched=True,
        times=8,
        test_data_seen=(
            "A training of an eighth of the batches was published first, with 20.72 % wrong for up "
            "to 32 input vectors.",
        ),
    ),
)
