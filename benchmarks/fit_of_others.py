"""What a step of `fit` costs with NeuralGPU, HAM and DHAM, against their bare training step.

A step of `fit` is what a user gets: `compile` and `fit` with their defaults, Adam, 20 steps for
each execution. The bare step is a function of TensorFlow that computes loss and gradients of the
same network on the same batch, compiled by XLA or not, whichever is faster; what it costs against
bare convolutions and for one access is measured by `neural_gpu_step.py` and `ham_access.py`. Wall
time, in turn, and the fastest execution counts.

    python benchmarks/fit_of_others.py
"""

import argparse
import functools
import multiprocessing
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from report import write

from keras_adaptive.layers import DHAM, HAM, NeuralGPU
from keras_adaptive.models import NeuralGPUModel
from keras_adaptive.reinforce import ReinforceModel

EXECUTION = 20
LIMIT = 1.4
BATCH = 32


def neural_gpu(rng):
    """The paper's network on 41 symbols."""
    symbols = keras.Input((41,), dtype="int32")
    model = NeuralGPUModel(symbols, keras.layers.Dense(4)(NeuralGPU(4, maps=24, width=4)(symbols)))
    x, y = (rng.integers(0, 4, (EXECUTION * BATCH, 41)) for _ in range(2))
    return model, keras.losses.SparseCategoricalCrossentropy(from_logits=True), x, y


def vectors(rng):
    """Inputs and targets of 16 vectors each."""
    x = rng.normal(size=(EXECUTION * BATCH, 16, 8)).astype("float32")
    return x, rng.integers(0, 2, (EXECUTION * BATCH, 16, 3)).astype("float32")


def ham(rng):
    """HAM on 16 vectors, trained by REINFORCE."""
    return ReinforceModel(HAM(3, keras.layers.LSTMCell(20))), None, *vectors(rng)


def dham(rng):
    """DHAM on 16 vectors."""
    inputs = keras.Input((16, 8))
    model = keras.Model(inputs, DHAM(3, keras.layers.LSTMCell(20))(inputs))
    return model, "binary_crossentropy", *vectors(rng)


NETWORKS = {"NeuralGPU": neural_gpu, "HAM": ham, "DHAM": dham}


def bare_step(model, x, y, jit_compile):
    """A function that computes the gradients of one batch, `EXECUTION` times."""
    x, y = tf.constant(x[:BATCH]), tf.constant(y[:BATCH])
    weights = [variable.value for variable in model.trainable_variables]

    @tf.function(jit_compile=jit_compile)
    def step():
        with tf.GradientTape() as tape:
            loss = model.compute_loss(x, y, model(x, training=True), training=True)
        gradients = tape.gradient(loss, weights)
        return tf.add_n([tf.reduce_sum(tf.convert_to_tensor(g)) for g in gradients])

    @tf.function
    def steps():
        # One after the other, as in training, where each step needs the weights of that before.
        return tf.while_loop(
            lambda i, total: i < EXECUTION,
            lambda i, total: (i + 1, total + step()),
            (0, 0.0),
            parallel_iterations=1,
        )

    return steps


def measure(name, seconds):
    """Milliseconds of each way, and those of the first execution of `fit` in seconds."""
    keras.utils.set_random_seed(0)
    model, loss, x, y = NETWORKS[name](np.random.default_rng(0))
    model.compile("adam", loss, steps_per_execution=EXECUTION)
    fit = functools.partial(model.fit, x, y, batch_size=BATCH, verbose=0)
    before = time.perf_counter()
    fit()
    first = time.perf_counter() - before
    clock = keras.callbacks.LambdaCallback()
    best, began = {"fit": float("inf")}, [0.0]

    def begin(batch, logs=None):
        began[0] = time.perf_counter()

    def end(batch, logs=None):
        best["fit"] = min(best["fit"], time.perf_counter() - began[0])

    clock.on_train_batch_begin, clock.on_train_batch_end = begin, end
    ways = {"bare graph": bare_step(model, x, y, False)}
    if model.jit_compile or all(layer.supports_jit for layer in model._flatten_layers()):
        ways["bare xla"] = bare_step(model, x, y, True)
    for way in ways.values():
        way()
    end_of_all = time.perf_counter() + seconds
    while time.perf_counter() < end_of_all:
        fit(callbacks=[clock])
        for way, run in ways.items():
            before = time.perf_counter()
            [x.numpy() for x in run()]
            best[way] = min(best.get(way, float("inf")), time.perf_counter() - before)
    times = {way: round(1e3 * least / EXECUTION, 3) for way, least in best.items()}
    return {"network": name, "milliseconds": times, "first": round(first, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="*", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--seconds", type=float, default=40.0, help="for each row of the table")
    arguments = parser.parse_args()
    rows, details = [], []
    # Each in a process of its own, as the memory that one leaves slows the next one down.
    processes = multiprocessing.get_context("spawn")
    for name in arguments.networks:
        with processes.Pool(1) as pool:
            details.append(pool.apply(measure, (name, arguments.seconds)))
        milliseconds = details[-1]["milliseconds"]
        bare = min(least for way, least in milliseconds.items() if way != "fit")
        what = f"`fit`, {name}: default / bare training step"
        rows.append({"what": what, "ratio": round(milliseconds["fit"] / bare, 2), "limit": LIMIT})
        print(details[-1], flush=True)
    write("fit_of_others", rows, details=details)


if __name__ == "__main__":
    main()
