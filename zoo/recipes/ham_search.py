"""Binary search by an LSTM with HAM."""

from ..families.ham import build
from ..families.ham_settings import COMPARING, COMPARING_STAGES, CONTROLLED, differences
from ..recipe import Recipe

SETTINGS = {
    **CONTROLLED,
    **COMPARING,
    "accesses_per_output": 2,
    "max_outputs": [0, 1],
    "discount": 1.0,
}
RECIPE = Recipe(
    name="ham_search",
    family="ham",
    dataset="ham_search",
    build=build,
    parameters={"length": 32, "min_length": 1},
    length_parameters=("min_length", "length"),
    hyperparameters=SETTINGS,
    stages=COMPARING_STAGES,
    scouted_stages=len(COMPARING_STAGES),
    figure=None,
    batch_size=100,
    validate_every=100,
    task=(
        "Up to 31 pairs of a key and a value, 5 bits each, sorted by their keys, and behind them "
        "one of the keys. The answer is the value of the first pair with that key. The memory is "
        "accessed twice in all."
    ),
    paper={"error": "0.12 %", "longer_error": "1.68 %"},
    differences=differences(SETTINGS, COMPARING_STAGES, 100),
)
