"""What `fit` trains is what the equations say, on every path that users take.

The weights after two steps of gradient descent: run eagerly, in a graph, by XLA, on JAX and on
torch, and by the equations in NumPy. A gradient that is missing or wrong anywhere fails here.
"""

import numpy as np
import pytest
from training_choices import OF_ACTRNN, covering, is_possible, name_of, pairs_of

import drawn_trainings
import training_cases
from training_cases import check, settled

pytestmark = pytest.mark.usefixtures("optimized")  # The path of users.
SAMPLE = [settled(case) for case in covering(OF_ACTRNN)]


@pytest.mark.parametrize("case", [case for case in SAMPLE if case["way"] != "jax"], ids=name_of)
def test_actrnn_trains_as_the_equations_say(case):
    check(case)


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("case", [case for case in SAMPLE if case["way"] == "jax"], ids=name_of)
def test_other_backends_train_as_tensorflow_does(backend, case):
    check(case, backend)


def test_a_weight_that_is_not_a_number_is_far_from_all(monkeypatch):
    """Also behind one that is right."""
    case = next(case for case in SAMPLE if case["way"] == "xla")
    right, wrong = [np.zeros(2), np.zeros(2)], [np.zeros(2), np.array([0.0, np.nan])]
    monkeypatch.setattr(training_cases, "eagerly_trained", lambda text: right)
    monkeypatch.setattr(training_cases, "expected", lambda case: (right, None))
    monkeypatch.setattr(training_cases, "trained", lambda case, way: wrong)
    with pytest.raises(AssertionError, match="inf apart"):
        check(case)


def test_the_sample_covers_all_pairs():
    met = {frozenset(pair) for case in SAMPLE for pair in pairs_of({**case, "seed": None})}
    for a, of_a in OF_ACTRNN.items():
        for b, of_b in OF_ACTRNN.items():
            for x in of_a:
                for y in of_b:
                    if a < b and is_possible({a: x, b: y}):
                        assert frozenset({(a, x), (b, y)}) in met


# `python tests/drawn_trainings.py 1000 FILE` tries many more.
@pytest.mark.slow
def test_drawn_cases(tmp_path):
    record = drawn_trainings.run(tmp_path / "record.json", 30)
    assert record["agreed"] == record["cases"] == 30, drawn_trainings.describe(record)


def test_a_record_of_drawn_cases_goes_on(tmp_path, monkeypatch):
    """Cases are the same as without an interruption, and those that do not agree are listed."""
    seen = []

    def differences(case):
        seen.append(case)
        if len(seen) == 3:
            raise RuntimeError("no gradient")
        return {"equations": (1e-7 * len(seen), 1e-5), "xla": (1.0 * (len(seen) == 2), 1e-5)}

    monkeypatch.setattr(training_cases, "differences", differences)
    monkeypatch.setattr(drawn_trainings, "_cpu_seconds", lambda: 0.0)
    drawn_trainings.run(tmp_path / "record.json", 2, seed=5)
    record = drawn_trainings.run(tmp_path / "record.json", 4)
    assert seen == [drawn_trainings.case_of(5, number) for number in range(4)]
    assert (record["cases"], record["agreed"]) == (4, 2)
    assert [(row["number"], row["error"]) for row in record["disagreed"]] == [
        (1, None),
        (2, "RuntimeError: no gradient"),
    ]
    assert sum(row["cases"] for row in record["compared"].values()) == 6
    assert "case 1 does not" in drawn_trainings.describe(record)
    with pytest.raises(ValueError, match=r"cases of the seed 5\. Received: seed=6"):
        drawn_trainings.run(tmp_path / "record.json", 5, seed=6)
