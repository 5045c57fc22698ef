"""Long binary addition by a stack RNN."""

from ..families.baseline import stack_rnn
from ..recipe import Curriculum, Recipe, Stage

RECIPE = Recipe(
    name="neural_gpu_addition_stack_rnn",
    family="baseline",
    dataset="neural_gpu_addition",
    build=stack_rnn,
    parameters={"bits": 20, "min_bits": 20},
    training_parameters={"min_bits": 1, "unequal_share": 0.0},
    length_parameters=("min_bits", "bits"),
    hyperparameters={
        "units": 100,
        "num_stacks": 10,
        "stack_depth": None,
        "read_depth": 2,
        "recurrent": False,
        "reverse_inputs": True,
        "optimizer": "adam",
        "clipnorm": 1.0,
        "longer": 60,
    },
    # Numbers of one digit more as soon as sums of up to d digits are known, then all lengths and a
    # learning rate that falls. The authors' program has one digit more after every 20,000 sums,
    # whatever was learned; with that, nothing was learned here beyond two digits.
    stages=(
        Stage(
            steps=60_000,
            learning_rate=5e-3,
            curriculum=Curriculum(("bits",), start=1, stop="bits", threshold=0.1),
            chunk=250,
        ),
        Stage(steps=20_000, learning_rate=5e-3, schedule="cosine"),
    ),
    figure=None,
    batch_size=32,
    task=(
        "Two binary numbers of d digits each, the least significant first, with a plus between "
        "them. The answer is their sum, written until the network's own end symbol."
    ),
    paper={
        "cell": "stackRNN, in its authors' own training with n_max = 41",
        "error": "0, 0, 12, 100, 100 %",
        "errors": {"20": "0 %", "25": "0 %", "100": "12 %", "200": "100 %", "2000": "100 %"},
    },
    differences=(
        "One digit more when less than 10 % of the training sums are wrong, not after a fixed "
        "number of sums.",
        "Both numbers have the same number of digits, with zeros before them as the inputs of the "
        "Neural GPU have, where the authors' have lengths of their own and no zeros before them.",
        "Adam on batches of 32 with gradients clipped at a global norm of 1, instead of one step "
        "of gradient descent after each symbol with gradients clipped one by one.",
        "The learning rate falls as a cosine, not by half whenever the validation error rises.",
        "The gradient goes back to the beginning of the input, not over 50 steps.",
        "Stacks have no limit, where the published program loses what is more than 200 numbers "
        "deep; without the limit numbers of 2000 digits fit into them.",
    ),
    search={
        "learning_rate": (1e-3, 3e-3, 9e-3),
        "units": (50, 100),
        "clipnorm": (0.3, 1.0, 3.0),
        "recurrent": (False, True),
    },
)
