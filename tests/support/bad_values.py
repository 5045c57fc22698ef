"""Values that arguments must refuse, by kind, and arguments that go together."""

import functools

import keras
import numpy as np

from keras_adaptive import (
    baselines,
    curriculum,
    halting,
    ham,
    relaxation,
    weight_averages,
)
from keras_adaptive.layers import (
    ACTRNN,
    NeuralGPU,
    PonderNet,
    Recall,
)

# Bad values of each kind. `None` is one unless it is said to be allowed.
NAN, INF = float("nan"), float("inf")
ODD = ["3", [1], {}, NAN, INF, -INF, True]
NUMBER = [*ODD, None, 1e39, 10**400, np.float64(1e39), 1j]
AT_LEAST_0 = [*NUMBER, -1, -1e-9]
ABOVE_0 = [*AT_LEAST_0, 0, 0.0]
SHARE = [*AT_LEAST_0, 1.001]
BELOW_1 = [*SHARE, 1, 1.0]
INTEGER = [*ODD, None, 2.5, 3.0, 10**30, 10**5000, np.float32(2), np.array([1, 2])]
COUNT = [*INTEGER, 0, -1]
SEED = [*ODD, 2.5, -1, 2**32]
SWITCH = [None, "yes", "false", 0, 1, 2, NAN, []]
WORD = ["nonsense", "", 3, True, [], NAN]
TEXT = [3, True, NAN, [], ""]
NAME = [3, True, NAN, ""]
PATH = [None, 3, True, [], NAN, ""]
FUNCTION = [None, 3, "sample", []]
RULE = [*WORD, None, halting.ACT]
CELL = [None, "GRU", 8, [], [None], keras.layers.GRU(8), [keras.layers.GRU(8)]]
CELL += [keras.layers.Dense(3), baselines.StackRNNCell, keras.layers.ConvLSTM2D(2, 3)]
MAX_OUTPUTS = [None, 1, "ab", (1,), (0, 0), (-1, 1), (1, 1.5), (NAN, 1), (INF, 0), (True, 1)]
ALPHABET = [None, 3, "symbols", baselines.Symbols]
LAYER = ["dense", 3, keras.layers.Dense]
MODEL = [None, "model", 3, []]
DATA = []  # Tensors, and whatever has a shape: Keras says what is wrong with them.


def or_none(values):
    return [value for value in values if value is not None]


ACTRNN_SWITCHES = ["go_backwards", "stateful", "unroll", "zero_output_for_mask"]
OF_CGRU = {
    "kernel_size": [None, 3, "ab", (3,), (3, 2), (3, 0), (3, 2.5), (True, 3), (3, -1), (3, NAN)],
    "gate_cutoff": SWITCH,
    "nonlinearity": [*WORD, None],
    "diagonal": SWITCH,
    "saturation_cost": AT_LEAST_0,
    "dropout": BELOW_1,
    "initial_scale": ABOVE_0,
    "update_bias": NUMBER,
    "reset_bias": NUMBER,
    "gate_sharpness": ABOVE_0,
    "relaxation": COUNT,
    "seed": SEED,
}
OF_HAM = {
    "outputs": COUNT,
    "controller": or_none(CELL),
    "memory": ["memory", 20, {}, ham.Memory],
    "accesses_per_output": COUNT,
    "max_outputs": MAX_OUTPUTS,
    "num_leaves": [*or_none(COUNT), 1, 3, 6],
    "padding": or_none(NUMBER),
}
OF_STACK = {
    "units": COUNT,
    "num_stacks": COUNT,
    "stack_depth": [*or_none(COUNT), 1],
    "read_depth": COUNT,
    "recurrent": SWITCH,
    "action_sharpness": ABOVE_0,
    "hard_actions": SWITCH,
    "kernel_initializer": ["nonsense", 3, [1]],
    "action_initializer": ["nonsense", 3, [1]],
}
OF_GENERATOR = {
    "source": ALPHABET,
    "target": ALPHABET,
    "max_outputs": MAX_OUTPUTS,
    "reverse_inputs": SWITCH,
}
OF_LOSS = {"from_logits": SWITCH, "per_target": SWITCH, "name": NAME, "dtype": DATA}
OF_METRIC = {"name": NAME, "dtype": DATA}


GENERATOR = [None, 3, np.random.RandomState(0)]
COMPILED = [*MODEL, keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])]
ADAM = weight_averages.AveragingAdam
ADAMAX = weight_averages.AveragingRelativeClipAdamax
RATIO = {"totals": np.array([1.0, 2.0]), "parts": np.ones(2)}


def rng():
    return np.random.default_rng(0)


def symbols():
    return {"source": baselines.Symbols(3), "target": baselines.Symbols(3)}


def relaxed(averaged=False):
    model = keras.Sequential([keras.Input((3,)), NeuralGPU(3, maps=2, relaxation=2)])
    if averaged:
        relaxation.average(model)
    return model


@functools.cache
def plain():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def feed(**changes):
    regime = curriculum.OneByOne(["length"], 3)
    given = {"sample": len, "regime": regime, "batch_size": 2, "batches": 1, **changes}
    return curriculum.Feed(**given)


def pondering():
    inputs = keras.Input((1,))
    return {"inputs": inputs, "outputs": PonderNet(keras.layers.GRUCell(2))(inputs)}


def pondering_with_steps():
    inputs = keras.Input((2, 1))
    states, _ = ACTRNN(keras.layers.SimpleRNNCell(2), return_ponder=True)(inputs)
    return {"inputs": inputs, "outputs": states}


def recalling():
    inputs = keras.Input((4, 2))
    return {"inputs": inputs, "outputs": Recall(2, 2, 3)(inputs)}
