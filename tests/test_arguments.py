"""Every argument of everything public is right or refused by name, before any work is done.

`TABLE` has a row for each public class and function: how to call it, and for each argument what it
must refuse. A public argument without a row fails `test_every_argument_has_a_row`.
"""

import functools
import importlib
import inspect

import keras
import numpy as np
import pytest

from keras_adaptive import (
    arguments,
    baselines,
    boundaries,
    callbacks,
    checkpoints,
    control,
    curriculum,
    distributed,
    ensemble,
    evaluation,
    export,
    halting,
    ham,
    initial_weights,
    long_calls,
    losses,
    metrics,
    models,
    neural_gpu,
    numpy_act,
    optimizers,
    reinforce,
    relaxation,
    statistics,
    weight_averages,
)
from keras_adaptive.ham.probe import sides
from keras_adaptive.layers import (
    ACTRNN,
    CGRU,
    DHAM,
    HAM,
    AttentionCell,
    NeuralGPU,
    PonderNet,
    Recall,
    ResidualACT,
    ResidualUnit,
)

MODULES = [
    *("baselines", "boundaries", "callbacks", "checkpoints", "control", "curriculum"),
    *("distributed", "ensemble", "evaluation", "export"),
    *("halting", "ham", "ham.probe", "initial_weights", "layers", "long_calls", "losses"),
    *("metrics", "models", "neural_gpu", "numpy_act", "optimizers", "reinforce"),
    *("relaxation", "statistics", "weight_averages"),
]

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
OF_LOSS = {"from_logits": SWITCH, "per_target": SWITCH, "name": NAME}
OF_METRIC = {"name": NAME, "dtype": DATA}


GENERATOR = [None, 3, np.random.RandomState(0)]
COMPILED = [*MODEL, keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])]
ADAM = weight_averages.AveragingAdam
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


# {what: (arguments that are right, as a function, {argument: bad values})}
TABLE = {
    ACTRNN: (
        lambda: {"cell": keras.layers.SimpleRNNCell(2)},
        {
            "cell": CELL,
            "max_ponder": COUNT,
            "epsilon": BELOW_1,
            "time_penalty": AT_LEAST_0,
            "halting_bias": NUMBER,
            "halting": RULE,
            "steps": [*or_none(COUNT), 3],
            "target_ponder": [*or_none(AT_LEAST_0), 0.5, control.TargetPonder],
            "return_ponder": SWITCH,
            "return_sequences": SWITCH,
            "return_state": SWITCH,
            **dict.fromkeys(ACTRNN_SWITCHES, SWITCH),
        },
    ),
    CGRU: (lambda: {"maps": 2}, {"maps": COUNT, **OF_CGRU}),
    NeuralGPU: (
        lambda: {"symbols": 3, "maps": 2},
        {
            "symbols": COUNT,
            "maps": COUNT,
            "width": COUNT,
            "num_layers": or_none(COUNT),
            "cell": [None, "GRU", [], [None], CGRU, CGRU(2, dropout=0.1), 2.5, 0],
            **OF_CGRU,
            "dropout_on": [*WORD, None],
            "dropout_schedule": [*WORD, None],
            "relaxation_pull": AT_LEAST_0,
            "steps_multiplier": COUNT,
            "recompute": or_none(SWITCH),
            "padding": [*or_none(INTEGER), 0, 2],
        },
    ),
    HAM: (
        lambda: {"outputs": 2, "controller": keras.layers.SimpleRNNCell(2)},
        {**OF_HAM, "seed": SEED},
    ),
    DHAM: (
        lambda: {"outputs": 2, "controller": keras.layers.SimpleRNNCell(2)},
        {
            **OF_HAM,
            "writer": [*WORD, None],
            "entropy_bonus": AT_LEAST_0,
            "entropy_decay": [*SHARE, 0.0],
        },
    ),
    ham.Memory: (
        dict,
        {
            "units": COUNT,
            "hidden_units": COUNT,
            "depth": COUNT,
            "empty": [*WORD, None],
            **dict.fromkeys(("embed", "join", "search", "write"), LAYER),
        },
    ),
    ham.MLP: (
        lambda: {"units": 2},
        {
            "units": COUNT,
            "hidden_units": COUNT,
            "depth": COUNT,
            "activation": ["nonsense", 3, [1]],
        },
    ),
    ham.HighwayWrite: (
        lambda: {"units": 2},
        dict.fromkeys(("units", "hidden_units", "depth"), COUNT),
    ),
    ham.entropy: (None, {"right_probability": DATA}),
    ham.log_probability: (None, {"path": DATA, "right_probability": DATA}),
    ham.record: (None, {}),
    sides: (None, dict.fromkeys(("nodes", "leaves", "values", "lengths"), DATA)),
    neural_gpu.cutoff_sigmoid: (None, {"x": DATA}),
    neural_gpu.hard_sigmoid: (None, {"x": DATA}),
    neural_gpu.hard_tanh: (None, {"x": DATA}),
    neural_gpu.saturation: (None, {"x": DATA}),
    halting.ACT: (dict, {"max_ponder": COUNT, "epsilon": BELOW_1}),
    Recall: (
        lambda: {"filters": 2, "outputs": 2, "steps": 3},
        {
            "filters": [*COUNT, 1],
            "outputs": COUNT,
            "steps": COUNT,
            "halting": [*or_none(ODD), 2.5, 0, -1, halting.ACT, halting.ACT()],
            "num_blocks": COUNT,
            "kernel_size": [*COUNT, 2],
            "return_ponder": SWITCH,
        },
    ),
    ResidualUnit: (
        lambda: {"filters": 4},
        {"filters": COUNT, "strides": COUNT, "negative_slope": AT_LEAST_0, "momentum": BELOW_1},
    ),
    ResidualACT: (
        lambda: {"units": [ResidualUnit(4), ResidualUnit(4)]},
        {
            "units": [None, "units", 3, [], [None], ["unit"], [ResidualUnit]],
            "spatial": SWITCH,
            "epsilon": BELOW_1,
            "time_penalty": AT_LEAST_0,
            "halting_bias": NUMBER,
            "target_ponder": [*or_none(NUMBER), 0.5],
            "global_logit": SWITCH,
            "return_ponder": SWITCH,
        },
    ),
    PonderNet: (
        lambda: {"cell": keras.layers.GRUCell(2)},
        {
            "cell": CELL,
            "head": DATA,
            "max_ponder": COUNT,
            "inference": ["mean", 1, None],
            "halting_bias": NUMBER,
            "return_ponder": SWITCH,
            "seed": SEED,
        },
    ),
    halting.AnytimeACT: (dict, {"max_ponder": COUNT, "epsilon": BELOW_1, "seed": SEED}),
    halting.Expected: (dict, {"max_ponder": COUNT}),
    halting.Converged: (dict, {"patience": COUNT, "max_ponder": COUNT}),
    halting.Fixed: (lambda: {"steps": 2}, {"steps": COUNT}),
    halting.Sampled: (dict, {"max_ponder": COUNT, "seed": SEED}),
    halting.ponder: (
        lambda: {
            "step": lambda n, s: (s, s[:, :1], s),
            "states": np.ones((1, 1), "float32"),
            "rule": halting.ACT(),
        },
        {
            "step": FUNCTION,
            "states": DATA,
            "rule": [*RULE, "act"],
            "inputs": DATA,
            "mask": DATA,
            "training": DATA,
            "history": SWITCH,
        },
    ),
    halting.compaction: (None, {}),
    halting.limits: (
        dict,
        {
            "max_ponder": or_none(COUNT),
            "epsilon": or_none(BELOW_1),
            "seconds": or_none(ABOVE_0),
        },
    ),
    halting.record: (None, {}),
    halting.report: (
        None,
        dict.fromkeys(
            ("layer", "steps", "remainder", "time_penalty", "probabilities", "answers"), DATA
        ),
    ),
    control.TargetPonder: (
        lambda: {"steps": 2},
        {
            "steps": [*ABOVE_0, 0.5],
            "proportional_gain": NUMBER,
            "integral_gain": NUMBER,
            "minimum": [*NUMBER, 0.1],
            "maximum": ABOVE_0,
            "integral_minimum": [*NUMBER, 0.1],
            "smoothing": BELOW_1,
            "gain_scale": [value for value in ABOVE_0 if value is not INF],
        },
    ),
    losses.SequenceLoss: (dict, OF_LOSS | {"label_smoothing": BELOW_1}),
    metrics.SequenceError: (dict, OF_METRIC),
    metrics.BitError: (dict, OF_METRIC),
    metrics.BitsPerCharacter: (dict, OF_METRIC),
    metrics.symbol_errors: (None, dict.fromkeys(("targets", "outputs", "weights"), DATA)),
    metrics.sequence_errors: (None, dict.fromkeys(("targets", "outputs", "weights"), DATA)),
    metrics.has_target: (None, {"weights": DATA}),
    models.AdaptiveModel: (None, {}),
    models.NeuralGPUModel: (None, {}),
    models.PointerNetwork: (
        dict,
        {
            "units": COUNT,
            "answer": [*WORD, "hull", None],
            "halting": [value for value in RULE if value is not None],
            "steps": [*or_none(COUNT), 3],
            "max_ponder": COUNT,
            "time_penalty": AT_LEAST_0,
            "target_ponder": [*or_none(AT_LEAST_0), 0.5, control.TargetPonder],
            "halting_bias": NUMBER,
            "beams": COUNT,
            "features": COUNT,
            "padding_value": NUMBER,
        },
    ),
    models.PonderNetModel: (
        pondering,
        {"beta": AT_LEAST_0, "prior": [*NUMBER, 0, 1, 1.5, -0.1]},
    ),
    models.AdaptiveResNet: (
        lambda: {"input_shape": (8, 8, 1), "units": 1, "filters": (2,)},
        {
            "input_shape": [None, 3, (8, 8), (8, 8, None), (8, 0, 1), (8, 2.5, 1), (3, 32, 32)],
            "classes": [*COUNT, 1],
            "units": COUNT,
            "filters": [None, 3, (), (0,), (2.5,), "ab"],
            "halting": or_none(WORD),
            "time_penalty": AT_LEAST_0,
            "epsilon": BELOW_1,
            "halting_bias": NUMBER,
            "target_ponder": [*or_none(NUMBER), 0.5],
            "negative_slope": AT_LEAST_0,
            "global_logit": SWITCH,
        },
    ),
    models.RecallModel: (recalling, {"alpha": SHARE, "seed": SEED}),
    optimizers.RelativeClipAdamax: (
        dict,
        {
            "learning_rate": ["nonsense", NAN, INF, -1, [1]],
            "beta_1": BELOW_1,
            "beta_2": SHARE,
            "beta_2_start": SHARE,
            "beta_2_half_life": ABOVE_0,
            "epsilon": AT_LEAST_0,
            "clip_factor": AT_LEAST_0,
            "clip_offset": ABOVE_0,
            "name": NAME,
        },
    ),
    optimizers.GradientNoise: (
        lambda: {"optimizer": "sgd", "scale": 0.1},
        {
            "optimizer": [None, "nonsense", 3, True],
            "scale": AT_LEAST_0,
            "exponent": NUMBER,
            "distribution": [*WORD, None],
            "times_learning_rate": SWITCH,
            "seed": SEED,
            "name": NAME,
        },
    ),
    callbacks.AdvanceCurriculum: (
        lambda: {"feed": feed()},
        {
            "feed": [None, 3, "feed", curriculum.Feed],
            "threshold": [*SHARE, 0.0],
            "exam_batches": COUNT,
            "metric": [*TEXT, None],
        },
    ),
    callbacks.Autosave: (lambda: {"save": len}, {"save": FUNCTION, "seconds": AT_LEAST_0}),
    callbacks.Checkpoint: (
        lambda: {"folder": "run"},
        {"folder": PATH, "seconds": AT_LEAST_0, "states": [3, "a", [], {"a": 3}, {"a": dict}]},
    ),
    callbacks.ProgressBar: (
        dict,
        {"steps": or_none(COUNT), "start": or_none([*INTEGER, -1]), "values": or_none(FUNCTION)},
    ),
    callbacks.RequireFinite: (dict, {}),
    checkpoints.Saved: (None, {"path": DATA, "state": DATA, "arrays": DATA, "instead": DATA}),
    checkpoints.StopRequest: (dict, {}),
    checkpoints.deferred_signals: (dict, {}),
    checkpoints.exists: (lambda: {"folder": "run"}, {"folder": PATH}),
    checkpoints.latest: (None, {"folder": DATA, "check": DATA}),
    checkpoints.load: (None, {"path": DATA, "check": DATA}),
    checkpoints.lock_folder: (
        lambda: {"folder": "run"},
        {"folder": PATH, "entry": or_none(TEXT), "shared": SWITCH},
    ),
    checkpoints.not_finite: (lambda: {"model": plain()}, {"model": [*MODEL, keras.Sequential()]}),
    checkpoints.remove_temporary_files: (dict, {"folders": DATA}),
    checkpoints.replace_folder: (lambda: {"path": "run"}, {"path": PATH}),
    checkpoints.restore: (None, {"saved": DATA, "model": DATA}),
    checkpoints.save: (
        lambda: {"path": "checkpoint.npz", "model": plain(), "state": {}},
        {"path": PATH, "model": [*MODEL, keras.Sequential()], "state": [None, 3, "a", []]},
    ),
    checkpoints.set_aside: (lambda: {"folder": "run"}, {"folder": PATH}),
    checkpoints.write_file: (
        lambda: {"path": "file", "content": "a"},
        {"path": PATH, "content": [None, 3, [], NAN], "keep_as": [3, True, NAN, []]},
    ),
    callbacks.RaiseRelaxationPull: (
        dict,
        {"factor": [*ABOVE_0, 1.0, 0.5], "end": or_none(ABOVE_0)},
    ),
    callbacks.UpdateWrongFraction: (dict, {"metric": [*TEXT, None]}),
    callbacks.WarnOfTimePenalty: (
        lambda: {"targets": {}},
        {"targets": [None, 3, "time_penalty", [], {"time_penalty": 3}], "tolerance": AT_LEAST_0},
    ),
    curriculum.OneByOne: (
        lambda: {"parameters": ["length"], "stop": 9},
        {
            "parameters": [None, 3, "length", [3], [None]],
            "stop": [*INTEGER, 0, 1],
            "start": [*COUNT, 9],
            "step": COUNT,
            "share": SHARE,
        },
    ),
    curriculum.Growing: (
        lambda: {"parameters": ["length"], "lengths": [3, 5]},
        {
            "parameters": [None, 3, "length", [3], [None]],
            "lengths": [None, 3, "35", [], [3, 3], [5, 3], [1.5], [0], [NAN], [True, 2]],
            "least": [*COUNT, 4],
        },
    ),
    curriculum.Batches: (
        lambda: {"make": lambda number, level: (number, level), "batches": 1},
        {"make": FUNCTION, "batches": COUNT, "level": DATA},
    ),
    curriculum.Feed: (
        lambda: (
            {"sample": len, "regime": curriculum.OneByOne(["n"], 3), "batch_size": 1}
            | {"batches": 1}
        ),
        {
            "sample": FUNCTION,
            "regime": [None, 3, "regime", curriculum.OneByOne],
            "batch_size": COUNT,
            "batches": COUNT,
            "seed": [*INTEGER, -1],
        },
    ),
    relaxation.add_variables: (
        lambda: {"layer": keras.layers.Layer(), "sets": 2, "pull": 0.1},
        {"layer": MODEL, "sets": [*COUNT, 1], "pull": AT_LEAST_0},
    ),
    relaxation.set_at: (None, {"layer": DATA, "step": DATA}),
    relaxation.distance: (None, {"variables": DATA}),
    relaxation.cost: (None, {"layer": DATA}),
    relaxation.relaxed_layers: (lambda: {"model": relaxed()}, {"model": MODEL}),
    relaxation.pull: (lambda: {"model": relaxed()}, {"model": [*MODEL, plain()]}),
    relaxation.is_averaged: (lambda: {"model": relaxed()}, {"model": [*MODEL, plain()]}),
    relaxation.raise_pull: (
        lambda: {"model": relaxed(), "factor": 1},
        {"model": [*MODEL, keras.Sequential()], "factor": [*ABOVE_0, 0.5]},
    ),
    relaxation.average: (lambda: {"model": relaxed()}, {"model": [*MODEL, plain()]}),
    relaxation.shared: (lambda: {"model": relaxed(averaged=True)}, {"model": [*MODEL, plain()]}),
    ensemble.average_outputs: (
        lambda: {"models": [plain(), plain()]},
        {"models": [*MODEL, [plain()], [plain(), None]], "name": [*NAME, None]},
    ),
    reinforce.ReinforceModel: (
        lambda: {"network": HAM(2, keras.layers.SimpleRNNCell(2))},
        {
            "network": [*MODEL, keras.layers.Dense(2)],
            "reward": [*WORD, None, {}, {"bits": NAN}, {"bits": "1"}, {"byte": 1.0}],
            "discount": SHARE,
            "baseline": WORD,
            "samples": COUNT,
            "policy_weight": AT_LEAST_0,
            "entropy_bonus": AT_LEAST_0,
            "entropy_decay": [*SHARE, 0.0],
            "entropy_penalty": AT_LEAST_0,
            "per_target": SWITCH,
        },
    ),
    export.add_endpoints: (
        lambda: {
            "archive": keras.export.ExportArchive(), "function": plain(), "shape": (None, 2)
        },
        {
            "archive": DATA,
            "function": FUNCTION,
            "shape": DATA,
            "dtype": DATA,
            "limits": [["steps"], "max_ponder", ("epsilon",)],
        },
    ),
    distributed.replicas: (None, {}),
    distributed.share_of: (None, {"loss": DATA}),
    distributed.fit: (
        lambda: {"model": plain(), "batches": None},
        {"model": MODEL, "batches": [None, 3, "batches"], "epochs": COUNT},
    ),
    AttentionCell: (
        lambda: {
            "cell": keras.layers.SimpleRNNCell(2),
            "attention": baselines.BahdanauAttention(2),
        },
        {
            "cell": CELL,
            "attention": [
                *(None, 3, "dot", keras.layers.Attention(dropout=0.5)),
                keras.layers.MultiHeadAttention(2, 2),
            ],
        },
    ),
    baselines.BahdanauAttention: (lambda: {"units": 2}, {"units": COUNT}),
    baselines.StackRNNCell: (lambda: {"units": 2}, OF_STACK),
    baselines.StackRNN: (
        lambda: {"units": 2},
        {"cell": [keras.layers.SimpleRNNCell(2), baselines.StackRNNCell(2)], **OF_STACK},
    ),
    baselines.SequenceGenerator: (symbols, OF_GENERATOR),
    baselines.Seq2SeqLSTM: (
        symbols,
        {
            **OF_GENERATOR,
            "units": COUNT,
            "num_layers": COUNT,
            "attention": SWITCH,
            "dropout": BELOW_1,
        },
    ),
    baselines.NextSymbolRNN: (
        lambda: {"cell": keras.layers.SimpleRNNCell(2), **symbols()},
        {"cell": CELL, **OF_GENERATOR},
    ),
    baselines.Symbols: (
        lambda: {"size": 3},
        {"size": COUNT, "end": [*INTEGER, -1, 3], "padding": [*INTEGER, 0, 2]},
    ),
    baselines.Vectors: (
        lambda: {"width": 3},
        {"width": COUNT, "end": [*INTEGER, -4, 3], "padding": NUMBER},
    ),
    boundaries.peaks: (None, {"values": DATA, "least": DATA}),
    boundaries.propose: (
        lambda: {"values": np.zeros((1, 3)), "height": 0.0},
        {"values": DATA, "height": DATA, "side": WORD},
    ),
    boundaries.score: (None, {"proposed": DATA, "real": DATA}),
    boundaries.choose: (None, {"values": DATA, "real": DATA}),
    evaluation.Evaluation: (None, {}),
    evaluation.PonderEvaluation: (None, {}),
    evaluation.Probe: (lambda: {"model": plain()}, {"model": MODEL}),
    evaluation.PonderProbe: (
        lambda: {"model": keras.Model(**pondering_with_steps())},
        {"model": [*MODEL, keras.Sequential([keras.Input((2,))])], "layer": or_none(TEXT)},
    ),
    evaluation.TimedProbe: (lambda: {"probe": len}, {"probe": FUNCTION}),
    evaluation.LimitedProbe: (
        lambda: {"probe": len, "within": 1.0},
        {"probe": FUNCTION, "within": ABOVE_0},
    ),
    evaluation.ponder_of: (None, {"layer": LAYER}),
    initial_weights.orthogonal_gates: (
        lambda: {"rng": rng(), "units": 2},
        {"rng": GENERATOR, "units": COUNT},
    ),
    initial_weights.chrono_bias: (
        lambda: {"rng": rng(), "units": 2, "longest": 9},
        {"rng": GENERATOR, "units": COUNT, "longest": [*NUMBER, 2, -3.0]},
    ),
    initial_weights.sparse_kernel: (
        lambda: {"rng": rng(), "rows": 3, "units": 2, "gain": 1.0},
        {
            "rng": GENERATOR,
            "rows": COUNT,
            "units": COUNT,
            "gain": NUMBER,
            "inputs_per_unit": COUNT,
        },
    ),
    initial_weights.one_input_each: (
        lambda: {"rng": rng(), "inputs": 2, "units": 2, "scale": 1.0},
        {"rng": GENERATOR, "inputs": COUNT, "units": COUNT, "scale": AT_LEAST_0},
    ),
    long_calls.Estimated: (lambda: {"probe": len}, {"probe": FUNCTION, "power": COUNT}),
    long_calls.in_words: (lambda: {"seconds": 3}, {"seconds": AT_LEAST_0}),
    long_calls.interruptible: (lambda: {"function": dict}, {"function": FUNCTION}),
    checkpoints.check_types: (
        None,
        {"data": DATA, "schema": DATA, "name": DATA, "other_types": DATA},
    ),
    numpy_act.NumpyACT: (None, {"path": PATH}),
    statistics.Ratio: (None, {"totals": DATA, "parts": DATA, "largest": DATA}),
    statistics.error_interval: (
        lambda: {"errors": 1, "examples": 3},
        {"errors": [*INTEGER, -1, 4], "examples": COUNT},
    ),
    statistics.mean_interval: (
        lambda: {"value": 1.0, "spread": 1.0, "examples": 3},
        {
            "value": NUMBER,
            "spread": AT_LEAST_0,
            "examples": COUNT,
            "digits": [*INTEGER, -1],
        },
    ),
    statistics.compare_errors: (
        lambda: {"errors": 1, "examples": 3, "errors_again": 0, "examples_again": 3},
        {
            "errors": [*INTEGER, -1, 4],
            "examples": COUNT,
            "errors_again": [*INTEGER, -1, 4],
            "examples_again": COUNT,
        },
    ),
    statistics.compare_means: (
        lambda: {"value": 1.0, "examples": 3, "again": statistics.Ratio(**RATIO)},
        {
            "value": NUMBER,
            "examples": COUNT,
            "again": [None, 1.0, RATIO],
            "rounding": AT_LEAST_0,
        },
    ),
    # Keras checks its own.
    ADAM: (None, dict.fromkeys(inspect.signature(ADAM).parameters, DATA)),
    weight_averages.averaged_weights: (lambda: {"model": plain()}, {"model": COMPILED}),
    weight_averages.use_averages: (lambda: {"model": plain()}, {"model": COMPILED}),
}


def public():
    """All public classes and functions, but errors, and named tuples, which hold results."""
    for name in MODULES:
        module = importlib.import_module(f"keras_adaptive.{name}")
        names = getattr(module, "__all__", None)
        for word in names or [word for word in vars(module) if not word.startswith("_")]:
            item = getattr(module, word)
            own = getattr(item, "__module__", "").startswith(module.__name__)
            is_error = isinstance(item, type) and issubclass(item, BaseException)
            if callable(item) and (names or own) and not hasattr(item, "_fields") and not is_error:
                yield word, item


def arguments_of(item):
    """The names that a call takes; those of a parent, where the rest is handed on to it."""
    parameters = inspect.signature(item).parameters
    found = set(parameters) - {"args", "kwargs"}
    if "others" in found:
        parent = next(one for one in item.__mro__[1:] if one.__name__ == "TreeAttention")
        found |= set(inspect.signature(parent).parameters) - {"kwargs"}
    if item is curriculum.Feed:
        found.discard("parameters")
    return found - {"others"}


def test_every_argument_has_a_row():
    found = dict(public())
    assert {item.__name__ for item in TABLE} >= set(found), set(found)
    for name, item in found.items():
        missing = arguments_of(item) - TABLE[item][1].keys()
        assert not missing, (name, missing)


CASES = [(item, name) for item, (make, bad) in TABLE.items() if make for name in bad]


@pytest.mark.parametrize(
    ("item", "name"), CASES, ids=[f"{item.__name__}-{name}" for item, name in CASES]
)
def test_bad_values_are_refused_by_name(item, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, bad = TABLE[item]
    taken = []
    for value in bad[name]:
        given = {**make(), name: value}
        try:
            result = item(**given)
            if hasattr(result, "__enter__"):  # a context, which checks what it is given on entry
                with result:
                    pass
        except (ValueError, TypeError) as error:
            if f"`{name}`" not in str(error):
                taken.append((arguments.shown(value), f"{type(error).__name__}: {error}"))
        else:
            taken.append((arguments.shown(value), "is taken"))
    assert not taken, "\n".join(map(str, taken))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("item", [item for item, (make, _) in TABLE.items() if make])
def test_what_the_table_starts_from_is_right(item, tmp_path, monkeypatch):
    if item is not distributed.fit:
        monkeypatch.chdir(tmp_path)
        item(**TABLE[item][0]())


def test_numbers_of_numpy_are_numbers():
    layer = ACTRNN(
        keras.layers.SimpleRNNCell(2),
        max_ponder=np.int64(3),
        epsilon=np.float32(0.25),
        return_state=np.bool_(True),
    )
    assert (layer.max_ponder, layer.epsilon, layer.return_state) == (3, 0.25, True)
    assert NeuralGPU(np.int8(3), maps=np.uint16(2), seed=np.int32(1)).get_config()["seed"] == 1


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (keras.layers.GRU(8), "Pass `GRUCell(8)` in place of `GRU(8)`"),
        (keras.layers.LSTM(5), "Pass `LSTMCell(5)` in place of `LSTM(5)`"),
    ],
)
@pytest.mark.parametrize("make", [ACTRNN, functools.partial(HAM, 2)])
def test_a_layer_where_a_cell_is_meant(make, layer, words):
    with pytest.raises(ValueError) as caught:
        make(layer)
    assert words in str(caught.value)
