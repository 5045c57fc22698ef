"""The bytes of Wikipedia for two cores: the first megabyte, and a small LSTM."""

from ..recipe import Stage
from .act_enwik8 import PAPER

RECIPE = PAPER.replace(
    name="act_enwik8_small",
    parameters={"length": 500, "size": 1_066_628},
    training_parameters={"length": 100},
    hyperparameters={
        **PAPER.hyperparameters,
        "units": 128,
        "embedding": 32,
        "max_ponder": 5,
        # With the paper's time penalty of 0.006 all bytes took 5 steps, or all took one.
        "target_ponder": 2.0,
        "clipnorm": 50.0,
    },
    stages=(
        Stage(
            steps=3600,
            learning_rate=3e-3,
            schedule="cosine",
            hold=0.2,
            time_penalty=6e-3,
            chunk=100,
        ),
    ),
    batch_size=32,
    validate_every=400,
    task=(
        "The first 1,066,628 bytes of enwik8 (Wikipedia, with XML tags and markup) are read one by "
        "one; the last tenth is held out. The answer to each is the next one."
    ),
    differences=(
        "A hundredth of the text, 128 units instead of 1500, and training windows of 100 bytes "
        "instead of 500.",
        "Bytes come in as learned vectors of 32 numbers.",
        "At most 5 steps are allowed instead of 100.",
        "One worker with Adam, annealed, instead of 16 asynchronous workers at 1e-4.",
        "The price τ of a step is not fixed: it is adapted so that a byte takes at most 2 steps on "
        "average, and never below 0. It soon fell to 0 and stayed there (`history.csv`): steps "
        "were free, and yet few were taken. In short trainings at this rate the paper's 0.006 led "
        "to the largest number of steps for every byte, or, with a higher price at first, nearly "
        "to the least.",
        "Errors are those on held-out text; the paper reports those on its training set.",
    ),
)
