"""Baselines: values, gradients and what is generated are those of the slow references."""

import functools

import numpy as np
import pytest

import baselines_on_every_backend as baselines
import graphs
import other_backend
import references_baselines
from references import central_differences

every_case = pytest.mark.parametrize("name", baselines.CASES)
# On TensorFlow they take far longer to trace than to compute; test_baselines.py exports graphs.
WAYS = {
    "tensorflow": ("tensorflow", True),
    "tensorflow, in graphs": pytest.param(("tensorflow", False), marks=pytest.mark.slow),
    "jax": ("jax", False),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@functools.cache
def computed(way, function, *arguments):
    """What a function of `baselines_on_every_backend` returns on a backend, run eagerly or not."""
    backend, eagerly = way
    if backend != "tensorflow":
        return other_backend.call(backend, "baselines_on_every_backend", function, *arguments)
    with graphs.functions(run_eagerly=eagerly):
        return getattr(baselines, function)(*arguments)


@functools.cache
def expected(name):
    """Loss and gradients of the reference."""
    _, weights = baselines.known(name)
    xs, ys = baselines.vectors(name)

    def loss(*weights):
        network = baselines.CASES[name].network(weights)
        return references_baselines.loss(network, xs, ys, baselines.LENGTHS)

    return loss(*weights), central_differences(loss, weights)


@every_way
@every_case
def test_values_and_gradients(way, name):
    loss, gradients = expected(name)
    found_loss, found, _ = computed(way, "compute", name)
    in_double = found_loss.dtype == "float64"
    np.testing.assert_allclose(found_loss, loss, rtol=1e-10 if in_double else 1e-5)
    tolerance = (1e-6 if in_double else 1e-4) * max(np.max(np.abs(g)) for g in gradients)
    for one, gradient in zip(found, gradients, strict=True):
        assert np.any(gradient)
        np.testing.assert_allclose(one, gradient, rtol=0, atol=tolerance)


@every_way
@every_case
def test_generation(way, name):
    model, weights = baselines.known(name)
    network, target = baselines.CASES[name].network(weights), model.target
    (*_, found), lengths = computed(way, "compute", name), set()
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


@pytest.mark.slow
def test_training_is_the_same():
    found = computed(("jax", False), "trained")
    of_tensorflow = computed(("tensorflow", False), "trained")
    assert found.keys() == of_tensorflow.keys()
    for name, value in found.items():
        np.testing.assert_allclose(value, of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name)
