"""Every backend of Keras gives the same numbers: TensorFlow's, and those of the equations."""

import functools

import numpy as np
import pytest

import known_neural_gpu
import on_every_backend
import other_backend
import references
import references_attention
from known_automata import AUTOMATA
from known_layers import CELLS, TAU
from known_neural_gpu import VARIANTS
from on_every_backend import MAX_PONDER

on_other_backends = pytest.mark.parametrize("backend", ["jax", "torch"])
# Slow, because other tests compare the same with the equations on TensorFlow.
on_every = pytest.mark.parametrize(
    "backend", [pytest.param("tensorflow", marks=pytest.mark.slow), "jax", "torch"]
)


@functools.cache
def computed(backend, name):
    """The results of one backend; TensorFlow is this process's own."""
    if backend == "tensorflow":
        return on_every_backend.compute(name)
    return other_backend.call(backend, "on_every_backend", "compute", name)


def some_of(names, *quick):
    """Those that the suite has; the rest is slow."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def tolerances(array):
    """Of values and, relative to the largest, of gradients."""
    return (1e-10, 1e-6) if array.dtype == "float64" else (1e-5, 1e-4)


def assert_gradients(found, gradients, tolerance):
    scale = max(np.max(np.abs(gradient)) for gradient in gradients)
    for i, gradient in enumerate(gradients):
        np.testing.assert_allclose(found[f"gradient{i}"], gradient, rtol=0, atol=tolerance * scale)


# What the equations say is the same for all backends, and takes seconds.
@functools.cache
def expected_of_act(cell):
    _, weights, x, mask = on_every_backend.known(cell)
    options = MAX_PONDER, 0.01, TAU, mask
    gradients = references.act_gradients(cell, weights, x, *options)
    return references.act_batch(cell, weights, x, *options), gradients


@functools.cache
def expected_of_attention():
    _, weights, x, mask = on_every_backend.known_attention()
    options = MAX_PONDER, 0.01, TAU, mask, mask
    *gradients, of_x, of_memory = references_attention.act_gradients(
        "LSTMCell", weights, x, x, *options
    )
    expected = references_attention.act_batch("LSTMCell", weights, x, x, *options)
    return expected, [*gradients, of_x + of_memory]


@functools.cache
def expected_of_neural_gpu(variant):
    """Images, the loss and its gradients."""
    layer, weights, sequences = on_every_backend.known_neural_gpu(variant)
    images, loss = known_neural_gpu.expected(layer, weights, sequences)
    return images, loss, known_neural_gpu.expected_gradients(layer, weights, sequences)


# test_training.py trains all cells.
@on_every
@pytest.mark.parametrize("cell", some_of(CELLS, "LSTMCell"))
def test_values_and_gradients_are_those_of_the_equations(backend, cell):
    expected, gradients = expected_of_act(cell)
    assert expected.N.max() == MAX_PONDER and len(set(expected.N.ravel())) >= 4
    assert_as_expected(computed(backend, cell), expected, gradients)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_steps_that_jax_takes_again_for_the_gradient(steps):
    whole = computed("jax", "LSTMCell")
    assert whole["N"].max() == MAX_PONDER > 2 * steps
    found = other_backend.call("jax", "on_every_backend", "with_chunks", "LSTMCell", steps)
    for name, value in whole.items():
        np.testing.assert_allclose(found[name], value, atol=1e-5 * np.max(np.abs(value)))


def test_steps_are_taken_again_with_64_bits_too():
    whole = computed("jax", "LSTMCell")
    found = other_backend.call("jax", "on_every_backend", "with_64_bits", "LSTMCell")
    for name, value in whole.items():
        np.testing.assert_allclose(found[name], value, atol=1e-5 * np.max(np.abs(value)))


def test_what_jax_keeps_for_the_gradient_does_not_grow_with_the_limit():
    at_20, at_100 = (
        other_backend.call("jax", "on_every_backend", "bytes_for_the_gradient", max_ponder)
        for max_ponder in (20, 100)
    )
    assert at_100 == at_20


@on_every
def test_a_cell_that_reads_is_that_of_the_equations(backend):
    expected, gradients = expected_of_attention()
    assert len(set(expected.N.ravel())) >= 3
    assert_as_expected(computed(backend, "attention"), expected, gradients)


def assert_as_expected(found, expected, gradients):
    tolerance, of_gradient = tolerances(found["y"])
    np.testing.assert_array_equal(found["N"], expected.N)
    for name in ("R", "y", "loss"):
        wanted = getattr(expected, name)
        np.testing.assert_allclose(found[name], wanted, rtol=tolerance, atol=tolerance)
    for i, state in enumerate(expected.s):
        np.testing.assert_allclose(found[f"s{i}"], state, rtol=0, atol=tolerance)
    assert_gradients(found, gradients, of_gradient)


@on_every
@pytest.mark.parametrize("variant", some_of(VARIANTS, "the paper's"))
def test_neural_gpus_are_those_of_the_equations(backend, variant):
    images, loss, gradients = expected_of_neural_gpu(variant)
    found = computed(backend, variant)
    tolerance, of_gradient = tolerances(found["column"])
    for row, image in enumerate(images):
        steps, n = image.shape[:2]
        of_row = found["images"][row]
        np.testing.assert_allclose(of_row[:steps, :n], image, rtol=0, atol=tolerance)
        np.testing.assert_array_equal(of_row[steps:], of_row[-1:].repeat(len(of_row) - steps, 0))
        np.testing.assert_array_equal(of_row[:, n:], 0)
    np.testing.assert_array_equal(found["column"], found["images"][:, -1, :, 0])
    np.testing.assert_allclose(found["loss"], loss, rtol=tolerance)
    assert_gradients(found, gradients, of_gradient)


@on_every
@pytest.mark.parametrize("name", AUTOMATA)
def test_automata_do_what_they_shall(backend, name):
    answers = computed(backend, "automata")[name]
    for answer, sequence in zip(answers, known_neural_gpu.examples([17, 40])):
        np.testing.assert_array_equal(answer[: len(sequence)], AUTOMATA[name][1](sequence))


@on_other_backends
def test_training_is_the_same(backend):
    found, of_tensorflow = computed(backend, "fit"), computed("tensorflow", "fit")
    assert found.keys() == of_tensorflow.keys()
    assert {"history/time_penalty", "history/ponder_steps"} <= set(found)
    for name, value in found.items():
        np.testing.assert_allclose(value, of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name)


@on_every
@pytest.mark.parametrize("result", ["outputs", "loss"])
def test_mask_of_a_layer_before_counts_beside_an_initial_state(backend, result):
    found = computed(backend, "masks")
    ways = ("attached", "given", "without")
    attached, given, without = (found[f"{result}/{way}"] for way in ways)
    np.testing.assert_allclose(attached, given, rtol=1e-5)
    assert np.max(np.abs(attached - without)) > 1e-2
