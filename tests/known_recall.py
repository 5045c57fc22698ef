"""Recall networks whose weights are known, for `references_recall`. Any backend."""

import keras
import numpy as np
from keras import ops

from keras_adaptive.layers import Recall
from keras_adaptive.models import RecallModel

SIZES = {"sequences": (4,), "images": (2, 2)}
CHANNELS, STEPS = 2, 4


def recall_layer(size, seed=0, dtype="float64", **arguments):
    """A layer with random weights, and these."""
    small = {"filters": 4, "outputs": 3, "steps": STEPS, "num_blocks": 1}
    layer = Recall(**{**small, **arguments}, dtype=dtype)
    layer.build((None, *[None] * len(size), CHANNELS))
    rng = np.random.default_rng(seed)
    weights = [
        rng.normal(size=variable.shape) / np.sqrt(np.prod(variable.shape[:-1]) / 2)
        for variable in layer.trainable_variables
    ]
    for variable, value in zip(layer.trainable_variables, weights, strict=True):
        variable.assign(value)
    return layer, weights


def inputs_of(size, batch=2, seed=1):
    """Random inputs, float64, and targets."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(batch, *size, CHANNELS)), rng.integers(0, 3, size=(batch, *size))


def progressive_model(size, alpha=0.75, seed=4, dtype="float64"):
    """A compiled `RecallModel` around `recall_layer`, its weights, n and k of its first batch."""
    layer, weights = recall_layer(size, dtype=dtype)
    inputs = keras.Input((*[None] * len(size), CHANNELS), dtype=dtype)
    models = [RecallModel(inputs, layer(inputs), alpha=alpha, seed=seed) for _ in range(2)]
    n, k = (int(ops.convert_to_numpy(x)) for x in models[0]._draw())
    models[1].compile(
        keras.optimizers.SGD(0.5), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    return models[1], weights, n, k
