"""Layers whose weights are known, so that `references` can compute what they shall. Any backend."""

import keras
import numpy as np

import references
from keras_adaptive.layers import ACTRNN

CELLS = sorted(references.CELLS)
TAU = 2.0**-6  # A number that float32 holds exactly, as τ is a float32 variable.


def act_layer(cell, features, units, seed=0, bias=-0.5, dtype="float64", **kwargs):
    """A layer with large random weights, so that N differs, and these weights."""
    rng = np.random.default_rng(seed)
    shapes = references.CELLS[cell].shapes(features + 1, units)
    weights = [rng.normal(size=shape) * 0.8 for shape in shapes]
    weights += [rng.normal(size=(units, 1)), np.array([bias])]
    layer = ACTRNN(
        getattr(keras.layers, cell)(units, dtype=dtype),
        time_penalty=TAU,
        return_sequences=True,
        return_state=True,
        return_ponder=True,
        dtype=dtype,
        **kwargs,
    )
    layer.build((None, None, features))
    for variable, value in zip(layer.trainable_variables, weights, strict=True):
        variable.assign(value)
    return layer, weights


def sequences(batch, time, features, seed=1):
    """Random inputs, float64."""
    return np.random.default_rng(seed).normal(size=(batch, time, features))


def ragged_mask(batch, time, seed=2):
    """True for at least one step of each row; false also in the middle of a sequence."""
    mask = np.random.default_rng(seed).random((batch, time)) < 0.6
    mask[:, 0] |= ~mask.any(axis=1)
    return mask
