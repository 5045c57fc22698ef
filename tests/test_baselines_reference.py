"""Baselines: values, gradients and what is generated are those of the slow references."""

import functools

import numpy as np
import pytest

import baselines_on_every_backend as baselines
import references_baselines
from references import central_differences

here = functools.cache(baselines.compute)


@pytest.fixture(scope="module", params=["tensorflow", "jax"])
def results(request, tmp_path_factory):
    """The results of one backend; TensorFlow is this process's own."""
    if request.param == "tensorflow":
        return here()
    pytest.importorskip(request.param)
    folder = tmp_path_factory.mktemp(request.param)
    return baselines.compute_in_another_process(request.param, folder)


@functools.cache
def expected(name):
    """Loss and gradients of the reference."""
    _, weights = baselines.known(name)
    xs, ys = baselines.vectors(name)

    def loss(*weights):
        network = baselines.CASES[name].network(weights)
        return references_baselines.loss(network, xs, ys, baselines.LENGTHS)

    return loss(*weights), central_differences(loss, weights)


@pytest.mark.parametrize("name", baselines.CASES)
def test_values_and_gradients(results, name):
    loss, gradients = expected(name)
    in_double = results[f"{name}/loss"].dtype == "float64"
    np.testing.assert_allclose(results[f"{name}/loss"], loss, rtol=1e-10 if in_double else 1e-5)
    tolerance = (1e-6 if in_double else 1e-4) * max(np.max(np.abs(g)) for g in gradients)
    for i, gradient in enumerate(gradients):
        assert np.any(gradient)
        found = results[f"{name}/gradient{i}"]
        np.testing.assert_allclose(found, gradient, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", baselines.CASES)
def test_generation(results, name):
    model, weights = baselines.known(name)
    network, target = baselines.CASES[name].network(weights), model.target
    found, lengths = results[f"{name}/generated"], set()
    for i, x in enumerate(baselines.vectors(name)[0]):
        wanted = references_baselines.generate(
            network,
            x,
            cap=2 * len(x) + 1,
            width=target.width,
            choose=lambda p: np.array(target.vectors(target.choose(p), "float64")),
            ends=lambda y: y[target.end] > 0.5,
        )
        n = len(wanted)
        np.testing.assert_allclose(found[i, :n], wanted, rtol=0, atol=1e-5)
        rest = np.broadcast_to(target.after_end(), (len(found[i]) - n, target.width))
        np.testing.assert_array_equal(found[i, n:], rest)
        lengths.add(n)
    assert len(lengths) > 2 and 1 in lengths and found.shape[1] == 2 * baselines.LENGTH + 1


def test_training_is_the_same(results):
    of_tensorflow = here()
    assert results.keys() == of_tensorflow.keys()
    for name in [name for name in results if name.startswith("fit/")]:
        np.testing.assert_allclose(
            results[name], of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name
        )
