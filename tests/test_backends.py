"""Every backend of Keras gives the same numbers: TensorFlow's, and those of the equations."""

import functools
import importlib.util

import numpy as np
import pytest

import known_neural_gpu
import on_every_backend
import references
import references_attention
from known_automata import AUTOMATA
from known_layers import CELLS, TAU
from known_neural_gpu import VARIANTS
from on_every_backend import MAX_PONDER

here = functools.cache(on_every_backend.compute)


@pytest.fixture(scope="module", params=["tensorflow", "jax", "torch"])
def results(request, tmp_path_factory):
    """The results of one backend; TensorFlow is this process's own."""
    if request.param == "tensorflow":
        return here()
    # Not importorskip: TensorFlow and PyTorch had better not meet in one process.
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    return on_every_backend.compute_in_another_process(request.param, folder)


def below(folder, results):
    """What is named folder/…"""
    names = [name for name in results if name.startswith(f"{folder}/")]
    return {name.removeprefix(f"{folder}/"): results[name] for name in names}


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


@pytest.mark.parametrize("cell", CELLS)
def test_values_and_gradients_are_those_of_the_equations(results, cell):
    expected, gradients = expected_of_act(cell)
    assert expected.N.max() == MAX_PONDER and len(set(expected.N.ravel())) >= 4
    assert_as_expected(below(cell, results), expected, gradients)


def test_a_cell_that_reads_is_that_of_the_equations(results):
    expected, gradients = expected_of_attention()
    assert len(set(expected.N.ravel())) >= 3
    assert_as_expected(below("attention", results), expected, gradients)


def assert_as_expected(found, expected, gradients):
    tolerance, of_gradient = tolerances(found["y"])
    np.testing.assert_array_equal(found["N"], expected.N)
    for name in ("R", "y", "loss"):
        wanted = getattr(expected, name)
        np.testing.assert_allclose(found[name], wanted, rtol=tolerance, atol=tolerance)
    for i, state in enumerate(expected.s):
        np.testing.assert_allclose(found[f"s{i}"], state, rtol=0, atol=tolerance)
    assert_gradients(found, gradients, of_gradient)


@pytest.mark.parametrize("variant", VARIANTS)
def test_neural_gpus_are_those_of_the_equations(results, variant):
    images, loss, gradients = expected_of_neural_gpu(variant)
    found = below(variant, results)
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


@pytest.mark.parametrize("name", AUTOMATA)
def test_automata_do_what_they_shall(results, name):
    for answer, sequence in zip(results[f"automaton/{name}"], known_neural_gpu.examples([17, 40])):
        np.testing.assert_array_equal(answer[: len(sequence)], AUTOMATA[name][1](sequence))


def test_training_is_the_same(results):
    of_tensorflow = here()
    assert results.keys() == of_tensorflow.keys()
    names = [name for name in results if name.startswith("fit/")]
    assert {"fit/history/time_penalty", "fit/history/ponder_steps"} <= set(names)
    for name in names:
        np.testing.assert_allclose(
            results[name], of_tensorflow[name], rtol=1e-3, atol=1e-4, err_msg=name
        )


@pytest.mark.parametrize("result", ["outputs", "loss"])
def test_mask_of_a_layer_before_counts_beside_an_initial_state(results, result):
    attached, given, without = (
        below("masks", results)[f"{result}/{way}"] for way in ("attached", "given", "without")
    )
    np.testing.assert_allclose(attached, given, rtol=1e-5)
    assert np.max(np.abs(attached - without)) > 1e-2
