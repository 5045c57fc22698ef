"""What inference costs when few examples of a batch think long, and when none needs a high limit.

A batch of 256 inputs goes through an exported ACTRNN (LSTM of 512 units). Three ways: the loop that
ends when the whole batch has halted, the same on small batches one after the other (bucketing
without knowing which rows think long), and compaction, which drops rows that have halted. Measured
in turn, in one process, as medians of wall time.

    python benchmarks/inference.py
"""

import contextlib
import os
import statistics
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from report import write

from keras_adaptive import halting
from keras_adaptive.layers import ACTRNN

UNITS, FEATURES, BATCH, BUCKET = 512, 50, 256, 32
LONG, SHORT = 20, 2
REPETITIONS = 15


def network(max_ponder=100):
    """A network that takes `LONG` steps where the first feature is 1 and `SHORT` where it is 0."""
    inputs = keras.Input((None, FEATURES))
    cell = keras.layers.LSTMCell(UNITS)
    layer = ACTRNN(cell, max_ponder=max_ponder, return_sequences=True, return_ponder=True)
    outputs, ponder = layer(inputs)
    # Unit 0's output shows the feature: about +0.7 or 0 times the activation of its gates.
    kernel, bias = np.zeros(cell.kernel.shape, "float32"), np.zeros(cell.bias.shape, "float32")
    rng = np.random.default_rng(0)
    kernel[:, 1:UNITS] = 0.05 * rng.normal(size=(FEATURES + 1, UNITS - 1))
    kernel[0, 2 * UNITS] = 20.0
    bias[[0, 3 * UNITS]] = 20.0
    bias[UNITS] = -20.0
    cell.kernel.assign(kernel)
    cell.bias.assign(bias)
    recurrent = cell.recurrent_kernel.numpy()
    recurrent[:, [0, UNITS, 2 * UNITS, 3 * UNITS]] = 0.0
    cell.recurrent_kernel.assign(recurrent)
    few, many = (np.log(h / (1 - h)) for h in (1 / (SHORT - 0.5), 1 / (LONG - 0.5)))
    weights = np.zeros((UNITS, 1), "float32")
    weights[0] = (many - few) / np.tanh(1.0)
    layer.halting_unit.kernel.assign(weights)
    layer.halting_unit.bias.assign([few])
    return keras.Model(inputs, {"outputs": outputs, "steps": ponder["steps"]})


def exported(model, compact):
    """The model as a loaded SavedModel."""
    def serve(inputs):
        with halting.compaction() if compact else contextlib.nullcontext():
            return model(inputs)

    archive = keras.export.ExportArchive()
    archive.track(model)
    spec = tf.TensorSpec((None, None, FEATURES), "float32")
    archive.add_endpoint("serve", serve, input_signature=[spec])
    with tempfile.TemporaryDirectory() as folder:
        archive.write_out(folder, verbose=False)
        return tf.saved_model.load(folder)


def batch(share_of_long):
    """Inputs of which that share thinks long."""
    inputs = 0.1 * np.random.default_rng(1).normal(size=(BATCH, 1, FEATURES)).astype("float32")
    inputs[:, 0, 0] = np.arange(BATCH) < share_of_long * BATCH
    return tf.constant(np.random.default_rng(2).permutation(inputs))


def medians(candidates):
    """Median milliseconds of each candidate, measured in turn."""
    for candidate in candidates.values():
        candidate()
    times = {name: [] for name in candidates}
    for _ in range(REPETITIONS):
        for name, candidate in candidates.items():
            start = time.perf_counter()
            candidate()
            times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    models = {limit: network(limit) for limit in (20, 100)}
    whole, compact = (exported(models[100], compact) for compact in (False, True))
    low = exported(models[20], True)
    mixed, short, long = batch(1 / 16), batch(0.0), batch(1.0)
    buckets = tf.split(mixed, BATCH // BUCKET)
    steps = compact.serve(mixed)["steps"].numpy()
    times = medians(
        {
            "whole batch, 1 in 16 long": lambda: whole.serve(mixed),
            "buckets of 32, 1 in 16 long": lambda: [whole.serve(bucket) for bucket in buckets],
            "compaction, 1 in 16 long": lambda: compact.serve(mixed),
            "whole batch, all short": lambda: whole.serve(short),
            "compaction, all short": lambda: compact.serve(short),
            "compaction, all long": lambda: compact.serve(long),
            "compaction, all short, M = 20": lambda: low.serve(short),
        }
    )
    rows = [
        {"what": f"inference, {what}", "ratio": round(times[a] / times[b], 3), "limit": limit}
        for what, a, b, limit in (
            (
                "1 row in 16 thinks 20 steps, the others 2: compaction / whole batch",
                "compaction, 1 in 16 long",
                "whole batch, 1 in 16 long",
                None,
            ),
            (
                "the same: compaction / buckets of 32",
                "compaction, 1 in 16 long",
                "buckets of 32, 1 in 16 long",
                None,
            ),
            (
                f"all rows {LONG} steps / all rows {SHORT} steps",
                "compaction, all long",
                "compaction, all short",
                None,
            ),
            (
                "limit M = 100 / limit M = 20, when no row takes more than 2 steps",
                "compaction, all short",
                "compaction, all short, M = 20",
                1.1,
            ),
            (
                "nothing to drop: compaction / whole batch",
                "compaction, all short",
                "whole batch, all short",
                None,
            ),
        )
    ]
    write(
        "inference",
        rows,
        milliseconds={name: round(value, 2) for name, value in times.items()},
        mean_steps=float(steps.mean()),
        most_steps=float(steps.max()),
    )
    for row in rows:
        print(row["ratio"], row["what"])


if __name__ == "__main__":
    main()
