"""The cost of computing residual units only for positions that have not halted.

    python benchmarks/residual.py [FILE [MODEL …]]

For a block of 6 units and prescribed masks, with which the given share of the tiles of 8×8 runs
from the second unit on, it measures the CPU time of a call on one thread: of the plain units, of
SACT that computes all positions and masks them, and of SACT that computes those that run. The three
run in turn, and the median over the turns is reported. Writes JSON to FILE.

Each MODEL is a trained network for `digit_canvas`, an entry of the zoo or the folder of a training.
It answers canvases of 128×128 with one digit each, at batch 1 and 32, beside the same network
without halting; both also as the SavedModels that `export` writes.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from keras_adaptive import backend, datasets, zoo
from keras_adaptive.layers import ResidualACT, ResidualUnit
from keras_adaptive.models import AdaptiveResNet
from keras_adaptive.zoo.training.run import restore

UNITS = 6
TILE = 8
# Channels, side of the maps, and batch.
MAPS = ((16, 128, 1), (32, 64, 1), (64, 32, 1), (16, 32, 32))
SHARES = (0.1, 0.25, 0.5, 1.0)
TURNS = 5
# Of the canvases of trained networks.
SIDE, BATCHES = 128, (1, 32)


def prescribed(channels, side, batch, share, rng):
    """A layer and its input: positions whose channel 0 is above 0 run to the last unit.

    Args:
        share: of the tiles in which they do.
    """
    layer = ResidualACT([ResidualUnit(channels) for _ in range(UNITS)], spatial=True)
    layer.build((None, side, side, channels))
    for unit in layer.units:
        unit.norms[1].gamma.assign(np.full(channels, 1e-3))
    for halting_unit in layer.halting_units:
        kernel = np.zeros((3, 3, channels, 1))
        kernel[1, 1, 0] = -1e4
        halting_unit.convolution.kernel.assign(kernel)
        halting_unit.pooled_weight.kernel.assign(np.zeros((channels, 1)))
        halting_unit.pooled_weight.bias.assign([0.0])
    features = rng.normal(size=(batch, side, side, channels))
    tiles = np.full((batch, (side // TILE) ** 2), -1.0)
    for row in tiles:
        count = max(1, round(share * len(row)))
        row[rng.permutation(len(row))[:count]] = 1.0
    tiles = tiles.reshape(batch, side // TILE, side // TILE)
    features[..., 0] = tiles.repeat(TILE, 1).repeat(TILE, 2)
    return layer, tf.constant(features, tf.float32)


def traced(layer, features, some):
    """The layer as a graph that computes some positions, or all if `some` is False."""
    saves_time = backend.parts.saves_time
    backend.parts.saves_time = lambda: some
    try:
        call = tf.function(lambda x: layer(x))
        call(features)
        return call
    finally:
        backend.parts.saves_time = saves_time


def seconds(call, features):
    """CPU time of a call, of enough calls to be measured."""
    count, spent = 0, 0.0
    while spent < 0.1:
        began = time.process_time()
        call(features)
        spent += time.process_time() - began
        count += 1
    return spent / count


def measure(channels, side, batch, share):
    """A row of results."""
    layer, features = prescribed(channels, side, batch, share, np.random.default_rng(0))

    def plain(x):
        for unit in layer.units:
            x = unit(x)
        return x

    row = {"channels": channels, "side": side, "batch": batch, "share": share}
    return row | compared(plain, layer, features)


def compared(plain, layer, features):
    """Milliseconds of a call of each kind, and their ratios."""
    calls = {
        "plain": tf.function(plain),
        "masked": traced(layer, features, False),
        "some": traced(layer, features, True),
    }
    calls["plain"](features)
    outputs = {name: call(features).numpy() for name, call in calls.items()}
    error = np.abs(outputs["some"] - outputs["masked"]).max()
    assert error < 1e-5, error
    times = timed(calls, features)
    return {
        **{name: round(1000 * time, 3) for name, time in times.items()},
        "some / masked": round(times["some"] / times["masked"], 3),
        "some / plain": round(times["some"] / times["plain"], 3),
    }


def timed(calls, features):
    """Seconds of a call of each kind."""
    turns = [{name: seconds(call, features) for name, call in calls.items()} for _ in range(TURNS)]
    return {name: float(np.median([turn[name] for turn in turns])) for name in calls}


def exported(plain, model, features):
    """Milliseconds of a call of the SavedModels that users export, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = {}
        for name, one in {"plain": plain, "some": model}.items():
            one.export(f"{folder}/{name}", verbose=False)
            loaded[name] = tf.saved_model.load(f"{folder}/{name}")
        calls = {name: one.serve for name, one in loaded.items()}
        times = timed(calls, features)
    return {
        **{f"exported {name}": round(1000 * time, 3) for name, time in times.items()},
        "exported some / plain": round(times["some"] / times["plain"], 3),
    }


def trained(name):
    """Rows of a trained network."""
    model = restore(name).model if Path(name).is_dir() else zoo.load(name)
    # The weights do not change the time of the network without halting.
    plain = AdaptiveResNet.from_config({**model.get_config(), "halting": None})
    rows = []
    for batch in BATCHES:
        canvases = datasets.batch("digit_canvas", batch, split="test", side=SIDE)["inputs"]
        share = float(model.flops(canvases).mean() / model.plain_flops((SIDE, SIDE)))
        row = {"model": model.name, "side": SIDE, "batch": batch, "flops_share": round(share, 3)}
        row |= compared(plain, model, tf.constant(canvases))
        rows.append(row | exported(plain, model, tf.constant(canvases)))
        print(json.dumps(rows[-1]), flush=True)
    return rows


def main(path=None, *models):
    """Prints a line for each row."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(0)
    of_models = [row for name in models for row in trained(name)]
    rows = []
    for channels, side, batch in MAPS:
        for share in SHARES:
            rows.append(measure(channels, side, batch, share))
            print(json.dumps(rows[-1]), flush=True)
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"units": UNITS, "milliseconds": rows, "models": of_models}, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
