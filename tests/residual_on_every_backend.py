"""Two steps of `fit` with ACT and SACT, on whichever backend Keras runs; see `trained`.

    KERAS_BACKEND=jax python residual_on_every_backend.py FILE

writes the weights to FILE.
"""

import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np

from keras_adaptive.layers import ResidualUnit  # noqa: F401 - its class is saved
from keras_adaptive.models import AdaptiveModel
from known_residual import CHANNELS, images, residual_layer


def trained(spatial, **compiled):
    """All weights after two steps, and the outputs that they give then."""
    layer = residual_layer(spatial, dtype="float32", epsilon=0.05)
    inputs = keras.Input((6, 5, CHANNELS))
    model = AdaptiveModel(inputs, layer(inputs)[0])
    model.compile(keras.optimizers.SGD(0.02), "mse", **compiled)
    x = images(6).astype("float32")
    model.fit(x, np.cos(x), batch_size=3, shuffle=False, verbose=0)
    outputs = [keras.ops.convert_to_numpy(one) for one in keras.tree.flatten(layer(x))]
    return [keras.ops.convert_to_numpy(v) for v in model.weights] + outputs


def trained_in_another_process(backend, folder):
    """For ACT and SACT, what `trained` gives on another backend."""
    path, root = Path(folder) / "weights.npz", Path(__file__).parents[1]
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(root)]),
    }
    command = [sys.executable, __file__, str(path)]
    subprocess.run(command, env=environment, check=True, timeout=900)
    with np.load(path) as arrays:
        of = {key: arrays[key] for key in arrays}
    return [
        [of[f"{spatial}_{i}"] for i in range(len(of)) if f"{spatial}_{i}" in of]
        for spatial in (False, True)
    ]


if __name__ == "__main__":
    found = {
        f"{spatial}_{i}": value
        for spatial in (False, True)
        for i, value in enumerate(trained(spatial))
    }
    np.savez(sys.argv[1], **found)
