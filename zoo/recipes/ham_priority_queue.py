"""A priority queue by raw HAM."""

import dataclasses

from ..families.ham import build
from ..families.ham_settings import RAW, SIZES, differences
from ..recipe import Recipe, Stage

SOON = dataclasses.replace(SIZES, validation_threshold=0.01)
STAGES = (
    Stage(steps=20_000, learning_rate=4e-3, curriculum=SOON, chunk=100),
    Stage(steps=6000, learning_rate=4e-3, schedule="exponential", hold=0.45, chunk=100),
)

SETTINGS = {
    **RAW,
    "units": 32,
    "hidden_units": 48,
    "discount": 0.98,
    "sure_from": 32,
    "beta_2": 0.999,
    "averaging": 0.99,
    "patience": 8,
    "size_factor": 0.75,
}
RECIPE = Recipe(
    name="ham_priority_queue",
    family="ham",
    dataset="ham_priority_queue",
    build=build,
    parameters={"length": 32, "min_length": 32},
    length_parameters=("min_length", "length"),
    hyperparameters=SETTINGS,
    stages=STAGES,
    scouted_stages=len(STAGES),
    figure=None,
    batch_size=25,
    validate_every=100,
    task=(
        "A sequence of operations: PUSH with a priority and a value of 5 bits each, or POP. Each "
        "POP is answered at once, with the value of the highest priority of those that are still "
        "there."
    ),
    paper={"error": "0.08 %", "longer_error": "0.2 %"},
    differences=differences(SETTINGS, STAGES, 25),
)
