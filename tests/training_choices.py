"""Which cases of training there are, and the numbers of each; nothing here needs Keras."""

import itertools

import numpy as np

ROWS, UNITS, FEATURES, FREE_LENGTH = 3, 2, 2, 3
EPSILON, TAU, RATE = 0.01, 2.0**-4, 0.5
STACKED = ("SimpleRNNCell", "GRUCell")
# Of what is drawn about a case; the first value of each is the plainest.
OF_ACTRNN = {
    "layer": ("ACTRNN",),
    "cell": ("SimpleRNNCell", "GRUCell", "LSTMCell", "stacked"),
    "time": (1, 2, 5, None),
    "limit": (1, 2, 4, 9),
    "static_batch": (False, True),
    "mask": (False, True),
    "stateful": (False, True),
    "go_backwards": (False, True),
    "dtype": ("float32", "float64", "mixed_bfloat16"),
    "rule": ("act", "fixed"),
    "way": ("default", "xla", "jax"),
}
OF_OTHERS = {
    "layer": (
        *("NeuralGPU", "CGRU", "HAM", "DHAM", "StackRNN", "Seq2SeqLSTM", "NextSymbolRNN"),
        *("Bidirectional", "BahdanauAttention", "AttentionCell", "PonderNet", "Recall"),
    ),
    "time": (1, 3, None),
    "static_batch": (False, True),
    "mask": (False, True),
    "dtype": ("float32", "float64", "mixed_bfloat16"),
    "way": ("default", "xla", "jax"),
}
# Without what takes long to compile; tests/test_conformance.py compares their gradients by XLA, and
# the equations are compared in float64.
FEW_OF_OTHERS = {
    **OF_OTHERS,
    "time": (1, None),
    "dtype": ("float32", "mixed_bfloat16"),
    "way": ("default", "jax"),
}
TOLERANCE = {"float32": 1e-5, "float64": 1e-10, "mixed_bfloat16": 2e-2}


def is_possible(case):
    """Whether Keras and TensorFlow have such a thing.

    On JAX Keras's `fit` forgets the states of stateful layers, its own too, after each batch. XLA
    takes minutes for the gradient of a convolution in a TensorFlow loop.
    """
    if case.get("stateful") and (not case.get("static_batch", True) or case.get("way") == "jax"):
        return False
    # What is pushed at the only step is read by nobody.
    if case.get("layer") == "StackRNN" and case.get("time") == 1:
        return False
    return not (case.get("layer") in ("NeuralGPU", "CGRU", "Recall") and case.get("way") == "xla")


def pairs_of(case):
    return set(itertools.combinations(sorted(case.items(), key=str), 2))


def covering(choices, seed=0, tries=30):
    """Cases in which every two values that can meet do meet, one after the other drawn greedily."""
    rng = np.random.default_rng(seed)

    def drawn():
        return {name: values[rng.integers(len(values))] for name, values in choices.items()}

    missing = set()
    for (a, of_a), (b, of_b) in itertools.combinations(choices.items(), 2):
        for x, y in itertools.product(of_a, of_b):
            if is_possible({a: x, b: y}):
                missing |= pairs_of({a: x, b: y})
    cases = []
    while missing:
        (first, second) = sorted(missing, key=str)[0]
        some = []
        while len(some) < tries:
            case = {**drawn(), **dict((first, second))}
            some += [case] * is_possible(case)
        case = max(some, key=lambda case: len(pairs_of(case) & missing))
        missing -= pairs_of(case)
        cases.append({**case, "seed": len(cases)})
    return cases


def draw(rng):
    """A case at random, of ACTRNN in three of four."""
    choices = OF_ACTRNN if rng.random() < 0.75 else OF_OTHERS
    while True:
        case = {name: values[rng.integers(len(values))] for name, values in choices.items()}
        if is_possible(case):
            return {**case, "seed": int(rng.integers(2**31))}


def name_of(case):
    return "-".join(str(value) for value in case.values())


def cells_of(case):
    return STACKED if case["cell"] == "stacked" else (case["cell"],)


def length_of(case):
    return case["time"] or FREE_LENGTH


def numbers(case):
    """Weights of an ACTRNN, and two batches `(x, mask, target)`, as float64."""
    from references import CELLS

    rng = np.random.default_rng(case["seed"])
    weights, features = [], FEATURES + 1
    for cell in cells_of(case):
        weights += [rng.normal(size=s) * 0.5 for s in CELLS[cell].shapes(features, UNITS)]
        features = UNITS
    if case["rule"] == "act":
        weights += [rng.normal(size=(UNITS, 1)) * 0.5, np.full(1, -1.0)]
    batches = []
    for _ in range(2):
        mask = np.ones((ROWS, length_of(case)), bool)
        if case["mask"]:
            mask = rng.random(mask.shape) < 0.6
            mask[:, 0] |= ~mask.any(axis=1)
        x = _exact(rng.normal(size=(*mask.shape, FEATURES)))
        # A vector of zeros would be padding.
        x = np.where(x.any(axis=-1, keepdims=True), x, 0.5) * mask[..., None]
        batches.append((x, mask, _exact(rng.normal(size=(ROWS, UNITS)))))
    return list(map(_exact, weights)), batches


def _exact(numbers):
    """Numbers that bfloat16 holds exactly, so that all dtypes start alike."""
    return np.round(np.asarray(numbers, "float64") * 16) / 16
