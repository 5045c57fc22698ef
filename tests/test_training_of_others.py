"""As test_training.py, of the other layers; a file of its own, for a process of its own."""

import importlib.util

import pytest

from training_cases import FEW_OF_OTHERS, check, check_on, covering, name_of

SAMPLE = covering(FEW_OF_OTHERS)


@pytest.mark.parametrize("case", SAMPLE, ids=name_of)
def test_layers_train_as_they_do_eagerly(case):
    check(case)


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_other_backends_train_as_tensorflow_does(backend, tmp_path):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    check_on(backend, [case for case in SAMPLE if case["way"] == "jax"], tmp_path)
