"""Layers that read a memory, with known weights, for `references_attention`. Any backend."""

import keras
import numpy as np

import references
from keras_adaptive.layers import ACTRNN, AttentionCell, BahdanauAttention
from known_layers import TAU

UNITS, SIZE, ATTENTION = 3, 4, 5


def attention_layer(cell, features, memory_size=SIZE, seed=0, bias=-1.0, dtype="float64", **more):
    """A layer with large random weights, and these."""
    rng = np.random.default_rng(seed)
    shapes = references.CELLS[cell].shapes(features + 1 + memory_size, UNITS)
    shapes += [(memory_size, ATTENTION), (UNITS, ATTENTION), (ATTENTION,)]
    weights = [rng.normal(size=shape) * 0.8 for shape in shapes]
    weights += [rng.normal(size=(UNITS, 1)), np.array([bias])]
    make = more.pop("make", ACTRNN)
    layer = make(
        AttentionCell(
            getattr(keras.layers, cell)(UNITS, dtype=dtype),
            BahdanauAttention(ATTENTION, dtype=dtype),
            dtype=dtype,
        ),
        time_penalty=TAU,
        return_sequences=True,
        return_state=True,
        return_ponder=True,
        dtype=dtype,
        **more,
    )
    of_memory = {} if make is ReadsItself else {"memory_shape": (None, None, memory_size)}
    layer.build((None, None, features), **of_memory)
    for variable, value in zip(layer.trainable_variables, weights, strict=True):
        variable.assign(value)
    return layer, weights


@keras.saving.register_keras_serializable(package="tests")
class ReadsItself(ACTRNN):
    """Its memory is its input, so that tests of layers with one input can test it."""

    def build(self, sequences_shape):
        super().build(sequences_shape, memory_shape=sequences_shape)

    def call(self, sequences, mask=None, training=False):
        return super().call(
            sequences, mask=mask, memory=sequences, memory_mask=mask, training=training
        )

    def compute_output_spec(self, sequences, mask=None, training=False):
        return super().compute_output_spec(sequences)
