"""What a cell that reads a memory costs in ACTRNN, against a loop by hand that does the same.

The loop by hand is the same cell with the same attention, as often for each input as ACTRNN's rows
need on average, unrolled in Python, without halting. A training step of both is compiled by
`keras.Model.compile` with its defaults, inference is `model.predict_on_batch`. Both ways are
measured in turn, and the fastest execution counts.

    python benchmarks/reading.py
"""

import argparse
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import keras
import numpy as np
from keras import ops
from report import write

from keras_adaptive.layers import ACTRNN, AttentionCell, BahdanauAttention

LIMIT = 1.3
STEPS = 3
# batch, time, positions, units
SIZES = {"hull of 10 points": (128, 8, 10, 128), "sentence of 30 tokens": (32, 12, 30, 256)}


def cell_of(units):
    return AttentionCell(keras.layers.LSTMCell(units), BahdanauAttention(units))


class ByHand(keras.layers.Layer):
    """Each input is read `STEPS` times."""

    def __init__(self, units):
        super().__init__()
        self.cell = cell_of(units)

    def build(self, sequences_shape, memory_shape):
        self.cell.build((sequences_shape[0], sequences_shape[-1] + 1), memory_shape)

    def call(self, sequences, memory):
        rows = ops.shape(sequences)[0]
        states = self.cell.get_initial_state(batch_size=rows)
        prepared, outputs = self.cell.prepare_memory(memory), []
        for now in ops.unstack(sequences, axis=1):
            for step in range(STEPS):
                flag = ops.full((rows, 1), float(step == 0))
                output, states = self.cell(
                    ops.concatenate([now, flag], -1), states, memory=prepared
                )
            outputs.append(output)
        return ops.stack(outputs, axis=1)


def adaptive(units):
    """ACTRNN whose rows take `STEPS` steps."""
    layer = ACTRNN(cell_of(units), max_ponder=10, return_sequences=True)
    layer.build((None, None, 2), memory_shape=(None, None, units))
    activation = 1 / (STEPS - 0.5)
    layer.halting_unit.bias.assign([np.log(activation / (1 - activation))])
    layer.halting_unit.kernel.assign(layer.halting_unit.kernel * 0.0)
    return layer


def model_of(layer, sizes):
    _, time_steps, positions, units = sizes
    inputs = [keras.Input((time_steps, 2)), keras.Input((positions, units))]
    model = keras.Model(inputs, layer(inputs[0], memory=inputs[1]))
    model.compile(keras.optimizers.Adam(0.0), "mse")
    return model


def measure(sizes, seconds):
    """Milliseconds of a step of each way, in training and inference."""
    batch, time_steps, positions, units = sizes
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(batch, time_steps, 2)), rng.normal(size=(batch, positions, units))]
    x = [part.astype("float32") for part in x]
    y = np.zeros((batch, time_steps, units), "float32")
    models = {"ACTRNN": model_of(adaptive(units), sizes), "by hand": model_of(ByHand(units), sizes)}
    run = {
        "training": lambda model: model.train_on_batch(x, y),
        "inference": lambda model: model.predict_on_batch(x),
    }
    best = {what: dict.fromkeys(models, float("inf")) for what in run}
    for what, step in run.items():
        for model in models.values():
            step(model)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for name, model in models.items():
                start = time.perf_counter()
                step(model)
                best[what][name] = min(best[what][name], 1e3 * (time.perf_counter() - start))
    return {what: {name: round(ms, 2) for name, ms in ways.items()} for what, ways in best.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each row of the table")
    arguments = parser.parse_args()
    rows, details = [], {}
    for size, sizes in SIZES.items():
        details[size] = measure(sizes, arguments.seconds)
        print(size, json.dumps(details[size]), flush=True)
        for what, ways in details[size].items():
            ratio = round(ways["ACTRNN"] / ways["by hand"], 2)
            about = f"{what}, a cell that reads, {size}, {STEPS} steps: ACTRNN / a loop by hand"
            rows.append({"what": about, "ratio": ratio, "limit": LIMIT})
            print(f"{ratio:6.2f}  {about} (at most {LIMIT})")
    write("reading", rows, milliseconds=details)


if __name__ == "__main__":
    main()
