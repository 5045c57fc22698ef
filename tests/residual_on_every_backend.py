"""Two steps of `fit` with ACT and SACT, on whichever backend Keras runs."""

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
