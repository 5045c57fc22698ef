"""What a high limit of steps costs in training that XLA compiles, when no row takes nearly as many.

An ACTRNN (LSTM of 128 units) is trained on 512 sequences of 17 inputs, with `train_on_batch`, in
turn with both limits, in one process, as medians of wall time.

    KERAS_BACKEND=jax python benchmarks/limit_in_training.py
    KERAS_BACKEND=tensorflow python benchmarks/limit_in_training.py
"""

import os
import statistics
import time
from importlib import metadata

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
from report import read, write

from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel

UNITS, BATCH, LENGTH, FEATURES, CLASSES = 128, 512, 17, 2, 15
LIMITS = 20, 100
REPETITIONS = 15
RECORD = "limit_in_training"
NAMES = {"jax": "JAX", "tensorflow": "TensorFlow with XLA"}


def network(max_ponder):
    """A network that takes two steps at each input, and one that returns their numbers."""
    keras.utils.set_random_seed(0)
    inputs = keras.Input((LENGTH, FEATURES))
    cell = keras.layers.LSTMCell(UNITS)
    layer = ACTRNN(cell, max_ponder=max_ponder, return_sequences=True, return_ponder=True)
    outputs, ponder = layer(inputs)
    answers = keras.layers.Dense(CLASSES, activation="softmax")(outputs)
    model = AdaptiveModel(inputs, answers)
    model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=True)
    return model, keras.Model(inputs, ponder["steps"])


def main():
    """Measures, prints, and writes the record."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(BATCH, LENGTH, FEATURES)).astype("float32")
    answers = rng.integers(0, CLASSES, (BATCH, LENGTH))
    networks = {limit: network(limit) for limit in LIMITS}
    times = {limit: [] for limit in LIMITS}
    for model, _ in networks.values():
        for _ in range(2):
            model.train_on_batch(inputs, answers)
    for _ in range(REPETITIONS):
        for limit, (model, _) in networks.items():
            start = time.perf_counter()
            model.train_on_batch(inputs, answers)
            times[limit].append(time.perf_counter() - start)
    steps = [of_input.predict(inputs, verbose=0) for _, of_input in networks.values()]
    low, high = medians = [round(statistics.median(times[limit]), 3) for limit in LIMITS]
    backend = keras.backend.backend()
    what = f"training, {NAMES[backend]}, limit M = {LIMITS[1]} / limit M = {LIMITS[0]}"
    row = {
        "what": f"{what}, when no row takes more than {int(np.max(steps))} steps",
        "ratio": round(high / low, 3),
        "limit": 1.1,
        "seconds": dict(zip(map(str, LIMITS), medians)),
        "mean_steps": round(float(np.mean(steps)), 3),
        "backend": {backend: metadata.version(backend)},
    }
    others = [old for old in read(RECORD).get("rows", ()) if backend not in old["backend"]]
    write(RECORD, sorted([*others, row], key=lambda row: row["what"]))
    print(row["ratio"], row["what"])


if __name__ == "__main__":
    main()
