"""HAM, DHAM and ReinforceModel: the same numbers on TensorFlow and JAX, those of the equations."""

import functools

import numpy as np
import pytest

import ham_on_every_backend
import other_backend
from known_ham import expected, expected_loss, expected_slopes, outputs_of


def on(backend, function, *arguments):
    """What a function of `ham_on_every_backend` returns; TensorFlow is this process's own."""
    if backend == "tensorflow":
        return getattr(ham_on_every_backend, function)(*arguments)
    return other_backend.call(backend, "ham_on_every_backend", function, *arguments)


@functools.cache
def equations(case):
    """Outputs of each sequence, the loss, and its slopes along some ways, by the equations."""
    known = layer, _, sequences, _ = ham_on_every_backend.known(case)
    runs = expected(*known)
    outputs = [outputs_of(layer, x, run[0]) for x, run in zip(sequences, runs)]
    return outputs, expected_loss(*known), *expected_slopes(*known)


# test_ham.py compares more of them with the equations on TensorFlow.
@pytest.mark.parametrize("backend", [pytest.param("tensorflow", marks=pytest.mark.slow), "jax"])
@pytest.mark.parametrize(
    "case", ["LSTM+HAM", pytest.param("raw HAM", marks=pytest.mark.slow), "DHAM"]
)
def test_values_and_gradients_are_those_of_the_equations(backend, case):
    outputs, loss, ways, slopes = equations(case)
    found_loss, found_outputs, gradients = on(backend, "compute", case)
    for row, right in enumerate(outputs):
        np.testing.assert_allclose(found_outputs[row], right, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found_loss, loss, rtol=1e-4)
    found = [np.sum(gradient * way) for gradient, way in zip(gradients, ways, strict=True)]
    np.testing.assert_allclose(found, slopes, rtol=0, atol=1e-4 * np.max(np.abs(slopes)))


def test_training_is_the_same():
    found, of_tensorflow = on("jax", "trained"), on("tensorflow", "trained")
    assert found.keys() == of_tensorflow.keys()
    assert {"history/reward", "history/baseline_error"} <= set(found)
    assert found["entropy_bonus"] == np.float32(0.025) and found["drawn anew"]
    for name, value in found.items():
        np.testing.assert_allclose(value, of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name)
