"""The bytes of Wikipedia (Graves 2016, section 3.5): all of the text, with a smaller LSTM."""

from ..recipe import Recipe, Stage
from ..search.space import TIME_PENALTIES

PAPER = Recipe(
    name="act_enwik8_paper",
    dataset="enwik8",
    build="language",
    parameters={"length": 500, "size": 100_000_000},
    hyperparameters={
        "units": 1500,
        "embedding": None,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 100,
        "epsilon": 0.01,
        "halting_bias": 1.0,
        "target_ponder": None,
        "least_time_penalty": 0.0,
        "clipnorm": 100.0,
    },
    stages=(Stage(steps=500_000, learning_rate=1e-4, time_penalty=6e-3),),
    figure=None,
    batch_size=16,
    family="language",
    task=(
        "The first 10⁸ bytes of Wikipedia, with XML tags and markup, are read one by one, 500 in a "
        "sequence. The answer to each is the next one."
    ),
    paper={
        "cell": "LSTM with 1500 units",
        "error": "shown in plots (Figures 21 and 22), not given as a number",
        "error_without_act": "“fairly similar with and without ACT”, likewise",
    },
    differences=(
        "One worker with Adam and batches of 16 sequences instead of 16 asynchronous workers.",
        "The last tenth of the text is held out; the paper had no validation set.",
        "Gradients are clipped at a global norm of 100.",
        "500,000 batches; the paper's 16 workers took 10,000 iterations each. The search also has "
        "larger time penalties, j = 4, which the paper did not try here.",
    ),
    search={"time_penalty": TIME_PENALTIES},
)
RECIPE = PAPER.replace(
    name="act_enwik8",
    training_parameters={"length": 100},
    hyperparameters={
        **PAPER.hyperparameters,
        "units": 512,
        "embedding": 64,
        "max_ponder": 4,
        "halting_bias": 0.0,
        "clipnorm": 50.0,
    },
    stages=(
        # At first a step is free, because the network has not learned yet what to use it for.
        Stage(steps=500, learning_rate=2e-3, time_penalty=0.0, chunk=100),
        Stage(
            steps=3500,
            learning_rate=2e-3,
            schedule="cosine",
            time_penalty=1e-2,
            chunk=100,
        ),
    ),
    batch_size=128,
    validate_every=1000,
    differences=(
        "512 LSTM units instead of 1500, and training windows of 100 bytes instead of 500.",
        "Bytes come in as learned vectors of 64 numbers.",
        "At most 4 steps are allowed instead of 100.",
        "The published network starts from the weights of one without ACT.",
        "One worker with Adam, annealed, instead of 16 asynchronous workers at 1e-4.",
        "Errors are those on held-out text; the paper reports those on its training set.",
        "As in the paper, ACT hardly improves the predictions: it is level with one step after "
        "equally many batches, and in the same time one step is better.",
    ),
)
VARIANTS = (PAPER,)
