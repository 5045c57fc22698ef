"""Cases of training: what `fit` makes of the weights of a layer in two steps, on any backend.

    KERAS_BACKEND=jax python training_cases.py CASES FOLDER

reads a list of cases, as JSON, and writes the weights of each to a file of its own in FOLDER.
"""

import functools
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

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
        x = rng.normal(size=(*mask.shape, FEATURES)) * mask[..., None]
        batches.append((x, mask, rng.normal(size=(ROWS, UNITS))))
    # Numbers that bfloat16 holds exactly, so that all dtypes start alike.
    exact = lambda x: np.round(np.asarray(x, "float64") * 16) / 16  # noqa: E731
    return list(map(exact, weights)), [(exact(x), mask, exact(y)) for x, mask, y in batches]


def expected(case):
    """The weights that the equations say, and how far from another number of steps they are."""
    from references_training import two_steps

    weights, batches = numbers(case)
    return two_steps(
        cells_of(case),
        weights,
        batches,
        limit=case["limit"],
        epsilon=EPSILON,
        tau=TAU,
        rate=RATE,
        fixed=case["rule"] == "fixed",
        stateful=case["stateful"],
        backwards=case["go_backwards"],
    )


def settled(case):
    """The case with a seed by which no rounding can change a number of steps."""
    if case["layer"] != "ACTRNN":
        return case
    least = 0.02 if case["dtype"] == "mixed_bfloat16" else 1e-4
    while expected(case)[1] < least:
        case = {**case, "seed": case["seed"] + 1000}
    return case


# What follows needs Keras, and so a backend.


def trained(case, way=None):
    """The trainable weights after two steps of `fit`, each as float64.

    Args:
        way: `"eager"`, or as in the case.
    """
    import keras

    way = way or case["way"]
    dtype = case["dtype"]
    before = keras.config.dtype_policy(), keras.config.floatx()
    keras.config.set_floatx("float64" if dtype == "float64" else "float32")
    keras.config.set_dtype_policy(dtype)
    keras.utils.set_random_seed(case["seed"] % 2**31)
    try:
        model, x, y, weights = MAKERS.get(case["layer"], _other)(keras, case)
        if weights is None:
            weights = _spread(model.trainable_variables, case["seed"])
        for variable, value in zip(model.trainable_variables, weights, strict=True):
            variable.assign(value)
        compiled = {"eager": {"run_eagerly": True}, "xla": {"jit_compile": True}}.get(way, {})
        # With the rate of the others their weights grow to where the dtype has no more digits.
        rate = RATE / 16 if case.get("layer") in ("PonderNet", "Recall") else RATE
        model.compile(keras.optimizers.SGD(rate), "mse", **compiled)
        model.fit(x, y, batch_size=ROWS, shuffle=False, verbose=0)
        variables = model.trainable_variables
        return [keras.ops.convert_to_numpy(v).astype("float64") for v in variables]
    finally:
        keras.config.set_floatx(before[1])
        keras.config.set_dtype_policy(before[0])


def _spread(variables, seed):
    """Weights that are not those of a beginning, where gradients may be zero by symmetry."""
    rng = np.random.default_rng(seed)
    return [np.round(rng.normal(size=v.shape) * 8) / 16 for v in variables]


def _actrnn(keras, case):
    from keras_adaptive.layers import ACTRNN

    weights, batches = numbers(case)
    x, _, y = (np.concatenate(parts) for parts in zip(*batches))
    shape = (case["time"], FEATURES)
    inputs = keras.Input(batch_shape=(ROWS, *shape)) if case["static_batch"] else keras.Input(shape)
    hidden = keras.layers.Masking()(inputs) if case["mask"] else inputs
    cells = [getattr(keras.layers, cell)(UNITS) for cell in cells_of(case)]
    rule = {"halting": "fixed", "steps": case["limit"]}
    if case["rule"] == "act":
        rule = {"max_ponder": case["limit"], "epsilon": EPSILON, "time_penalty": TAU}
    layer = ACTRNN(
        cells if case["cell"] == "stacked" else cells[0],
        stateful=case["stateful"],
        go_backwards=case["go_backwards"],
        **rule,
    )
    return keras.Model(inputs, layer(hidden)), x, y, weights


def _other(keras, case):
    """A model of another layer, with what it reads and shall say."""
    from keras import layers

    from keras_adaptive import baselines
    from keras_adaptive.ham import Memory
    from keras_adaptive.layers import (
        ACTRNN,
        CGRU,
        DHAM,
        HAM,
        AttentionCell,
        BahdanauAttention,
        NeuralGPU,
        PonderNet,
        Recall,
        StackRNN,
    )
    from keras_adaptive.models import PonderNetModel, RecallModel

    rng = np.random.default_rng(case["seed"])
    rows, length, kind = 2 * ROWS, length_of(case), case["layer"]
    mask = np.ones((rows, length), bool)
    if case["mask"]:
        mask[:, 1:] = np.arange(1, length) < rng.integers(1, length + 1, size=(rows, 1))
    batch = {"batch_size": ROWS} if case["static_batch"] else {}

    def vectors(*shape):
        return np.round(rng.normal(size=(rows, *shape)) * 16) / 16

    def symbols():
        return np.where(mask, rng.integers(0, 3, size=mask.shape), -1).astype("int32")

    def argument(*shape, dtype=None):
        return keras.Input(shape, dtype=dtype, **batch)

    if kind in ("Seq2SeqLSTM", "NextSymbolRNN"):
        alphabet = baselines.Symbols(3)
        if kind == "Seq2SeqLSTM":
            model = baselines.Seq2SeqLSTM(alphabet, alphabet, units=2, num_layers=1)
        else:
            cell = baselines.StackRNNCell(2, num_stacks=1, stack_depth=None)
            model = baselines.NextSymbolRNN(cell, alphabet, alphabet)
        x, y = symbols(), rng.integers(0, 3, size=(rows, length)).astype("int32")
        model(x[:ROWS], targets=y[:ROWS])
        return _Sparse(keras, model), x, y, None
    if kind == "NeuralGPU":
        inputs, x = argument(case["time"], dtype="int32"), symbols()
        outputs = layers.Dense(1)(NeuralGPU(3, 2, width=2, num_layers=1, relaxation=2)(inputs))
        return keras.Model(inputs, outputs), x, vectors(length, 1), None
    if kind == "CGRU":
        inputs, x = argument(case["time"], 2, 2), vectors(length, 2, 2)
        return keras.Model(inputs, CGRU(2)(inputs)), x, vectors(length, 2, 2), None
    if kind == "PonderNet":
        inputs, x = argument(FEATURES), vectors(FEATURES)
        head = keras.Sequential([layers.BatchNormalization(), layers.Dense(1)])
        layer = PonderNet(layers.GRUCell(2), head, max_ponder=3)
        return PonderNetModel(inputs, layer(inputs), beta=0.25), x, vectors(1), None
    x = np.where(mask[..., None], vectors(length, FEATURES), 0.0)
    inputs = argument(case["time"], FEATURES)
    hidden = layers.Masking()(inputs) if case["mask"] else inputs
    memory = Memory(2, hidden_units=2)
    if kind == "HAM":
        # Turns that are given; what is written is read again. SEARCH is trained by REINFORCE alone.
        memory.search.trainable = False
        layer = HAM(2, layers.GRUCell(2), memory, 2, num_leaves=8)
        turns = argument(case["time"] and 2 * case["time"], 3, dtype="int32")
        path = np.zeros((rows, 2 * length, 3), "int32")
        path[..., 2] = rng.integers(0, 2, size=path.shape[:2])
        outputs = layer(hidden, path=turns)
        return keras.Model([inputs, turns], outputs), [x, path], vectors(length, 2), None
    if kind == "DHAM":
        outputs = DHAM(2, layers.GRUCell(2), memory, 2, num_leaves=8)(hidden)
        return keras.Model(inputs, outputs), x, vectors(length, 2), None
    if kind == "StackRNN":
        outputs = StackRNN(UNITS, num_stacks=1, return_sequences=True)(hidden)
        return keras.Model(inputs, outputs), x, vectors(length, UNITS), None
    if kind == "Recall":
        model = RecallModel(inputs, Recall(3, 1, steps=3)(hidden))
        # Each backend draws other numbers.
        model._draw = lambda: (1, 2)
        return model, x, vectors(length, 1), None
    if kind == "BahdanauAttention":
        outputs, _ = BahdanauAttention(2)(layers.GRU(2)(hidden), hidden)
        return keras.Model(inputs, outputs), x, vectors(FEATURES), None
    if kind == "AttentionCell":
        cell = AttentionCell(layers.GRUCell(2), BahdanauAttention(2))
        outputs = ACTRNN(cell, halting_bias=-1.0, max_ponder=3)(hidden, memory=hidden)
        return keras.Model(inputs, outputs), x, vectors(2), None
    both = layers.Bidirectional(ACTRNN(layers.LSTMCell(2), halting_bias=-1.0, max_ponder=4))
    return keras.Model(inputs, both(hidden)), x, vectors(2 * UNITS), None


class _Sparse:
    """A model that is compiled with the loss of symbols, whatever it is told."""

    def __init__(self, keras, model):
        self.model = model

    def compile(self, optimizer, loss, **options):
        self.model.compile(optimizer, "sparse_categorical_crossentropy", **options)

    def __getattr__(self, name):
        return getattr(self.model, name)


MAKERS = {"ACTRNN": _actrnn}


def train_in_another_process(cases, backend, folder):
    """The weights of each case on another backend of Keras."""
    folder, root = Path(folder), Path(__file__).parents[1]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.json").write_text(json.dumps(cases))
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(root)]),
    }
    command = [sys.executable, __file__, str(folder / "cases.json"), str(folder)]
    subprocess.run(command, env=environment, check=True, timeout=3600)
    found = []
    for number in range(len(cases)):
        with np.load(folder / f"{number}.npz") as arrays:
            found.append([arrays[f"arr_{i}"] for i in range(len(arrays))])
    return found


eagerly_trained = functools.cache(lambda text: trained(json.loads(text), "eager"))


def assert_same(case, found, wanted, tolerance=None):
    tolerance = tolerance or TOLERANCE[case["dtype"]]
    assert len(found) == len(wanted)
    for number, (one, other) in enumerate(zip(found, wanted)):
        message = f"weight {number} of {name_of(case)}"
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance, err_msg=message)


def check(case):
    """One case on TensorFlow, run eagerly, as it asks for, and by the equations."""
    eager = eagerly_trained(json.dumps(case))
    if case["layer"] == "ACTRNN" and case["dtype"] != "mixed_bfloat16":
        assert_same(case, eager, expected(case)[0])
    if case["way"] != "jax":
        assert_same(case, trained(case), eager)


def check_on(backend, cases, folder):
    """Some cases in a process with another backend."""
    found = train_in_another_process(cases, backend, folder)
    for case, weights in zip(cases, found, strict=True):
        # There Keras computes some functions, such as tanh, in float32 even when asked for more.
        kind = "float32" if case["dtype"] == "float64" else case["dtype"]
        assert_same(case, weights, eagerly_trained(json.dumps(case)), TOLERANCE[kind])


def main(path, folder):
    import warnings

    warnings.filterwarnings("error", message="Gradients do not exist")
    if os.environ["KERAS_BACKEND"] == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    for number, case in enumerate(json.loads(Path(path).read_text())):
        arrays = trained(case, way=os.environ["KERAS_BACKEND"])
        np.savez(Path(folder) / f"{number}.npz", *arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
