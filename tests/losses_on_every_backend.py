"""Two steps of `fit` with `SequenceLoss` and `SampledWordLoss`, on whichever backend Keras runs."""

import keras
import numpy as np

from keras_adaptive.language import SampledWordLoss, TiedEmbedding
from keras_adaptive.layers import ACTRNN
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.models import AdaptiveModel

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


def trained_on_words(padding, by_weights=False):
    """The weights after two steps, of rows with so much padding that is masked or has no weight."""
    keras.utils.set_random_seed(0)
    words = TiedEmbedding(10, 4, mask_zero=not by_weights, seed=0)
    inputs = keras.Input((None,), dtype="int32")
    layer = ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=2, return_sequences=True)
    layer.time_penalty = 0.0
    model = AdaptiveModel(inputs, words(layer(words(inputs)), reverse=True))
    model.compile(keras.optimizers.SGD(0.5), SampledWordLoss(words, 6), jit_compile=False)
    x = np.random.default_rng(0).integers(1, 10, (4, 3))
    x, y = (np.pad(x, [(0, 0), (0, padding)], constant_values=value) for value in (0, 7))
    weights = (x > 0).astype("float32") if by_weights else None
    model.fit(x, y, batch_size=2, sample_weight=weights, shuffle=False, verbose=0)
    return model.get_weights()
