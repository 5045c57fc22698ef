"""Sorting by an LSTM with soft HAM."""

from ..families.ham import build
from ..families.ham_settings import COMPARING, COMPARING_STAGES, CONTROLLED, differences
from ..recipe import Recipe

SETTINGS = {**CONTROLLED, **COMPARING, "soft": True}
RECIPE = Recipe(
    name="dham_sort",
    family="ham",
    dataset="ham_sort",
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
        "A sequence of up to 32 pairs of a key and a value, 5 bits each. The answer is the same "
        "pairs in the order of their keys, those with the same key as they came, and the End Of "
        "Output symbol. All leaves are attended, each as much as a descent of HAM would be likely "
        "to end there."
    ),
    paper={},
    differences=differences(SETTINGS, COMPARING_STAGES, 50),
)
