"""The type, range and help of each setting of a recipe and each option of a command.

The parameters of the data sets are in `datasets.settings`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..datasets.settings import (
    LONGEST,
    PARAMETERS,
    Choice,
    Flag,
    Integer,
    Number,
    Setting,
    Several,
    check_parameters,
)

SCHEDULES = ("constant", "cosine", "exponential")
# Keras's dtype policies whose weights are float32.
PRECISIONS = ("float32", "mixed_bfloat16")
REWARDS = ("log_probability", "bits", "vector")
MOST_STEPS = 10**9
LARGEST_BATCH = 1_000_000
# A kernel between two layers of this many units takes 4 GiB.
MOST_UNITS = 32_768
MOST_PONDER = 10_000
# The hyperparameters with which a network may begin smaller than it becomes.
GROWING = ("num_layers", "units")
SEED = Integer("of what is drawn", 0, 2**32 - 1)


class Curricula(Setting):
    """A curriculum, which can only be removed: the recipe's is the only one."""

    words: ClassVar[str] = "null, for no curriculum"
    allowed = words

    def allows(self, value):
        return False


class Rewards(Setting):
    """A reward, or several with weights."""

    words: ClassVar[str] = f"one of {', '.join(REWARDS)}, or their weights, none of them negative"

    def allows(self, value):
        if not isinstance(value, Mapping):
            return value in REWARDS if isinstance(value, str) else False
        weight = Number("", 0)
        names = bool(value) and set(value) <= set(REWARDS)
        return names and all(map(weight.allows, value.values())) and any(value.values())


class MostOutputs(Setting):
    """The pair (a, b) of the largest number of outputs for n inputs, a n + b."""

    words: ClassVar[str] = "a list of a number and a whole number, not both 0 and none negative"

    def allows(self, value):
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            return False
        numbers = Number("", 0, 1000).allows(value[0]) and Integer("", 0, 1000).allows(value[1])
        return numbers and any(value)


class KernelSize(Several):
    """Sizes of a kernel; they are odd, so that it has a center."""

    @property
    def words(self):
        return "a list of 2 odd whole numbers from 1 to 99"

    def allows(self, value):
        return super().allows(value) and all(size % 2 for size in value)


class Parameters(Setting):
    """Parameters of the data set."""

    words: ClassVar[str] = "an object of the data set's parameters"

    def allows(self, value):
        return isinstance(value, Mapping)

    def check(self, name, value):
        super().check(name, value)
        check_parameters(value)


class Hyperparameters(Setting):
    """Hyperparameters with which a network is smaller."""

    words: ClassVar[str] = f"an object of numbers with the names {' or '.join(GROWING)}"

    def allows(self, value):
        return isinstance(value, Mapping) and set(value) <= set(GROWING)

    def check(self, name, value):
        super().check(name, value)
        for key, number in value.items():
            HYPERPARAMETERS[key].check(key, number)


RECIPE = {
    "batch_size": Integer("examples a step", 1, LARGEST_BATCH),
    "seed": SEED,
    "validate_every": Integer("steps between two measurements on validation data", 1, MOST_STEPS),
}
STAGE = {
    "steps": Integer("training steps; with a curriculum the most", 1, MOST_STEPS),
    "learning_rate": Number("at the start of the stage", 0, 1000, open="low"),
    "schedule": Choice("how the learning rate falls", SCHEDULES),
    "hold": Number("share of the stage before the learning rate falls", 0, 1, open="high"),
    "time_penalty": Number("τ, the price of a step of thought", 0, 1000),
    "parameters": Parameters("the data set's parameters that differ in the stage"),
    "hyperparameters": Hyperparameters("those of the network that are smaller in the stage"),
    "curriculum": Curricula("how difficulty grows", none=True),
    "bins": Several(
        "lengths that training batches take in turn",
        Integer("largest length", 1, LONGEST),
        0,
        100,
        rising=True,
    ),
    "chunk": Integer("steps between two decisions", 1, 1_000_000),
    "batch_size": Integer("examples a step in the stage", 1, LARGEST_BATCH, none=True),
    "validate_every": Integer("the recipe's, in the stage", 1, MOST_STEPS, none=True),
}
# A hyperparameter means the same in every family.
HYPERPARAMETERS = {
    "accesses_per_output": Integer("accesses to the memory for each output", 1, 100),
    "action_scale": Number("by how much the actions' weights are larger", 0, 1000, open="low"),
    "action_sharpness": Number("of the actions in inference", 0, 1000, open="low"),
    "again_from": Integer("stage, from 0, from which `entropy_again` holds", 0, 100),
    "alpha": Number("weight of the progressive loss", 0, 1),
    "attention": Flag("the decoder attends the inputs"),
    "averaging": Number("momentum of an average of the weights", 0, 1, open="high", none=True),
    "baseline": Choice("subtracted from returns", ("learned", "leave_one_out"), none=True),
    "beta": Number("weight of the divergence from the prior", 0, 1000),
    "beta_2": Number("of Adam", 0, 1, open="low high"),
    "channels": Several("of the blocks", Integer("of a block", 1, 4096), 1, 10),
    "clipnorm": Number("global norm that gradients are clipped at", 0, 1e9, open="low", none=True),
    "controller_units": Integer("of the LSTM beside the memory", 1, MOST_UNITS, none=True),
    "depth": Integer("layers of each perceptron", 1, 100),
    "diagonal": Flag("gates move maps by one place"),
    "discount": Number("γ of the returns", 0, 1),
    "dropout": Number("share that is dropped in training", 0, 1, open="high"),
    "dropout_on": Choice("what is dropped", ("state", "candidate")),
    "dropout_schedule": Choice("dropout by length", ("constant", "length", "root")),
    "embedding": Integer("width of a byte's learned vector", 1, MOST_UNITS, none=True),
    "entropy_again": Number("entropy bonus at each new size", 0, 1000, none=True),
    "entropy_bonus": Number("α at the start", 0, 1000),
    "entropy_decay": Number("factor on α after each step", 0, 1, open="low"),
    "entropy_penalty": Number("β", 0, 1000),
    "epsilon": Number("what may be missing from 1 at a halt", 0, 1, open="high"),
    "filters": Integer("of the convolutions", 2, 4096),
    "fixed_steps": Integer("of each input, without halting", 1, MOST_PONDER, none=True),
    "gate_cutoff": Flag("smooth gates are cut off"),
    "gate_sharpness": Number("of the gates in inference", 0, 1000, open="low"),
    "global_logit": Flag("positions halt by the mean of all positions too"),
    "gradient_noise": Number("scale of the noise on gradients", 0, 1000),
    "halting": Choice(
        "the halting rule", ("act", "anytime", "fixed", "pondernet", "sact", "sampled")
    ),
    "halting_bias": Number("b_h at the start", -100, 100),
    "hidden_units": Integer("of each perceptron", 1, MOST_UNITS),
    "initial_scale": Number("of the initial weights", 0, 1000, open="low"),
    "input_gain": Number("of the initial weights of the inputs", 0, 1000, open="low"),
    "input_scale": Number("largest first weight of an input", 0, 1000, open="low"),
    "iterations": Integer("m, the steps of thought in training", 1, MOST_PONDER),
    "kernel_scale": Number("by how much the kernel's weights are larger", 0, 1000, open="low"),
    "kernel_size": KernelSize("of the convolutions", Integer("", 1, 99), 2, 2),
    "keep_best": Flag("publish the weights with the fewest mistakes on longer examples"),
    "label_smoothing": Number("share of a target spread over all classes", 0, 1, open="high"),
    "least_time_penalty": Number("the smallest τ that `target_ponder` chooses", -1, 0),
    "longer": Integer("length beyond training that is validated", 2, LONGEST),
    "longer_at_first": Integer("the same, in the first stage", 2, LONGEST),
    "longest_memory": Number("of the forget gates, in time steps", 2, 1_000_000, open="low"),
    "maps": Integer("of the mental image", 1, 4096),
    "max_outputs": MostOutputs("most outputs for n inputs, a n + b"),
    "max_ponder": Integer("M, the largest number of steps per input", 1, MOST_PONDER),
    "momentum": Number("of SGD", 0, 1, open="high"),
    "more_steps": Integer("steps per symbol in another measurement", 2, 100, none=True),
    "nonlinearity": Choice("of the gates", ("smooth", "hard")),
    "num_blocks": Integer("residual blocks in a step of thought", 1, 100),
    "num_layers": Integer("layers of the network", 1, 100),
    "num_stacks": Integer("stacks", 1, 10_000),
    "optimizer": Choice("what trains the network", ("adam", "relative_clip_adamax")),
    "patience": Integer("chunks until the learning rate is halved", 1, MOST_STEPS, none=True),
    "place": Choice("where a translation ponders", ("writing", "before")),
    "policy_weight": Number("of the term of log p(A)", 0, 1000),
    "pooling": Choice("over all positions, before the answer", ("mean", "max")),
    "prior": Number("λ_p, the prior probability to halt at a step", 0, 1, open="low high"),
    "priority_gain": Number("of a priority's initial weights", 0, 10_000, open="low"),
    "read_depth": Integer("elements of a stack that are read", 1, 10_000),
    "recurrent": Flag("the hidden units are connected over time"),
    "relaxation": Integer("parameter sets at the start", 1, 100),
    "relaxation_factor": Number("on the pull after each chunk", 1, 1000),
    "relaxation_pull": Number("of the parameter sets together", 0, 1000),
    "residual_units": Integer("of each block", 1, 1000),
    "reset_bias": Number("of the reset gate at the start", -100, 100),
    "reverse_inputs": Flag("the last symbol is read first"),
    "reward": Rewards("of an output"),
    "samples": Integer("runs drawn of each example, or words of each batch", 1, 100_000),
    "saturation_cost": Number("of gates that are cut off", 0, 1000),
    "size_factor": Number("on the learning rate at each new size", 0, 1, open="low"),
    "soft": Flag("all leaves are attended (DHAM)"),
    "stack_depth": Integer("most elements of a stack", 1, LONGEST, none=True),
    "steps_multiplier": Integer("steps per symbol", 1, 100),
    "sure_decay": Number("factor on α from `sure_from` leaves on", 0, 1, open="low"),
    "sure_from": Integer("leaves from which α falls faster", 1, LONGEST),
    "target_ponder": Number("mean steps that τ is adapted to", 1, MOST_PONDER, none=True),
    "unchanged_steps": Integer("k, which leave the answer as it is, before a halt", 1, MOST_PONDER),
    "units": Integer("of the recurrent layer, or of each node", 1, MOST_UNITS),
    "update_bias": Number("of the update gate at the start", -100, 100),
    "weight_decay": Number("of SGD", 0, 1, none=True),
    "width": Integer("of the mental image", 1, 1024),
}
# The options of commands, by the names of the Python arguments.
OPTIONS = {
    "batch_size": Integer("examples in each call", 1, 1_000_000),
    "beam": Integer("answers that a search keeps", 1, 100),
    "bits": Integer("digits of each number", 1, LONGEST),
    "checkpoint_seconds": Number("between two checkpoints", 0, 1_000_000),
    "epsilon": HYPERPARAMETERS["epsilon"],
    "examples": Integer("of a measurement", 1, 10_000_000),
    "height": Number("the least height of a peak"),
    "keep_every": Integer("steps", 1, MOST_STEPS),
    "leaves": Integer("of the memory", 2, 2**20),
    "length": Integer("positions, vectors or operations", 1, LONGEST),
    "long_examples": Integer("of a measurement at very long lengths", 1, 10_000_000),
    "max_ponder": HYPERPARAMETERS["max_ponder"],
    "precision": Choice("of the computation in training", PRECISIONS),
    "seconds": Number("until a measurement ends", 0, 1_000_000, open="low"),
    "seed": SEED,
    "seeds": Integer("how many seeds", 1, 10_000),
    "side": PARAMETERS["side"],
    "steps_scale": Number("factor on the steps of all stages", 0, 10_000, open="low"),
    "steps_multiplier": HYPERPARAMETERS["steps_multiplier"],
    "trials": Integer("of a search", 1, 1_000_000),
    "within": Number("seconds of each call", 0, 86_400, open="low"),
}
# What decides how much a loaded model computes, and which models have it.
LIMITED = {
    "max_ponder": "adaptive computation time",
    "epsilon": "adaptive computation time",
    "leaves": "a memory of leaves",
    "within": "adaptive computation time",
    "beam": "a search among answers",
    "steps_multiplier": "as many steps as symbols",
}


def plain(value: Any) -> Any:
    """A value as JSON gives it back: lists for tuples and arrays, Python's numbers for NumPy's.

    >>> plain({"units": np.int64(8), "bins": (4, 8)})
    {'units': 8, 'bins': [4, 8]}
    """
    if isinstance(value, Mapping):
        return {name: plain(of) for name, of in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(plain, value))
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def check_option(name, value):
    """Refuse an invalid value of an option; None stands for an option that was not given."""
    if value is not None:
        OPTIONS[name].check(name, value)


def setting_of(recipe, key):
    """The `Setting` that describes a setting of a recipe.

    Args:
        recipe: a `Recipe`.
        key: the setting, as in `Recipe.with_overrides`.

    Returns:
        A `Setting`, or None for a hyperparameter that only a user's own recipe has.
    """
    name = key.rsplit(".", 1)[-1]
    if key in RECIPE:
        return RECIPE[key]
    if key in recipe.hyperparameters:
        return HYPERPARAMETERS.get(key)
    if key in recipe.parameters or key in recipe.training_parameters:
        return PARAMETERS.get(key)
    return STAGE[name]
