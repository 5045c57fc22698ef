"""A step of the Neural GPU against its bare convolutions, and what long examples cost.

The bare convolutions are as many as the layer makes, of the same sizes, in a loop as long, forward
(and backward in training), and nothing else. Layer and bare convolutions are measured in
TensorFlow (its own convolution, in a graph) and in JAX (products of matrices, compiled), each in a
process of its own, and the faster of the two counts. Medians of the CPU time of one thread.

    python benchmarks/neural_gpu_step.py
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

# maps, width, layers, kernel: the paper's network, and one with diagonal gates.
SIZES = {
    "paper": {"maps": 24, "width": 4, "num_layers": 2, "kernel_size": (3, 3)},
    "diagonal": {
        "maps": 48,
        "width": 1,
        "num_layers": 1,
        "kernel_size": (3, 1),
        "nonlinearity": "hard",
        "diagonal": True,
    },
}
LENGTHS = (21, 41, 81, 401)
BATCH = 32
# The same work for every length: positions times steps times examples.
LONGEST_FULL = 81
LIMIT = 1.4


def batch_of(n):
    return BATCH if n <= LONGEST_FULL else 4


def repetitions_of(n):
    return 3 if n > LONGEST_FULL else 7


def median(step, n):
    """Median milliseconds of CPU time."""
    step()
    times = []
    for _ in range(repetitions_of(n)):
        began = time.process_time()
        step()
        times.append(1e3 * (time.process_time() - began))
    return statistics.median(times)


def model_of(settings, **changes):
    import keras

    from keras_adaptive.layers import NeuralGPU

    symbols = keras.Input((None,), dtype="int32")
    column = NeuralGPU(4, **settings, **changes, seed=0)(symbols)
    return keras.Model(symbols, keras.layers.Dense(4)(column))


def on_tensorflow(settings, n, training, recompute=None):
    """Functions that take one step: of the layer, and of the bare convolutions."""
    import keras
    import numpy as np
    import tensorflow as tf

    model = model_of(settings, recompute=recompute)
    symbols = tf.constant(np.random.default_rng(0).integers(0, 4, (batch_of(n), n)), "int32")
    weights = [variable.value for variable in model.trainable_variables]

    @tf.function
    def layer():
        if not training:
            return tf.reduce_sum(model(symbols))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(symbols, training=True)))
        gradients = tape.gradient(loss, weights)
        return tf.add_n([tf.reduce_sum(tf.convert_to_tensor(g)) for g in gradients])

    maps, width, kernel = settings["maps"], settings["width"], settings["kernel_size"]
    shape = (*kernel, maps, 3 * maps)
    kernels = [tf.random.normal(shape, stddev=0.01) for _ in range(settings["num_layers"])]
    image = tf.random.normal((batch_of(n), n, width, maps))

    def convolve(image):
        for kernel in kernels:
            gates = keras.ops.conv(image, kernel[..., : 2 * maps], padding="same")
            image = keras.ops.conv(gates[..., :maps], kernel[..., 2 * maps :], padding="same")
            image = image + gates[..., maps:]  # Without it half of the work would be left out.
        return image

    def all_steps():
        return tf.while_loop(lambda t, _: t < n, lambda t, x: (t + 1, convolve(x)), (0, image))[1]

    @tf.function
    def bare():
        if not training:
            return tf.reduce_sum(all_steps())
        with tf.GradientTape() as tape:
            tape.watch(kernels)
            loss = tf.reduce_sum(all_steps())
        return tf.add_n([tf.reduce_sum(g) for g in tape.gradient(loss, kernels)])

    return (lambda: float(layer())), (lambda: float(bare()))


def on_jax(settings, n, training, recompute=None):
    """As `on_tensorflow`."""
    import jax
    import numpy as np
    from jax import numpy as jnp

    from keras_adaptive.neural_gpu import convolution

    model = model_of(settings, recompute=recompute)
    symbols = np.random.default_rng(0).integers(0, 4, (batch_of(n), n))
    weights = [variable.value for variable in model.trainable_variables]
    others = [variable.value for variable in model.non_trainable_variables]

    def loss(weights):
        answer, _ = model.stateless_call(weights, others, symbols, training=training)
        return jnp.sum(answer**2)

    maps, width, kernel = settings["maps"], settings["width"], settings["kernel_size"]
    rng = np.random.default_rng(0)
    kernels = [
        jnp.asarray(rng.normal(size=(*kernel, maps, 3 * maps)) * 0.01, "float32")
        for _ in range(settings["num_layers"])
    ]
    image = jnp.asarray(rng.normal(size=(batch_of(n), n, width * maps)), "float32")

    def bare(kernels):
        prepared = [
            (
                convolution.prepare(kernel[..., : 2 * maps], width, parts=2),
                convolution.prepare(kernel[..., 2 * maps :], width),
            )
            for kernel in kernels
        ]

        @jax.checkpoint
        def convolve(image, _):
            for gate, candidate in prepared:
                first, second = jnp.split(convolution.convolve(image, gate), 2, axis=-1)
                image = convolution.convolve(first, candidate) + second
            return image, None

        return jnp.sum(jax.lax.scan(convolve, image, None, length=n)[0])

    def step(function, arguments):
        compiled = jax.jit(jax.grad(function) if training else function)
        return lambda: jax.block_until_ready(compiled(arguments))

    return step(loss, weights), step(bare, kernels)


def measured_here(size, n, training):
    """Milliseconds of layer and bare convolutions in this process."""
    make = {"tensorflow": on_tensorflow, "jax": on_jax}[os.environ["KERAS_BACKEND"]]
    layer, bare = make(SIZES[size], n, training)
    return {"layer": median(layer, n), "bare": median(bare, n)}


def memory_here(size, n, recompute):
    """MiB that one training step added to what the process needed at most."""
    layer, _ = on_tensorflow(SIZES[size], n, training=True, recompute=recompute)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    layer()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def in_process(backend, call):
    """What `call`, an expression of this module, gives in a process of its own."""
    one_thread = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "OMP_NUM_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": one_thread,
    }
    code = f"import json, neural_gpu_step as here; print(json.dumps(here.{call}))"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(os.path.abspath(__file__)),
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(found.stdout.splitlines()[-1])


def main():
    from report import write

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", nargs="*", type=int, default=list(LENGTHS))
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=list(SIZES))
    arguments = parser.parse_args()
    rows, details, best = [], [], {}
    for size in arguments.sizes:
        for training in (True, False):
            kind = "training" if training else "inference"
            for n in arguments.lengths:
                call = f"measured_here({size!r}, {n}, {training})"
                found = {b: in_process(b, call) for b in ("tensorflow", "jax")}
                layer, bare = (min(f[part] for f in found.values()) for part in ("layer", "bare"))
                best[size, kind, n] = layer / batch_of(n)
                what = f"Neural GPU ({size}), {kind}, n = {n}: step / bare convolutions"
                rows.append({"what": what, "ratio": round(layer / bare, 3), "limit": LIMIT})
                details.append({"what": what, "batch": batch_of(n), "milliseconds": found})
                print(rows[-1], flush=True)
            short, long = min(arguments.lengths), max(arguments.lengths)
            growth = best[size, kind, long] / best[size, kind, short]
            what = f"Neural GPU ({size}), {kind}: an example of n = {long} / of {short}, over n²"
            rows.append({"what": what, "ratio": round(growth / (long / short) ** 2, 3)})
    kept, again = (
        in_process("tensorflow", f"memory_here('paper', 81, {recompute})")
        for recompute in (False, True)
    )
    what = "Neural GPU (paper), training at n = 81: memory with recomputation / without"
    rows.append({"what": what, "ratio": round(again / kept, 3)})
    details.append({"what": what, "MiB": {"kept": round(kept), "recomputed": round(again)}})
    write("neural_gpu_step", rows, details=details)


if __name__ == "__main__":
    main()
