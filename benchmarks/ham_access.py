"""What an access to HAM's memory costs as the memory grows: time, and bytes that show copies.

Time per access is the difference between a long and a short run of accesses to the same tree, over
the difference in accesses, so that what is done once for a tree does not count (it is Θ(n), as is
making the tree). Forward, and forward and backward for all weights; turns are drawn, so that they
spread over all leaves. Beside HAM, soft attention over the same memory (the same controller, a
query, weights of all leaves, their mean), DHAM, and HAM with one tree that each access overwrites,
at fewer sizes where they are Θ(n). Medians of the CPU time of one thread, a process for each mode.

    python benchmarks/ham_access.py
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

UNITS = 20  # Of the memory, its perceptrons and the controller, as in the paper.
BACKENDS = {"jax": "jax", "graph": "tensorflow", "xla": "tensorflow"}
# mode, kind, batch: levels of the tree in inference, and in training. What is Θ(n) gets fewer.
SIZES = {
    ("jax", "ham", 1): ((10, 20, 5, 15), (10, 20, 5, 15)),
    ("jax", "ham", 16): ((10, 17), (10, 17)),
    ("jax", "overwriting", 1): ((), (10, 15)),
    ("jax", "soft", 1): ((10, 15, 20), (10, 15)),
    ("jax", "dham", 1): ((5, 10, 13), (5, 10, 12)),
    ("graph", "ham", 1): ((5, 10, 20), (5, 10, 20)),
    ("graph", "ham", 16): ((10, 20), (10, 20)),
    ("graph", "overwriting", 1): ((10, 15), (10,)),
    ("xla", "ham", 1): ((10, 20), (10, 20)),
    ("xla", "ham", 16): ((), (10,)),
}
NAMES = {
    "ham": "HAM",
    "overwriting": "HAM, one tree overwritten",
    "soft": "soft attention",
    "dham": "DHAM",
    "jax": "JAX",
    "graph": "TensorFlow graph",
    "xla": "TensorFlow with XLA",
}
LIMIT = 3.0  # From 2^10 to 2^20 leaves; the logarithm grows by 2.


def make(kind, levels, batch):
    """The layer, the nodes of one tree as an array, and what runs accesses to such trees."""
    import keras
    import numpy as np
    from keras import ops

    from keras_adaptive import backend
    from keras_adaptive.ham import DHAM, HAM, Memory

    keras.utils.set_random_seed(0)
    layer_class = DHAM if kind == "dham" else HAM
    layer = layer_class(
        1, keras.layers.LSTMCell(UNITS), Memory(UNITS, hidden_units=UNITS), num_leaves=2**levels
    )
    layer.build((None, None, UNITS))
    if kind == "overwriting":
        layer._appends = lambda carry: False
    rng = np.random.default_rng(0)
    nodes = rng.normal(size=(1, 2 ** (levels + 1), UNITS)).astype("float32")
    nodes = ops.tile(nodes, (batch, 1, 1))

    def soft(nodes, accesses):
        leaves = nodes[:, 2**levels :]

        def step(states, _):
            weights = ops.softmax(ops.einsum("bnd,bd->bn", leaves, states[0]))
            attended = ops.einsum("bn,bnd->bd", weights, leaves)
            output, states = layer.controller(attended, states)
            return states, output

        states = layer.controller.get_initial_state(batch)
        return ops.sum(backend.scan(step, states, ops.arange(accesses))[1] ** 2)

    def run(nodes, uniform):
        accesses = ops.shape(uniform)[0]
        if kind == "soft":
            return soft(nodes, accesses)
        states = layer.controller.get_initial_state(batch)
        now = {"access": ops.arange(accesses, dtype="int32")}
        if kind != "dham":
            now["uniform"] = uniform
        told = layer._all_accesses((nodes, states, ops.zeros((batch, UNITS))), now, True, False)
        total = ops.sum(told["answer"] ** 2)
        if kind != "dham":
            total = total + ops.sum(ops.log(told["right_probability"]))
        return total

    return layer, nodes, run


def drawn(accesses, levels, batch):
    import numpy as np

    return np.random.default_rng(1).random((accesses, levels, batch)).astype("float32")


def on_jax(layer, nodes, run, training):
    """A function from numbers drawn to one that runs the accesses, and its temporary bytes."""
    import jax
    import keras
    from jax import numpy as jnp

    variables = layer.trainable_variables
    weights = [variable.value for variable in variables]

    def loss(weights, nodes, uniform):
        with keras.StatelessScope(list(zip(variables, weights))):
            return run(nodes, uniform)

    def with_gradients(*arguments):
        value, gradients = jax.value_and_grad(loss)(*arguments)
        return value + sum(jnp.sum(gradient) for gradient in gradients)

    def compile_(uniform):
        uniform = jnp.asarray(uniform)
        function = jax.jit(with_gradients if training else loss)
        compiled = function.lower(weights, nodes, uniform).compile()
        temporary = compiled.memory_analysis().temp_size_in_bytes
        return lambda: float(compiled(weights, nodes, uniform)), temporary

    return compile_


def on_tensorflow(layer, nodes, run, training, levels, jit):
    """As `on_jax`; TensorFlow does not tell what is temporary."""
    import tensorflow as tf

    weights = [variable.value for variable in layer.trainable_variables]

    any_number = [
        tf.TensorSpec(nodes.shape, nodes.dtype),
        tf.TensorSpec((None, levels, nodes.shape[0]), "float32"),
    ]

    @tf.function(jit_compile=jit, input_signature=any_number)
    def loss(nodes, uniform):
        if not training:
            return run(nodes, uniform)
        with tf.GradientTape() as tape:
            value = run(nodes, uniform)
        gradients = [g for g in tape.gradient(value, weights) if g is not None]
        return value + tf.add_n([tf.reduce_sum(tf.convert_to_tensor(g)) for g in gradients])

    def compile_(uniform):
        uniform = tf.constant(uniform)
        return (lambda: float(loss(nodes, uniform))), None

    return compile_


def peak(reset=False):
    """The most bytes that this process held since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return 1024 * int(kilobytes)


def accesses(mode, kind, training, levels):
    """In a short run and in a long one."""
    if kind != "ham":
        return (4, 12) if levels > 10 else (32, 160)
    # On JAX the tree that was given is copied once, in inference; only many accesses outweigh it.
    return (32, 4128) if mode == "jax" and not training else (32, 160)


def measure(mode, kind, batch, training, levels, repetitions=5):
    """Microseconds per access, and bytes, in this process."""
    layer, nodes, run = make(kind, levels, batch)
    if mode == "jax":
        compile_ = on_jax(layer, nodes, run, training)
    else:
        compile_ = on_tensorflow(layer, nodes, run, training, levels, jit=mode == "xla")
    short, long = accesses(mode, kind, training, levels)
    short_run, _ = compile_(drawn(short, levels, batch))
    long_run, temporary = compile_(drawn(long, levels, batch))
    for run in (short_run, long_run):
        run()
    before = peak(reset=True)
    long_run()
    risen = peak() - before
    times = {short: [], long: []}
    for _ in range(repetitions):
        for number, run in ((short, short_run), (long, long_run)):
            began = time.process_time()
            run()
            times[number].append(1e6 * (time.process_time() - began))
    slope = (statistics.median(times[long]) - statistics.median(times[short])) / (long - short)
    return {
        "mode": mode,
        "kind": kind,
        "batch": batch,
        "training": training,
        "levels": levels,
        "microseconds": round(slope, 1),
        "accesses": [short, long],
        "bytes_of_tree": 4 * 2 ** (levels + 1) * UNITS * batch,
        "temporary_bytes": temporary,
        "bytes_of_peak": risen,
    }


def in_process(mode, path):
    """Measures all of a mode in a process of its own, which writes a line for each to a file."""
    environment = {
        **os.environ,
        "KERAS_BACKEND": BACKENDS[mode],
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    }
    command = [sys.executable, __file__, "--here", mode, "--lines", str(path)]
    subprocess.run(command, env=environment, check=True)


def measure_here(mode, path, kinds=(False, True)):
    """All of a mode that the file has not got yet."""
    done = {json.dumps(key_of(row)) for row in read(path)}
    for training in kinds:
        for (of_mode, kind, batch), levels in SIZES.items():
            for level in levels[training] if of_mode == mode else ():
                if json.dumps([mode, kind, batch, bool(training), level]) in done:
                    continue
                row = measure(mode, kind, batch, bool(training), level)
                with open(path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(row, flush=True)


def key_of(row):
    return [row[name] for name in ("mode", "kind", "batch", "training", "levels")]


def read(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def rows_of(details):
    """Ratios between the sizes, and slopes against log2 n, of what was measured at several."""
    curves = {}
    for row in details:
        curve = curves.setdefault(tuple(key_of(row)[:4]), {})
        curve[row["levels"]] = row["microseconds"]
    rows, slopes = [], []
    for (mode, kind, batch, training), curve in curves.items():
        least, most = (10 if 10 in curve else min(curve)), max(curve)
        if least == most:
            continue
        what = f"{NAMES[kind]}, {NAMES[mode]}, {'training' if training else 'inference'}"
        what = f"an access to {what}, batch {batch}"
        rows.append(
            {
                "what": f"{what}: 2^{most} leaves / 2^{least}",
                "ratio": round(curve[most] / curve[least], 2),
                "limit": LIMIT if kind == "ham" else None,
            }
        )
        slope, start = statistics.linear_regression(list(curve), list(curve.values()))
        slopes.append(
            {
                "what": what,
                "microseconds_per_level": round(slope, 2),
                "microseconds_without_levels": round(start, 2),
                "sizes": sorted(curve),
            }
        )
    return rows, slopes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", nargs="*", default=list(BACKENDS), choices=list(BACKENDS))
    parser.add_argument("--lines", type=Path, help="a file that an interrupted run continues with")
    parser.add_argument("--here", choices=list(BACKENDS), help=argparse.SUPPRESS)
    parser.add_argument("--training", nargs=1, type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        measure_here(arguments.here, arguments.lines, arguments.training or (False, True))
        return
    from report import write

    with tempfile.TemporaryDirectory() as folder:
        path = arguments.lines or Path(folder) / "lines"
        for mode in arguments.modes:
            in_process(mode, path)
        places = list(SIZES)
        details = sorted(
            read(path),
            key=lambda row: (places.index(tuple(key_of(row)[:3])), *key_of(row)[3:]),
        )
    rows, slopes = rows_of(details)
    write("ham_access", rows, slopes=slopes, details=details)


if __name__ == "__main__":
    main()
