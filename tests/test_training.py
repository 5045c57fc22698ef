"""What `fit` trains is what the equations say, on every path that users take.

The weights after two steps of gradient descent: run eagerly, in a graph, by XLA, on JAX and on
torch, and by the equations in NumPy. A gradient that is missing or wrong anywhere fails here.
"""

import functools
import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

import training_cases
from training_cases import OF_ACTRNN, OF_OTHERS, TOLERANCE, covering, name_of, settled, trained

SAMPLE = [settled(case) for case in covering(OF_ACTRNN)]
OTHERS = covering(OF_OTHERS)


def in_sample(way):
    return [case for case in [*SAMPLE, *OTHERS] if case["way"] == way]


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
        assert_same(case, eager, training_cases.expected(case)[0])
    if case["way"] != "jax":
        assert_same(case, trained(case), eager)


@pytest.mark.parametrize("case", SAMPLE, ids=name_of)
def test_actrnn_trains_as_the_equations_say(case):
    check(case)


@pytest.mark.parametrize("case", OTHERS, ids=name_of)
def test_other_layers_train_as_they_do_eagerly(case):
    check(case)


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_other_backends_train_as_tensorflow_does(backend, tmp_path):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    check_on(backend, in_sample("jax"), tmp_path)


def check_on(backend, cases, folder):
    found = training_cases.train_in_another_process(cases, backend, folder)
    for case, weights in zip(cases, found, strict=True):
        # On JAX Keras computes some functions, such as tanh, in float32 even when asked for more.
        tolerance = (
            max(TOLERANCE[case["dtype"]], TOLERANCE["float32"]) if backend == "jax" else None
        )
        assert_same(case, weights, eagerly_trained(json.dumps(case)), tolerance)


def test_the_sample_covers_all_pairs():
    for choices, cases in ((OF_ACTRNN, SAMPLE), (OF_OTHERS, OTHERS)):
        met = {frozenset(pair) for case in cases for pair in pairs_without_seed(case)}
        for a, of_a in choices.items():
            for b, of_b in choices.items():
                for x in of_a:
                    for y in of_b:
                        if a < b and training_cases.is_possible({a: x, b: y}):
                            assert frozenset({(a, x), (b, y)}) in met


def pairs_without_seed(case):
    return training_cases.pairs_of({k: v for k, v in case.items() if k != "seed"})


@pytest.mark.slow
def test_a_thousand_cases(tmp_path):
    """Drawn anew each time. `TRAINING_CASES=FILE` keeps what passed, to go on later."""
    state = Path(os.environ.get("TRAINING_CASES", tmp_path / "cases.json"))
    count = int(os.environ.get("TRAINING_CASES_COUNT", 1000))
    kept = json.loads(state.read_text()) if state.exists() else {"passed": 0}
    kept.setdefault("seed", int(np.random.SeedSequence().generate_state(1)[0]))
    print(f"seed {kept['seed']}, {kept['passed']} passed before")
    while kept["passed"] < count:
        drawn = np.random.default_rng([kept["seed"], kept["passed"]])
        cases = [
            settled(training_cases.draw(drawn)) for _ in range(min(20, count - kept["passed"]))
        ]
        eagerly_trained.cache_clear()
        for case in cases:
            check(case)
        on_jax = [case for case in cases if case["way"] == "jax"]
        check_on("jax", on_jax, tmp_path / f"{kept['passed']}")
        kept["passed"] += len(cases)
        state.write_text(json.dumps(kept))
