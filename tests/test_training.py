"""What `fit` trains is what the equations say, on every path that users take.

The weights after two steps of gradient descent: run eagerly, in a graph, by XLA, on JAX and on
torch, and by the equations in NumPy. A gradient that is missing or wrong anywhere fails here.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from training_choices import OF_ACTRNN, covering, draw, is_possible, name_of, pairs_of

from training_cases import check, check_on, eagerly_trained, settled

pytestmark = pytest.mark.usefixtures("optimized")  # The path of users.
SAMPLE = [settled(case) for case in covering(OF_ACTRNN)]


@pytest.mark.parametrize("case", SAMPLE, ids=name_of)
def test_actrnn_trains_as_the_equations_say(case):
    check(case)


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("case", [case for case in SAMPLE if case["way"] == "jax"], ids=name_of)
def test_other_backends_train_as_tensorflow_does(backend, case):
    check_on(backend, case)


def test_the_sample_covers_all_pairs():
    met = {frozenset(pair) for case in SAMPLE for pair in pairs_of({**case, "seed": None})}
    for a, of_a in OF_ACTRNN.items():
        for b, of_b in OF_ACTRNN.items():
            for x in of_a:
                for y in of_b:
                    if a < b and is_possible({a: x, b: y}):
                        assert frozenset({(a, x), (b, y)}) in met


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
        some = min(20, count - kept["passed"])
        cases = [settled(draw(drawn)) for _ in range(some)]
        eagerly_trained.cache_clear()
        for case in cases:
            check(case)
            if case["way"] == "jax":
                check_on("jax", case)
        kept["passed"] += len(cases)
        state.write_text(json.dumps(kept))
