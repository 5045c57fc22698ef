"""What a training step of ACTRNN costs in `fit`, against the floor and a peer.

A step is what a user gets: `compile` and `fit` with their defaults, 20 steps for each execution,
wall time. The floor is the same cell in the same `fit`, unrolled as often as the rows need on
average, without halting, in a graph or compiled by XLA, whichever is faster. The peer is
pytorch-adaptive-computation-time with one or two threads, where it is installed. Every way is
measured in turn, and the fastest execution counts; a weight without a gradient ends the benchmark.
The first step, in which TensorFlow traces and XLA compiles, is that of a new process, with one step
for each execution; a plain Keras RNN is a graph by default, and is compiled by XLA in a second row.

There are three kinds of batches. In the first, all rows take 5 steps. In the second they differ as
much as those of a trained network: a batch runs until its slowest row halts, so what counts is how
many steps the slowest row takes against the mean, and that ratio is measured on test batches of the
pretrained model of the task. The halting unit's kernel is scaled until the batch has it. In the
third the kernel is scaled by 1.5, and a few rows take several times the mean; it has no limit.

    python benchmarks/training_step.py [--backend tensorflow|jax] [--tasks TASK …]
"""

import argparse
import functools
import json
import os
import subprocess
import sys
import time
import warnings
from importlib import util
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
if "--backend" in sys.argv:  # Keras must know it when it is imported.
    os.environ["KERAS_BACKEND"] = sys.argv[sys.argv.index("--backend") + 1]

import keras
import numpy as np
from keras import ops
from report import read, write

from keras_adaptive import datasets, halting, zoo
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel
from keras_adaptive.zoo.entries import store

# task: (cell, units, batch, time, features), as in the paper; the peer knows no LSTM.
SIZES = {
    "parity": ("SimpleRNN", 128, 128, 1, 64),
    "logic": ("LSTM", 128, 16, 10, 102),
    "logic, SimpleRNN": ("SimpleRNN", 128, 16, 10, 102),
    "addition": ("LSTM", 512, 32, 5, 50),
    "addition, GRU": ("GRU", 512, 32, 5, 50),
}
# The pretrained model whose batches say how uneven the rows of a task are.
PRETRAINED = {"parity": "act_parity", "logic": "act_logic", "addition": "act_addition"}
BATCHES = 20
# How the weights of the halting unit are scaled so that a few rows take very many steps.
HARSH = 1.5
KINDS = {"even": "even", "trained": "uneven as trained", "harsh": "harshly uneven"}
FLOOR_LIMITS = {
    "AdaptiveModel": {"even": 1.4, "trained": 1.8},
    "keras.Model": {"even": 2, "trained": 2},
}
PEER = "pytorch-adaptive-computation-time"
# Whose first step is measured.
PLAIN, COMPILED = "plain Keras RNN", "plain Keras RNN, jit_compile=True"
FIRSTS = ("AdaptiveModel", "keras.Model", PLAIN, COMPILED)
STEPS = 5
MAX_PONDER = 20
EXECUTION = 20


def adaptive(cell, units, features, scale):
    """ACTRNN whose rows take `STEPS` steps each; they differ the more, the larger the scale is."""
    cell = getattr(keras.layers, f"{cell}Cell")(units)
    layer = ACTRNN(cell, max_ponder=MAX_PONDER, return_sequences=True)
    layer.build((None, None, features))
    activation = 1 / (STEPS - 0.5)
    layer.halting_unit.bias.assign([np.log(activation / (1 - activation))])
    layer.halting_unit.kernel.assign(layer.halting_unit.kernel * scale)
    return layer


class Unrolled(keras.layers.Layer):
    """The floor: the cell, `steps` times for each input, in a Python loop."""

    def __init__(self, cell, units, steps):
        super().__init__()
        self.cell = getattr(keras.layers, f"{cell}Cell")(units)
        self.steps = steps

    def build(self, shape):
        self.cell.build((shape[0], shape[2] + 1))

    def call(self, inputs):
        rows = ops.shape(inputs)[0]
        states = self.cell.get_initial_state(batch_size=rows)
        states = states if isinstance(states, list) else [states]
        outputs = []
        for now in ops.unstack(inputs, axis=1):
            for step in range(self.steps):
                flag = ops.full((rows, 1), float(step == 0))
                output, states = self.cell(ops.concatenate([now, flag], -1), states)
            outputs.append(output)
        return ops.stack(outputs, axis=1)


class Clock(keras.callbacks.Callback):
    """The milliseconds of a step in the fastest execution."""

    best = float("inf")

    def on_train_batch_begin(self, batch, logs=None):
        self.start = time.perf_counter()

    def on_train_batch_end(self, batch, logs=None):
        self.best = min(self.best, 1e3 * (time.perf_counter() - self.start) / EXECUTION)


class Way:
    """A compiled model with what it is fitted to."""

    def __init__(self, layer, data, in_model=keras.Model, **compiled):
        x, y = data
        inputs = keras.Input(x.shape[1:])
        self.model = in_model(inputs, layer(inputs))
        self.model.compile(
            keras.optimizers.Adam(0.0), "mse", steps_per_execution=EXECUTION, **compiled
        )
        self.fit = {"x": x, "y": y, "batch_size": len(x) // EXECUTION, "verbose": 0}
        self.clock = Clock()
        self.model.fit(**self.fit)

    def run(self):
        self.model.fit(**self.fit, callbacks=[self.clock])


def refuse_missing_gradients(model):
    """Ends the benchmark if a weight got no gradient, by the optimizer's memory of them."""
    momenta = model.optimizer._momentums
    for variable, momentum in zip(model.trainable_variables, momenta, strict=True):
        if not np.any(ops.convert_to_numpy(momentum)):
            raise SystemExit(f"{variable.path} got no gradient")


def steps_of(model, inputs):
    """N, `(batch, time)`."""
    with halting.record() as entries:
        model(inputs)
    return ops.convert_to_numpy(entries[0].steps)


def slowest_over_mean(steps):
    """How many steps a batch takes, over those that it would take if all rows took the mean."""
    present = steps > 0
    return steps.max(axis=0).sum() / (steps[present].mean() * present.any(axis=0).sum())


@functools.cache
def unevenness(task):
    """`slowest_over_mean` in batches of the pretrained model, on average."""
    name = PRETRAINED[task.split(",")[0]]
    model, parameters = zoo.load(name), store.results(name)["parameters"]
    _, _, batch, *_ = SIZES[task]
    ratios = []
    for index in range(BATCHES):
        examples = datasets.batch(name, batch, index=index, split="test", **parameters)
        ratios.append(slowest_over_mean(steps_of(model, {"inputs": examples["inputs"]})))
    return float(np.mean(ratios))


def scale_for(task, x, ratio):
    """The scale of the halting unit's kernel with which batches of `x` are so uneven."""
    cell, units, _, _, features = SIZES[task]
    low, high = 0.0, HARSH
    for _ in range(10):
        middle = (low + high) / 2
        keras.utils.set_random_seed(0)
        steps = steps_of(adaptive(cell, units, features, middle), x)
        reached = np.mean([slowest_over_mean(part) for part in np.split(steps, EXECUTION)])
        low, high = (middle, high) if reached < ratio else (low, middle)
    return low


def data_of(task):
    """What one execution is fitted to."""
    _, units, batch, length, features = SIZES[task]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(EXECUTION * batch, length, features)).astype("float32")
    return x, np.zeros((EXECUTION * batch, length, units), "float32")


def first_step(task, way):
    """The seconds of the first step of one of `FIRSTS`, in this process."""
    cell, units, batch, _, features = SIZES[task]
    if way in (PLAIN, COMPILED):
        layer = getattr(keras.layers, cell)(units, return_sequences=True)
    else:
        layer = adaptive(cell, units, features, 0.0)
    x, y = (part[:batch] for part in data_of(task))
    inputs = keras.Input(x.shape[1:])
    model = AdaptiveModel if way == "AdaptiveModel" else keras.Model
    model = model(inputs, layer(inputs))
    model.compile("adam", "mse", **({"jit_compile": True} if way == COMPILED else {}))
    start = time.perf_counter()
    model.fit(x, y, batch_size=batch, verbose=0)
    return time.perf_counter() - start


def first_steps(task):
    """The seconds of the first step of each of `FIRSTS`, the least of three processes."""
    backend = ["--backend", keras.config.backend()]
    found = {way: [] for way in FIRSTS}
    for _ in range(3):
        for way, seconds in found.items():
            command = [sys.executable, __file__, *backend, "--tasks", task, "--first", way]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            seconds.append(float(said.split()[-1]))
    return {way: round(min(seconds), 2) for way, seconds in found.items()}


def measure(task, kind, seconds):
    """All ways at one size: a dict of what was measured."""
    cell, units, _, length, features = SIZES[task]
    x, _ = data = data_of(task)
    scale = {"even": 0.0, "harsh": HARSH}.get(kind)
    ratio = None
    if kind == "trained":
        ratio = unevenness(task)
        scale = scale_for(task, x, ratio)
    keras.utils.set_random_seed(0)
    steps = steps_of(adaptive(cell, units, features, scale), x)
    mean, fewest, most = float(steps.mean()), int(steps.min()), int(steps.max())
    applications = round(mean)
    floor = {"floor graph": False, "floor xla": True}
    if keras.config.backend() == "jax":
        floor = {"floor xla": True}
    make = {
        name: lambda jit=jit: Way(Unrolled(cell, units, applications), data, jit_compile=jit)
        for name, jit in floor.items()
        # XLA needs minutes for what is unrolled so far, and it is slow.
        if not (jit and length * applications > 25 and len(floor) > 1)
    }
    make |= {
        "AdaptiveModel": lambda: Way(ours(), data, AdaptiveModel),
        "keras.Model": lambda: Way(ours(), data),
        "keras.Model, jit_compile=True": lambda: Way(ours(), data, jit_compile=True),
    }

    def ours():
        keras.utils.set_random_seed(0)
        return adaptive(cell, units, features, scale)

    ways = {name: make_way() for name, make_way in make.items()}
    for way in ways.values():
        refuse_missing_gradients(way.model)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for way in ways.values():
            way.run()
    best = {name: round(way.clock.best, 3) for name, way in ways.items()}
    result = {"task": task, "rows": kind, "mean_steps": round(mean, 2)}
    result |= {"fewest_steps": fewest, "most_steps": most, "scale": round(scale, 3)}
    if ratio:
        result["slowest_over_mean_of_pretrained"] = round(ratio, 3)
    result["milliseconds"] = best
    result["floor"] = min(time for name, time in best.items() if name.startswith("floor"))
    if kind == "even":
        result["seconds_of_first_step"] = first_steps(task)
        if cell != "LSTM":
            result["peer"] = peer(task)
    return result


def peer(task):
    """The milliseconds of a step of the peer, or None where it is not installed."""
    if not util.find_spec("pytorch_adaptive_computation_time"):
        return None
    cell, *sizes = SIZES[task]
    script = Path(__file__).parent / "training_step_peer.py"
    command = [sys.executable, script, cell, *map(str, sizes), str(STEPS), str(MAX_PONDER)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def rows_of(measured, backend):
    """The ratios of the table of docs/performance.md."""
    rows = []
    for row in measured:
        mean, kind = f"{row['mean_steps']:g}", row["rows"]
        if kind != "even":
            mean += f" ({row['fewest_steps']} to {row['most_steps']})"
        on = "" if backend == "tensorflow" else "JAX, "
        what = f"`fit`, {on}{row['task']}, {KINDS[kind]}, mean N {mean}"

        def add(pair, ratio, limit, what=what):
            rows.append({"what": f"{what}: {pair}", "ratio": round(ratio, 2), "limit": limit})

        for way in FLOOR_LIMITS:
            limit = None if kind == "harsh" else FLOOR_LIMITS[way][kind]
            add(f"{way} / floor", row["milliseconds"][way] / row["floor"], limit)
            if row.get("peer"):
                limit = 0.9 if row["task"].startswith("addition") else 0.8
                add(f"{way} / {PEER}", row["milliseconds"][way] / row["peer"], limit)
            # Missing in measurements that were made before it was measured.
            if first := row.get("seconds_of_first_step"):
                for plain, limit in ((PLAIN, 2), (COMPILED, None)):
                    add(f"first step, {way} / {plain}", first[way] / first[plain], limit)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--backend", default="tensorflow", choices=["tensorflow", "jax"])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each row of the table")
    parser.add_argument("--first", choices=FIRSTS, help="print the seconds of the first step")
    arguments = parser.parse_args()
    if arguments.first:
        print(first_step(arguments.tasks[0], arguments.first))
        return
    warnings.filterwarnings("error", message="Gradients do not exist")
    name = "training_step" if arguments.backend == "tensorflow" else "training_step_jax"
    for task in arguments.tasks:
        measured = []
        for kind in KINDS:
            measured.append(measure(task, kind, arguments.seconds))
            print(json.dumps(measured[-1]), flush=True)
        # Tasks that are not measured now stay as they were.
        others = [row for row in read(name).get("details", ()) if row["task"] != task]
        details = sorted(others + measured, key=lambda row: list(SIZES).index(row["task"]))
        rows = rows_of(details, arguments.backend)
        write(name, rows, details=details)
    for row in rows:
        limit = "" if row["limit"] is None else f"(at most {row['limit']:g})"
        print(f"{row['ratio']:6.2f}  {row['what']} {limit}")


if __name__ == "__main__":
    main()
