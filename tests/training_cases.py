"""Cases of training: what `fit` makes of the weights of a layer in two steps, on any backend."""

import contextlib
import functools
import json
import warnings

import numpy as np
from training_choices import EPSILON, RATE, ROWS, TAU, TOLERANCE, cells_of, name_of, numbers
from training_models import model_of

import other_backend


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
        model, x, y, weights = model_of(keras, case)
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


def trained_there(case):
    """The weights of a case, in a process with another backend of Keras than TensorFlow."""
    with _float64(case["dtype"] == "float64"), warnings.catch_warnings():
        warnings.filterwarnings("error", message="Gradients do not exist")
        return trained(case, way="default")


@contextlib.contextmanager
def _float64(allowed):
    """Whether JAX has numbers of 64 bits."""
    import keras

    if keras.config.backend() != "jax":
        yield
        return
    import jax

    jax.config.update("jax_enable_x64", allowed)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", False)


eagerly_trained = functools.cache(lambda text: trained(json.loads(text), "eager"))


def differences(case, way=None):
    """How far the weights of an eager `fit` on TensorFlow are from those of other trainings.

    Args:
        way: as in the case, if not given; or another backend.

    Returns:
        A dict: from `"equations"` and the way to the largest difference and the largest allowed.
    """
    way = way or case["way"]
    eager, allowed, found = eagerly_trained(json.dumps(case)), TOLERANCE[case["dtype"]], {}
    if case["layer"] == "ACTRNN" and case["dtype"] != "mixed_bfloat16":
        found["equations"] = _apart(expected(case)[0], eager), allowed
    if way in ("default", "xla"):
        found[way] = _apart(trained(case, way), eager), allowed
    else:
        weights = other_backend.call(way, "training_cases", "trained_there", case)
        # There Keras computes some functions, such as tanh, in float32 even when asked for more.
        found[way] = _apart(weights, eager), max(allowed, TOLERANCE["float32"])
    return found


def _apart(found, wanted):
    """The largest difference between two lists of weights; infinite if one is not finite."""
    assert [one.shape for one in found] == [one.shape for one in wanted]
    # Not Python's max, which loses what is not a number.
    largest = np.max([np.max(np.abs(a - b)) for a, b in zip(found, wanted)])
    return float(np.nan_to_num(largest, nan=np.inf))


def check(case, way=None):
    """Fails if one of `differences` is too large."""
    for what, (difference, allowed) in differences(case, way).items():
        message = f"{what}: weights of {name_of(case)} are {difference} apart"
        assert difference <= allowed, message
