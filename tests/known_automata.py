"""Neural GPUs whose weights are set by hand, exact at any length without training. Any backend.

Maps hold 0 or 1. Gates open and close entirely, and the candidate is 0 or 1 exactly, as pre-
activations are far enough out; so nothing is ever lost to rounding.
"""

import keras
import numpy as np

from keras_adaptive.layers import NeuralGPU

SYMBOLS = 4
FAR = 40.0  # Here the cut-off sigmoid is 0 or 1, and tanh in every precision.


class Rules:
    """The weights of one CGRU of kernel height 3, written rule by rule.

    At first every map is replaced by zero at each step: update gate closed, reset gate open.
    """

    def __init__(self, maps, columns):
        self.maps, self.column = maps, columns // 2
        self.gate_kernel = np.zeros((3, columns, maps, 2 * maps))
        self.gate_bias = np.repeat([-FAR, FAR], maps)
        self.candidate_kernel = np.zeros((3, columns, maps, maps))

    def keep(self, new, unless=None):
        """The map stays as it is; or, with another map, only where that is 0."""
        self.gate_bias[new] = FAR
        if unless is not None:
            self.gate_kernel[1, self.column, unless, new] = -2 * FAR

    def copy(self, old, new, place=0):
        """The map becomes what another is `place` positions further on."""
        self.candidate_kernel[1 + place, self.column, old, new] = FAR

    def read_only_at_the_front(self, old, inside):
        """The map is read as zero except where no position inside stands before."""
        self.gate_kernel[0, self.column, inside, self.maps + old] = -2 * FAR

    def weights(self):
        return [self.gate_kernel, self.gate_bias, self.candidate_kernel, np.zeros(self.maps)]


def copying(columns=1):
    """All stays as it is."""
    rules = Rules(SYMBOLS, columns)
    for symbol in range(SYMBOLS):
        rules.keep(symbol)
    return np.eye(SYMBOLS), rules, slice(0, SYMBOLS)


def shifting(columns=1):
    """Every symbol moves on by one position, in the first step alone, which a flag marks."""
    flag = SYMBOLS
    rules = Rules(SYMBOLS + 1, columns)
    for symbol in range(SYMBOLS):
        rules.copy(symbol, symbol, place=-1)
        rules.keep(symbol, unless=flag)
    return np.hstack([np.eye(SYMBOLS), np.ones((SYMBOLS, 1))]), rules, slice(0, SYMBOLS)


def reversing(columns=1):
    """Symbols walk to the front, turn round there, and walk back.

    The symbol of position i is at the front after i steps and, going back, at n − 1 − i after n.
    They come in two copies, as the one that goes on must be read everywhere, and the one that
    turns round at the front alone.
    """
    inside = 3 * SYMBOLS
    rules = Rules(3 * SYMBOLS + 1, columns)
    rules.keep(inside)
    for come in range(SYMBOLS):
        turn, back = come + SYMBOLS, come + 2 * SYMBOLS
        rules.copy(come, come, place=1)
        rules.copy(come, turn, place=1)
        rules.read_only_at_the_front(turn, inside)
        rules.copy(turn, back)
        rules.copy(back, back, place=-1)
    one = np.eye(SYMBOLS)
    embedding = np.hstack([one, one, 0 * one, np.ones((SYMBOLS, 1))])
    return embedding, rules, slice(2 * SYMBOLS, 3 * SYMBOLS)


AUTOMATA = {
    "copy": (copying, lambda sequence: sequence),
    "shift": (shifting, lambda sequence: np.concatenate([[-1], sequence[:-1]])),
    "reverse": (reversing, lambda sequence: sequence[::-1]),
}


def automaton(name, width=1, columns=1, **arguments):
    """A layer that copies, shifts or reverses, and the function that reads what it did.

    The function gives symbols, and −1 where there is none.
    """
    embedding, rules, read = AUTOMATA[name][0](columns)
    layer = NeuralGPU(
        SYMBOLS, rules.maps, width, num_layers=1, kernel_size=(3, columns), **arguments
    )
    layer.build((None, None))
    for variable, value in zip(layer.trainable_variables, [embedding, *rules.weights()]):
        variable.assign(value)

    def answers(symbols):
        column = keras.ops.convert_to_numpy(keras.ops.cast(layer(symbols), "float32"))[..., read]
        assert np.all((column == 0) | (column == 1)) and np.all(column.sum(axis=-1) <= 1)
        return np.where(column.any(axis=-1), np.argmax(column, axis=-1), -1)

    return answers
