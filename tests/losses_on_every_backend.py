"""Two steps of `fit` with `SequenceLoss`, on whichever backend Keras runs."""

import keras
import numpy as np

from keras_adaptive.losses import SequenceLoss

CLASSES = 5


def trained(joint):
    """The weights after two steps, with probabilities of one target at each time step or of two."""
    rng = np.random.default_rng(0)
    shape = (8, 3, 2) if joint else (8, 3)
    inputs = keras.Input((3, 4))
    outputs = keras.layers.Dense(CLASSES * (2 if joint else 1))(inputs)
    outputs = keras.layers.Reshape((*shape[1:], CLASSES))(outputs)
    model = keras.Model(inputs, keras.layers.Softmax()(outputs))
    model.set_weights([rng.normal(size=v.shape) for v in model.weights])
    model.compile(keras.optimizers.SGD(0.1), SequenceLoss())
    x = rng.normal(size=(8, 3, 4)).astype("float32")
    model.fit(x, rng.integers(0, CLASSES, shape), batch_size=4, shuffle=False, verbose=0)
    return model.get_weights()
