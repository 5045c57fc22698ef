"""Neural GPUs whose weights are known, so that `references_neural_gpu` can compute what they shall.

Any backend.
"""

import numpy as np

import references_neural_gpu as references
from keras_adaptive.layers import NeuralGPU

SYMBOLS = 4
# Numbers that float32 holds exactly.
SATURATION_COST, RELAXATION_PULL = 2.0**-4, 2.0**-6
VARIANTS = {
    "the paper's": {"num_layers": 2},
    "plain gates, kept steps": {"gate_cutoff": False, "kernel_size": (3, 1), "recompute": False},
    "hard, with saturation cost": {
        "nonlinearity": "hard",
        "saturation_cost": SATURATION_COST,
        "recompute": True,
    },
    "diagonal, one dimension": {"diagonal": True, "width": 1, "nonlinearity": "hard"},
    "diagonal, two dimensions": {"diagonal": True, "maps": 5, "kernel_size": (1, 3)},
    "relaxed": {"relaxation": 2, "steps_multiplier": 2, "width": 1},
    "all at once": {
        "num_layers": 2,
        "width": 1,
        "kernel_size": (3, 3),
        "nonlinearity": "hard",
        "diagonal": True,
        "saturation_cost": SATURATION_COST,
        "relaxation": 3,
        "steps_multiplier": 2,
        "recompute": True,
    },
}


def neural_gpu_layer(seed=0, dtype="float64", **arguments):
    """A layer with large random weights, so that gates close and squash, and these weights."""
    small = {"symbols": SYMBOLS, "maps": 3, "width": 2, "num_layers": 1}
    pull = {"relaxation_pull": RELAXATION_PULL}
    layer = NeuralGPU(**{**small, **pull, **arguments}, dtype=dtype)
    layer.build((None, None))
    rng = np.random.default_rng(seed)
    weights = [random_weight(rng, variable.shape) for variable in layer.trainable_variables]
    for variable, value in zip(layer.trainable_variables, weights):
        variable.assign(value)
    return layer, weights


def random_weight(rng, shape):
    """Large enough to squash, small enough that rounding errors stay small."""
    is_kernel = len(shape) >= 4
    return rng.normal(size=shape) * (2.0 / np.sqrt(np.prod(shape[-4:-1])) if is_kernel else 0.8)


def examples(lengths, seed=1):
    """Random sequences of symbols."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, SYMBOLS, size=length) for length in lengths]


def batch_of(sequences, n=None, starts=None, padding=-1):
    """The sequences in one array of `n` positions, each from its start, and the mask."""
    n = n or max(map(len, sequences))
    starts = starts if starts is not None else [0] * len(sequences)
    symbols, mask = np.full((len(sequences), n), padding), np.zeros((len(sequences), n), bool)
    for row, (sequence, start) in enumerate(zip(sequences, starts)):
        symbols[row, start : start + len(sequence)] = sequence
        mask[row, start : start + len(sequence)] = True
    return symbols, mask


def gate_of(layer):
    """The gate's name in the references."""
    if layer.cells[0].nonlinearity == "hard":
        return "hard"
    return "cut-off" if layer.cells[0].gate_cutoff else "plain"


def cgru_parameters(gate_kernel, gate_bias, candidate_kernel, candidate_bias):
    """The weights of one parameter set by their names in the paper."""
    m = candidate_bias.shape[-1]
    return references.CGRU(
        candidate_kernel,
        candidate_bias,
        gate_kernel[..., :m],
        gate_bias[:m],
        gate_kernel[..., m:],
        gate_bias[m:],
    )


def expected(layer, weights, sequences, sharpness=1.0):
    """What the layer shall give: the images of each sequence, and a loss.

    That is the sum of all squared outputs, for want of a task, and the terms that the layer adds.
    """
    embedding, *of_cells = weights
    cells = [of_cells[i : i + 4] for i in range(0, len(of_cells), 4)]
    r = layer.cells[0].relaxation
    sets = [cells] if r == 1 else [[[w[t] for w in cell] for cell in cells] for t in range(r)]
    results = [
        references.neural_gpu(
            embedding,
            [[cgru_parameters(*cell) for cell in one] for one in sets],
            sequence,
            layer.width,
            layer.steps_multiplier,
            gate_of(layer),
            layer.cells[0].diagonal,
            sharpness,
        )
        for sequence in sequences
    ]
    images = [images for images, _ in results]
    task = sum(np.sum(image[-1][:, 0] ** 2) for image in images)
    cost = sum(cost for _, cost in results) / len(sequences)
    loss = task + layer.cells[0].saturation_cost * cost
    if r > 1:
        apart = sum(np.sum((w - np.mean(w, axis=0)) ** 2) for w in of_cells)
        loss = loss + RELAXATION_PULL * apart
    return images, loss


def expected_gradients(layer, weights, sequences):
    """The gradient of that loss in each weight."""
    return references.complex_steps(
        lambda *weights: expected(layer, weights, sequences)[1], weights
    )
