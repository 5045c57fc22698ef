"""HAM, DHAM and ReinforceModel: the same numbers on TensorFlow and JAX, those of the equations."""

import functools

import numpy as np
import pytest

import ham_on_every_backend
from ham_on_every_backend import CASES
from known_ham import expected, expected_loss, expected_slopes, outputs_of

here = functools.cache(ham_on_every_backend.compute)


@pytest.fixture(scope="module", params=["tensorflow", "jax"])
def results(request, tmp_path_factory):
    """The results of one backend; TensorFlow is this process's own."""
    if request.param == "tensorflow":
        return here()
    pytest.importorskip("jax")
    folder = tmp_path_factory.mktemp(request.param)
    return ham_on_every_backend.compute_in_another_process(request.param, folder)


@functools.cache
def equations(case):
    """Outputs of each sequence, the loss, and its slopes along some ways, by the equations."""
    known = layer, _, sequences, _ = ham_on_every_backend.known(case)
    runs = expected(*known)
    outputs = [outputs_of(layer, x, run[0]) for x, run in zip(sequences, runs)]
    return outputs, expected_loss(*known), *expected_slopes(*known)


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_the_equations(results, case):
    outputs, loss, ways, slopes = equations(case)
    for row, right in enumerate(outputs):
        np.testing.assert_allclose(results[f"{case}/outputs"][row], right, rtol=0, atol=1e-5)
    np.testing.assert_allclose(results[f"{case}/loss"], loss, rtol=1e-4)
    gradients = [results[f"{case}/gradient{i}"] for i in range(len(ways))]
    found = [np.sum(gradient * way) for gradient, way in zip(gradients, ways)]
    np.testing.assert_allclose(found, slopes, rtol=0, atol=1e-4 * np.max(np.abs(slopes)))


def test_training_is_the_same(results):
    of_tensorflow = here()
    assert results.keys() == of_tensorflow.keys()
    names = [name for name in results if name.startswith("fit/")]
    assert {"fit/history/reward", "fit/history/baseline_error"} <= set(names)
    assert results["fit/entropy_bonus"] == np.float32(0.025) and results["fit/drawn anew"]
    for name in names:
        np.testing.assert_allclose(
            results[name], of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name
        )
