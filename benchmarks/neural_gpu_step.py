"""A step of the Neural GPU against its bare convolutions, and what long examples cost.

The bare convolutions are as many as the layer makes, of the same sizes, in a loop as long, forward
(and in training once more for the image and once for the kernel), and nothing else. They are made
in TensorFlow (its own convolution and the two of its gradient, in a graph) and in JAX (products of
matrices, compiled), and the faster of the two counts; so it does for the layer. Layer and bare
convolutions take turns in one process. Medians of the CPU time of one thread.

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
# The stage of addition whose bins are measured.
BINS_OF, BINS_STAGE = "neural_gpu_addition", 2
REPETITIONS = 7
LIMIT = 1.4
BACKENDS = ("tensorflow", "jax")


def batch_of(n):
    """Examples in a batch: about the same work from n = 41 on."""
    return max(1, min(32, 32 * 41**2 // n**2))


def medians(functions):
    """Median milliseconds of CPU time of each function, measured in turn."""
    for function in functions.values():
        function()
    times = {name: [] for name in functions}
    for _ in range(REPETITIONS):
        for name, function in functions.items():
            began = time.process_time()
            function()
            times[name].append(1e3 * (time.process_time() - began))
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def model_of(settings, **changes):
    import keras

    from keras_adaptive.layers import NeuralGPU

    symbols = keras.Input((None,), dtype="int32")
    column = NeuralGPU(4, **settings, **changes, seed=0)(symbols)
    return keras.Model(symbols, keras.layers.Dense(4)(column))


def on_tensorflow(settings, n, training, recompute=None):
    """Functions that take one step: `layer`, and `bare` convolutions."""
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

    shape, maps = (batch_of(n), n, settings["width"], settings["maps"]), settings["maps"]
    size = (*settings["kernel_size"], maps)
    kernels = [
        tf.random.normal((*size, new), stddev=0.01)
        for _ in range(settings["num_layers"])
        for new in (2 * maps, maps)
    ]
    image = tf.random.normal(shape)

    def forward(image, kernels):
        """The image after one step, and what each convolution saw; all of it is needed."""
        seen = []
        for gate, candidate in zip(kernels[::2], kernels[1::2]):
            gates = tf.nn.conv2d(image, gate, 1, "SAME")
            seen += [image, gates[..., :maps]]
            image = tf.nn.conv2d(seen[-1], candidate, 1, "SAME") + gates[..., maps:]
        return image, seen

    def backward(gradient, seen, kernels):
        """The gradients with respect to the image and to each kernel."""
        same, of_kernels = {"strides": [1] * 4, "padding": "SAME"}, []
        behind = gradient
        for x, kernel in zip(reversed(seen), reversed(kernels)):
            if kernel.shape[-1] == 2 * maps:
                gradient = tf.concat([gradient, behind], axis=-1)
            of_kernels.append(
                tf.raw_ops.Conv2DBackpropFilter(
                    input=x, filter_sizes=kernel.shape, out_backprop=gradient, **same
                )
            )
            gradient = tf.raw_ops.Conv2DBackpropInput(
                input_sizes=shape, filter=kernel, out_backprop=gradient, **same
            )
            if kernel.shape[-1] == 2 * maps:
                behind = gradient
        return gradient, of_kernels[::-1]

    @tf.function
    def bare():
        def advance(t, image, gradient, totals):
            image, seen = forward(image, kernels)
            if training:
                gradient, new = backward(gradient, seen, kernels)
                totals = [total + more for total, more in zip(totals, new)]
            return t + 1, image, gradient, totals

        loop = (0, image, image, kernels)
        _, last, gradient, totals = tf.while_loop(lambda t, *_: t < n, advance, loop)
        return tf.add_n([tf.reduce_sum(x) for x in (last, gradient, *totals)])

    return {"layer": lambda: float(layer()), "bare": lambda: float(bare())}


def on_jax(settings, n, training, batch=None):
    """As `on_tensorflow`, for a batch of another size too."""
    import jax
    import numpy as np
    from jax import numpy as jnp

    from keras_adaptive.neural_gpu import convolution

    model, batch = model_of(settings), batch or batch_of(n)
    symbols = np.random.default_rng(0).integers(0, 4, (batch, n))
    weights = [variable.value for variable in model.trainable_variables]
    others = [variable.value for variable in model.non_trainable_variables]

    def loss(weights):
        answer, _ = model.stateless_call(weights, others, symbols, training=training)
        return jnp.sum(answer**2)

    maps, width, size = settings["maps"], settings["width"], settings["kernel_size"]
    rng = np.random.default_rng(0)
    kernels = [
        jnp.asarray(rng.normal(size=(*size, maps, 3 * maps)) * 0.01, "float32")
        for _ in range(settings["num_layers"])
    ]
    image = jnp.asarray(rng.normal(size=(batch, n, width * maps)), "float32")

    @jax.custom_vjp
    def convolve(image, kernel):
        return convolution.convolve(image, kernel)

    def backward(kept, gradient):
        """Two convolutions, for the image and for the kernel, that keep no more than they need."""
        image, kernel = kept
        rows = kernel.shape[0] // image.shape[-1]
        turned = kernel.reshape(rows, image.shape[-1], -1)[::-1].swapaxes(1, 2)
        turned = turned.reshape(-1, image.shape[-1])
        _, of_kernel = jax.vjp(lambda kernel: convolution.convolve(image, kernel), kernel)
        return convolution.convolve(gradient, turned), *of_kernel(gradient)

    convolve.defvjp(lambda image, kernel: (convolve(image, kernel), (image, kernel)), backward)

    def bare(kernels):
        prepared = [
            (
                convolution.prepare(kernel[..., : 2 * maps], width, parts=2),
                convolution.prepare(kernel[..., 2 * maps :], width),
            )
            for kernel in kernels
        ]

        def advance(image, _):
            for gate, candidate in prepared:
                first, second = jnp.split(convolve(image, gate), 2, axis=-1)
                image = convolve(first, candidate) + second  # or half of the work is left out
            return image, None

        return jnp.sum(jax.lax.scan(advance, image, None, length=n)[0])

    def step(function, arguments):
        compiled = jax.jit(jax.grad(function) if training else function)
        return lambda: jax.block_until_ready(compiled(arguments))

    return {"layer": step(loss, weights), "bare": step(bare, kernels)}


def measured_here(size, lengths):
    """Milliseconds of layer and bare convolutions in this process, training and inference."""
    make = {"tensorflow": on_tensorflow, "jax": on_jax}[os.environ["KERAS_BACKEND"]]
    return [
        {
            "kind": "training" if training else "inference",
            "n": n,
            **medians(make(SIZES[size], n, training)),
        }
        for training in (True, False)
        for n in lengths
    ]


def memory_here(size, n, recompute):
    """MiB that one training step added to what the process needed at most."""
    layer = on_tensorflow(SIZES[size], n, training=True, recompute=recompute)["layer"]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    layer()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def bins_here():
    """What a training batch of each bin costs, and how long its examples are."""
    from keras_adaptive import datasets
    from keras_adaptive.zoo import recipes

    recipe = recipes.load(BINS_OF)
    stage, rows = recipe.stages[BINS_STAGE], []
    for index in range(len(stage.bins)):
        parameters = recipe.parameters_at(stage, index=index)
        batch = datasets.batch(recipe.dataset, 32, seed=0, index=index, **parameters)
        lengths = (batch["weights"] > 0).sum(axis=1)
        n = batch["inputs"].shape[1]
        layer = on_jax(SIZES["diagonal"], n, training=True, batch=32)["layer"]
        milliseconds = medians({"layer": layer})["layer"]
        squares = int((lengths**2).sum())
        rows.append({"n": n, "milliseconds": milliseconds, "squares": squares})
    return rows


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
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    code = f"import json, neural_gpu_step as here; print(json.dumps(here.{call}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def main():
    from report import write

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", nargs="*", type=int, default=list(LENGTHS))
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=list(SIZES))
    arguments = parser.parse_args()
    rows, details = [], []
    for size in arguments.sizes:
        call = f"measured_here({size!r}, {arguments.lengths})"
        on_each = [in_process(backend, call) for backend in BACKENDS]
        of_one = {}
        for rows_of_n in zip(*on_each):
            kind, n = rows_of_n[0]["kind"], rows_of_n[0]["n"]
            layer, bare = (min(row[part] for row in rows_of_n) for part in ("layer", "bare"))
            of_one[kind, n] = layer / batch_of(n)
            what = f"Neural GPU ({size}), {kind}, n = {n}: step / bare convolutions"
            rows.append({"what": what, "ratio": round(layer / bare, 3), "limit": LIMIT})
            details.append({"what": what, "batch": batch_of(n), **dict(zip(BACKENDS, rows_of_n))})
            print(rows[-1], flush=True)
        short, long = min(arguments.lengths), max(arguments.lengths)
        for kind in ("training", "inference"):
            growth = of_one[kind, long] / of_one[kind, short]
            what = f"Neural GPU ({size}), {kind}: an example of n = {long} / of {short}, over n²"
            rows.append({"what": what, "ratio": round(growth / (long / short) ** 2, 3)})
    bins = in_process("jax", "bins_here()")
    longest = bins[-1]
    spent = sum(row["milliseconds"] for row in bins) / longest["milliseconds"]
    squares = sum(row["squares"] for row in bins) / (32 * longest["n"] ** 2)
    what = "Neural GPU (diagonal), a batch of each bin of addition: time over Σ n² of the examples"
    rows.append({"what": what, "ratio": round(spent / squares, 3)})
    what = "Neural GPU (diagonal), a batch of each bin of addition: time / all as the longest"
    rows.append({"what": what, "ratio": round(spent / len(bins), 3)})
    details.append({"what": what, "bins": bins})
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
