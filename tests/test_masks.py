"""The mask that a layer before attached counts, also in a call with several tensors.

Keras itself fills the argument `mask` only where a call has one tensor.
"""

import keras
import numpy as np
import pytest
from keras import layers, tree

from keras_adaptive.ham import Memory
from keras_adaptive.layers import (
    ACTRNN,
    DHAM,
    HAM,
    BahdanauAttention,
    Recall,
    StackRNN,
)

ROWS, TIME, FEATURES, UNITS = 3, 5, 2, 4
MASK = np.array([[1, 0, 1, 1, 1], [0, 1, 1, 0, 0], [1, 1, 1, 0, 0]], bool)
STATE = np.full((ROWS, UNITS), 0.5, "float32")
TURNS = np.tile([[0, 1, 1], [1, 0, 0]], (ROWS, 3, 1))[:, :TIME]


def act(cell=layers.GRUCell, **options):
    return ACTRNN(cell(UNITS), max_ponder=4, halting_bias=-1.0, **options)


def stack_rnn():
    layer = StackRNN(UNITS, num_stacks=1, stack_depth=3)
    start = [np.array(state) for state in layer.cell.get_initial_state(ROWS)]
    return beside(layer, start, "initial_state")


def beside(layer, other, name):
    """Another tensor, and a function that calls a layer with it, by that name."""
    return other, lambda x, more, **mask: layer(x, **{name: more}, **mask)


def alone(layer):
    return None, lambda x, more, **mask: layer(x, **mask)


def attention(query):
    layer = BahdanauAttention(UNITS)
    return query, lambda x, more, **mask: layer(more, x, **mask)


LAYERS = {
    "ACTRNN": lambda: alone(act(return_sequences=True)),
    "ACTRNN beside a state": lambda: beside(act(), STATE, "initial_state"),
    "ACTRNN in both directions": lambda: alone(layers.Bidirectional(act())),
    "ACTRNN in both directions beside states": lambda: beside(
        layers.Bidirectional(act()), [STATE, STATE], "initial_state"
    ),
    "StackRNN beside a state": stack_rnn,
    "HAM": lambda: alone(HAM(2, layers.GRUCell(UNITS), Memory(UNITS), padding=None)),
    "HAM beside a path": lambda: beside(
        HAM(2, layers.GRUCell(UNITS), Memory(UNITS), padding=None), TURNS, "path"
    ),
    "raw HAM beside a path": lambda: beside(HAM(2, num_leaves=8, padding=None), TURNS, "path"),
    "DHAM": lambda: alone(DHAM(2, layers.GRUCell(UNITS), Memory(UNITS), padding=None)),
    "BahdanauAttention": lambda: attention(STATE),
    "Recall": lambda: alone(Recall(UNITS, 2, steps=3, num_blocks=1)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_an_attached_mask_is_as_one_that_is_given(name):
    x = np.random.default_rng(0).normal(size=(ROWS, TIME, FEATURES)).astype("float32")
    x[~MASK] = 0.0
    other, call = LAYERS[name]()
    others = [] if other is None else tree.flatten(other)
    inputs = keras.Input((TIME, FEATURES))
    more = [keras.Input(one.shape[1:], dtype=str(one.dtype)) for one in others]
    given = None if other is None else tree.pack_sequence_as(other, more)
    model = keras.Model([inputs, *more], call(layers.Masking()(inputs), given))
    expected = keep(call(x, other, mask=MASK))
    np.testing.assert_allclose(keep(model([x, *others])), expected, rtol=0, atol=1e-6)
    assert np.max(np.abs(keep(call(x, other)) - expected)) > 1e-3


def keep(outputs):
    """The first of a layer's outputs."""
    return np.array(tree.flatten(outputs)[0])
