"""HAMs with known weights, so that `references_ham` can compute what they shall. Any backend."""

import keras
import numpy as np

import references
import references_ham
from keras_adaptive.ham import DHAM, HAM, Memory

FEATURES, OUTPUTS, UNITS, CONTROLLER_UNITS = 2, 2, 3, 4
VARIANTS = {
    "LSTM+HAM": {},
    "two accesses, perceptrons of one layer": {"accesses_per_output": 2, "depth": 1},
    "GRU, one output, empty nodes zero": {
        "controller": "GRUCell",
        "max_outputs": (0, 1),
        "accesses_per_output": 3,
        "empty": "zeros",
    },
    "more outputs, more leaves": {"max_outputs": (1, 2), "num_leaves": 8},
    "raw HAM": {"controller": None},
    "raw HAM, empty nodes zero, few leaves": {
        "controller": None,
        "empty": "zeros",
        "num_leaves": 2,
        "accesses_per_output": 2,
    },
}


def ham_layer(kind=HAM, seed=0, dtype="float64", scale=1.0, **arguments):
    """A layer with large random weights, so that turns differ, and these weights."""
    arguments = {"controller": "LSTMCell", "depth": 2, "empty": "joined", **arguments}
    cell, depth, empty = (arguments.pop(name) for name in ("controller", "depth", "empty"))
    layer = kind(
        OUTPUTS,
        cell and getattr(keras.layers, cell)(CONTROLLER_UNITS, dtype=dtype),
        Memory(UNITS, hidden_units=4, depth=depth, empty=empty, dtype=dtype),
        dtype=dtype,
        **arguments,
    )
    layer.build((None, None, FEATURES))
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=v.shape) * scale for v in layer.trainable_variables]
    for variable, value in zip(layer.trainable_variables, weights):
        variable.assign(value)
    return layer, weights


def examples(lengths, seed=1):
    """Random sequences of vectors."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(length, FEATURES)) for length in lengths]


def batch_of(sequences, padding=-1.0):
    """The sequences in one array."""
    inputs = np.full((len(sequences), max(map(len, sequences)), FEATURES), padding)
    for row, sequence in enumerate(sequences):
        inputs[row, : len(sequence)] = sequence
    return inputs


def random_path(layer, inputs, seed=2):
    """Turns for every access, of the shape that the layer takes."""
    a, b = layer.max_outputs
    accesses = layer.accesses_per_output * (a * inputs.shape[1] + b)
    levels = num_leaves(layer, inputs.shape[1]).bit_length() - 1
    size = (len(inputs), accesses, levels)
    return np.random.default_rng(seed).integers(0, 2, size=size)


def num_leaves(layer, length):
    """n: what is asked for, or the least power of two, at least 2."""
    if layer.num_leaves:
        return layer.num_leaves
    n = 2
    while n < length:
        n *= 2
    return n


def expected(layer, weights, sequences, path=None):
    """What the layer shall give for each sequence: a `references_ham.Run` for HAM.

    For DHAM `references_ham.dham`'s outputs, attention and trees. `path` are the turns, the most
    probable ones by default. Only the outputs that a sequence's own length allows are kept.
    """
    places = {id(v): weight for v, weight in zip(layer.trainable_variables, weights)}
    of = lambda mlp: [(places[id(x.kernel)], places[id(x.bias)]) for x in mlp.layers]  # noqa: E731
    m = layer.memory
    is_raw = layer.controller is None
    P = references_ham.Memory(
        None if is_raw else of(m.embed),
        of(m.join),
        of(m.search),
        of(m.write.candidate),
        of(m.write.gate),
    )
    eta, (a, b) = layer.accesses_per_output, layer.max_outputs
    n = num_leaves(layer, max(map(len, sequences)))
    results = []
    for row, x in enumerate(sequences):
        leaves = np.zeros((n, UNITS), weights[0].dtype)
        if is_raw:
            accesses, h = len(x) * eta, None
            steps = references_ham.raw(np.repeat(x, eta, axis=0), of(layer.head))
        else:
            accesses = eta * (a * max(map(len, sequences)) + b)
            for i, vector in enumerate(x):
                leaves[i] = references_ham.EMBED(P, vector)
            name = type(layer.controller).__name__
            cell = [places[id(v)] for v in layer.controller.trainable_variables]
            head = (places[id(layer.head.kernel)], places[id(layer.head.bias)])
            S = references.CELLS[name].transition(*cell)
            zeros = (np.zeros(CONTROLLER_UNITS),) * references.CELLS[name].states
            steps, h = references_ham.controlled(S, zeros, head), zeros[0]
        if isinstance(layer, HAM):
            A = accesses if path is None else path[row][:accesses]
            used = (0 if is_raw else len(x)) if m.empty == "zeros" else None
            results.append(references_ham.ham(P, leaves, steps, h, A, eta, used))
        else:
            printed = layer.writer == "root"
            results.append(references_ham.dham(P, leaves, steps, h, accesses, eta, printed))
    return results


def outputs_of(layer, sequence, outputs):
    """The outputs that the sequence's own length allows."""
    a, b = layer.max_outputs
    return outputs[: a * len(sequence) + b]


def expected_loss(layer, weights, sequences, path=None):
    """Σ y² + Σ log p(A) of HAM, Σ y² of DHAM, over all examples."""
    runs = expected(layer, weights, sequences, path)
    if isinstance(layer, DHAM):
        parts = [(y, 0.0) for y, _, _ in runs]
    else:
        parts = [(run.y, np.sum(run.log_p)) for run in runs]
    outputs = [outputs_of(layer, x, y) for x, (y, _) in zip(sequences, parts)]
    return sum(np.sum(y**2) for y in outputs) + sum(log_p for _, log_p in parts)


def expected_slopes(layer, weights, sequences, path=None, seed=3):
    """A random way for each weight, and the loss's slope along it: exact, by a complex step."""
    rng = np.random.default_rng(seed)
    ways, slopes = [rng.normal(size=weight.shape) for weight in weights], []
    for i, way in enumerate(ways):
        moved = [weight.astype("complex128") for weight in weights]
        moved[i] = moved[i] + 1e-30j * way
        slopes.append(np.imag(expected_loss(layer, moved, sequences, path)) / 1e-30)
    return ways, np.array(slopes)
