"""What the arguments of everything public but layers and models must refuse."""

import inspect

import keras
import numpy as np

from keras_adaptive import (
    boundaries,
    callbacks,
    checkpoints,
    curriculum,
    distributed,
    ensemble,
    evaluation,
    export,
    initial_weights,
    long_calls,
    numpy_act,
    reinforce,
    relaxation,
    statistics,
    weight_averages,
)
from keras_adaptive.layers import (
    HAM,
)
from support.bad_values import (
    ABOVE_0,
    ADAM,
    ADAMAX,
    AT_LEAST_0,
    COMPILED,
    COUNT,
    DATA,
    FUNCTION,
    GENERATOR,
    INTEGER,
    LAYER,
    MODEL,
    NAME,
    NAN,
    NUMBER,
    PATH,
    RATIO,
    SHARE,
    SWITCH,
    TEXT,
    WORD,
    feed,
    or_none,
    plain,
    pondering_with_steps,
    relaxed,
    rng,
)

# {what: (arguments that are right, as a function, {argument: bad values})}
TABLE = {
    callbacks.AdvanceCurriculum: (
        lambda: {"feed": feed()},
        {
            "feed": [None, 3, "feed", curriculum.Feed],
            "threshold": [*SHARE, 0.0],
            "exam_batches": COUNT,
            "metric": [*TEXT, None],
        },
    ),
    callbacks.Autosave: (
        lambda: {"save": len},
        {"save": FUNCTION, "seconds": AT_LEAST_0, "steps": [3, "f"]},
    ),
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
    checkpoints.check_manifest: (None, {"folder": DATA}),
    checkpoints.deferred_signals: (dict, {}),
    checkpoints.digest: (None, {"path": DATA}),
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
    checkpoints.write_manifest: (lambda: {"folder": "."}, {"folder": PATH}),
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
    export.load_uncompiled: (None, {"path": PATH}),
    export.uncompiled: (lambda: {"model": plain()}, {"model": MODEL}),
    distributed.replicas: (None, {}),
    distributed.share_of: (None, {"loss": DATA}),
    distributed.fit: (
        lambda: {"model": plain(), "batches": None},
        {"model": MODEL, "batches": [None, 3, "batches"], "epochs": COUNT},
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
    evaluation.TranslationProbe: (None, {"model": MODEL}),
    evaluation.TranslationEvaluation: (None, {"decode": FUNCTION, "pieces": FUNCTION}),
    evaluation.bleu_and_chrf: (None, dict.fromkeys(("answers", "references", "interval"), DATA)),
    evaluation.TimedProbe: (lambda: {"probe": len}, {"probe": FUNCTION}),
    evaluation.LimitedProbe: (
        lambda: {"probe": len, "within": 1.0},
        {"probe": FUNCTION, "within": ABOVE_0},
    ),
    evaluation.ponder_of: (None, {"layer": LAYER}),
    initial_weights.copy_weights: (
        lambda: {"model": plain(), "source": plain()},
        {"model": [*MODEL, keras.Sequential()], "source": [*MODEL, keras.Sequential()]},
    ),
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
    statistics.standard_error: (None, {"values": DATA}),
    statistics.median_of_each: (None, {"records": DATA}),
    statistics.plateaus: (
        lambda: {"values": [0.5, 0.4], "patience": 2},
        {"values": DATA, "patience": or_none(COUNT)},
    ),
    statistics.quotient_of_means: (None, {"values": DATA, "above": DATA, "below": DATA}),
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
    ADAMAX: (None, dict.fromkeys(inspect.signature(ADAMAX).parameters, DATA)),
    weight_averages.averaged_weights: (lambda: {"model": plain()}, {"model": COMPILED}),
    weight_averages.averages_of: (lambda: {"model": plain()}, {"model": MODEL}),
    weight_averages.use_averages: (lambda: {"model": plain()}, {"model": COMPILED}),
}
