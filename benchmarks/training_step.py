"""A training step of ACTRNN against the floor and against a plain Keras layer.

The floor is the same cell applied as often as the rows need, unrolled, without halting: forward,
backward and update. The plain layer is `keras.layers.LSTM` or `SimpleRNN` over a sequence as long
as ACTRNN's steps are many. All three are measured as a TensorFlow graph and under XLA, and the
faster of the two counts; in turn, in one process, as medians of wall time.

    python benchmarks/training_step.py
"""

import argparse
import itertools
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from report import write

from keras_adaptive import halting
from keras_adaptive.layers import ACTRNN

# task: (cell, plain layer, units, batch, time, features), as in the paper.
SIZES = {
    "parity": (keras.layers.SimpleRNNCell, keras.layers.SimpleRNN, 128, 128, 1, 64),
    "logic": (keras.layers.LSTMCell, keras.layers.LSTM, 128, 16, 10, 102),
    "addition": (keras.layers.LSTMCell, keras.layers.LSTM, 512, 32, 5, 50),
}
STEPS = (2, 5, 10)
MAX_PONDER = 20


def adaptive(cell, units, steps, features):
    """ACTRNN whose every row takes `steps` steps, or with `None` a random number around 5."""
    layer = ACTRNN(cell(units), max_ponder=MAX_PONDER, return_sequences=True)
    layer.build((None, None, features))
    kernel, bias = layer.halting_unit.kernel, layer.halting_unit.bias
    mean = 5 if steps is None else steps
    activation = 0.995 if mean == 1 else 1 / (mean - 0.5)
    bias.assign([np.log(activation / (1 - activation))])
    kernel.assign(kernel * (8.0 if steps is None else 0.0))
    return layer


class Unrolled(keras.layers.Layer):
    """The floor: the cell, `steps` times for each input, in a Python loop."""

    def __init__(self, cell, steps):
        super().__init__()
        self.cell = cell
        self.steps = steps

    def build(self, shape):
        self.cell.build((shape[0], shape[2] + 1))

    def call(self, inputs):
        states = self.cell.get_initial_state(batch_size=inputs.shape[0])
        states = states if isinstance(states, list) else [states]
        outputs = []
        for now in tf.unstack(inputs, axis=1):
            for step in range(self.steps):
                flag = tf.fill((inputs.shape[0], 1), float(step == 0))
                output, states = self.cell(tf.concat([now, flag], -1), states)
            outputs.append(output)
        return tf.stack(outputs, axis=1)


def training_step(layer, inputs, jit_compile):
    """A function that trains `layer` for one step; the update leaves the weights as they are."""
    optimizer = keras.optimizers.Adam(0.0)
    layer(inputs)
    optimizer.build(layer.trainable_variables)

    @tf.function(jit_compile=jit_compile)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(layer(inputs, training=True)))
            loss += sum(layer.losses)
        gradients = tape.gradient(loss, layer.trainable_variables)
        pairs = [(g, v) for g, v in zip(gradients, layer.trainable_variables) if g is not None]
        optimizer.apply([g for g, _ in pairs], [v for _, v in pairs])
        return loss

    return step


def medians(candidates, repetitions):
    """Median milliseconds of each candidate, measured in turn."""
    for candidate in candidates.values():
        for _ in range(3):
            float(candidate())
    times = {name: [] for name in candidates}
    for _ in range(repetitions):
        for name, candidate in candidates.items():
            start = time.perf_counter()
            float(candidate())
            times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(values) for name, values in times.items()}


def measure(task, steps, repetitions):
    """All formulations at one size; `steps` of `None` stands for uneven numbers of steps."""
    cell, plain, units, batch, length, features = SIZES[task]
    rng = np.random.default_rng(0)
    inputs = tf.constant(rng.normal(size=(batch, length, features)).astype("float32"))
    layer = adaptive(cell, units, steps, features)
    with halting.record() as entries:
        layer(inputs)
    mean = float(entries[0].mean_steps)
    longest = int(np.max(entries[0].steps))
    applications = max(1, round(mean))
    longer = tf.constant(
        rng.normal(size=(batch, length * applications, features + 1)).astype("float32")
    )
    kinds = {
        "actrnn": (lambda: adaptive(cell, units, steps, features), inputs),
        "floor": (lambda: Unrolled(cell(units), applications), inputs),
        "plain": (lambda: plain(units, return_sequences=True), longer),
    }
    candidates = {
        (kind, "xla" if jit else "graph"): training_step(make(), data, jit)
        for (kind, (make, data)), jit in itertools.product(kinds.items(), (False, True))
    }
    times = medians(candidates, repetitions)
    best = {kind: min(times[kind, "graph"], times[kind, "xla"]) for kind in kinds}
    return {
        "task": task,
        "mean_steps": round(mean, 2),
        "most_steps": longest,
        "even": steps is not None,
        "milliseconds": {f"{kind} {mode}": round(t, 3) for (kind, mode), t in times.items()},
        "against_floor": round(best["actrnn"] / best["floor"], 3),
        "against_plain": round(best["actrnn"] / best["plain"], 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--steps", nargs="*", type=int, default=list(STEPS))
    parser.add_argument("--even-only", action="store_true")
    parser.add_argument("--repetitions", type=int, default=30)
    arguments = parser.parse_args()
    found = []
    for task in arguments.tasks:
        for steps in [*arguments.steps, *([] if arguments.even_only else [None])]:
            found.append(measure(task, steps, arguments.repetitions))
            print(found[-1], flush=True)
    rows = []
    for one in found:
        kind = "even" if one["even"] else f"uneven (at most {one['most_steps']})"
        for against, name in (("against_floor", "floor"), ("against_plain", "plain Keras layer")):
            limit = 1.5 if one["even"] else None
            what = f"training step, {one['task']}, mean N {one['mean_steps']:g}, {kind}"
            rows.append({"what": f"{what}: ACTRNN / {name}", "ratio": one[against], "limit": limit})
    write("training_step", rows, details=found)


if __name__ == "__main__":
    main()
