"""Merging of two sorted sequences by an LSTM with HAM."""

from ..families.ham import build
from ..families.ham_settings import COMPARING, COMPARING_STAGES, CONTROLLED, differences
from ..recipe import Recipe

SETTINGS = {
    **CONTROLLED,
    **COMPARING,
    "priority_gain": 20.0,
    "patience": 30,
    # As slow at the largest size as before: turns that are settled early stay as they are.
    "sure_decay": 0.6**0.002,
}
RECIPE = Recipe(
    name="ham_merge",
    family="ham",
    dataset="ham_merge",
    build=build,
    parameters={"length": 32, "min_length": 1},
    length_parameters=("min_length", "length"),
    hyperparameters=SETTINGS,
    stages=COMPARING_STAGES,
    scouted_stages=len(COMPARING_STAGES),
    figure=None,
    batch_size=50,
    validate_every=100,
    task=(
        "Two sequences of pairs of a priority between 0 and 1 and a value of 5 bits, up to 32 "
        "pairs in all; priorities rise within each sequence. The answer is the values of both in "
        "the order of the priorities, and the End Of Output symbol."
    ),
    paper={"error": "0 %", "longer_error": "2.48 %"},
    differences=(
        *differences(SETTINGS, COMPARING_STAGES, 50),
        "The first weights from a priority into EMBED start 20 times as large: neighbours among "
        "the priorities differ by 1/300 or a little more.",
    ),
)
