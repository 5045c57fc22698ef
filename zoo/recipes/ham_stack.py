"""A stack and a queue by raw HAM."""

from ..families.ham.settings import RAW, RAW_STAGES, differences, softened
from ..recipe import Recipe

RECIPE = Recipe(
    name="ham_stack",
    family="ham",
    dataset="ham_stack",
    build="ham",
    parameters={"length": 32, "min_length": 32},
    length_parameters=("min_length", "length"),
    hyperparameters=RAW,
    stages=RAW_STAGES,
    scouted_stages=len(RAW_STAGES),
    figure=None,
    batch_size=25,
    validate_every=100,
    task=(
        "A sequence of operations: PUSH with a vector of 5 bits, or POP. Each POP is answered at "
        "once, with the vector that was pushed last of those that are still there."
    ),
    paper={"error": "0 %", "longer_error": "0 %"},
    differences=differences(RAW, RAW_STAGES, 25),
)
QUEUE = RECIPE.replace(
    name="ham_queue",
    dataset="ham_queue",
    task=RECIPE.task.replace("pushed last of", "pushed first of"),
)
VARIANTS = (softened(RECIPE), QUEUE, softened(QUEUE))
