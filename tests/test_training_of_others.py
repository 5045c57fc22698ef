"""As test_training.py, of the other layers; a file of its own, for a process of its own."""

import pytest
from training_choices import FEW_OF_OTHERS, covering, name_of

from training_cases import check

SAMPLE = covering(FEW_OF_OTHERS)


@pytest.mark.parametrize("case", [case for case in SAMPLE if case["way"] != "jax"], ids=name_of)
def test_layers_train_as_they_do_eagerly(case):
    check(case)


# The others are trained on JAX and torch by test_backends.py, test_ham_backends.py and
# test_baselines_reference.py, which compare what `fit` makes of them with the equations.
ELSEWHERE = ("NeuralGPU", "CGRU", "HAM", "DHAM", "StackRNN", "Seq2SeqLSTM", "NextSymbolRNN")


ON_JAX = [
    pytest.param(case, marks=pytest.mark.slow) if case["layer"] in ELSEWHERE else case
    for case in SAMPLE
    if case["way"] == "jax"
]


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("case", ON_JAX, ids=name_of)
def test_other_backends_train_as_tensorflow_does(backend, case):
    check(case, backend)
