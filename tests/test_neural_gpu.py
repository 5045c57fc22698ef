"""CGRU and NeuralGPU against the equations, in value and gradient; padding and masks."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from keras import ops

import references_neural_gpu as references
from keras_adaptive.layers import CGRU
from keras_adaptive.neural_gpu import cutoff_sigmoid, hard_sigmoid, hard_tanh, saturation
from known_neural_gpu import (
    VARIANTS,
    batch_of,
    cgru_parameters,
    examples,
    expected,
    expected_gradients,
    gate_of,
    neural_gpu_layer,
)


def values_and_gradients(layer, symbols, mask=None, training=True):
    """The loss of `known_neural_gpu.expected`, column and images, and the gradients."""
    with tf.GradientTape() as tape:
        column, images = layer(symbols, mask=mask, training=training, return_images=True)
        loss = ops.sum(column**2) + sum(ops.cast(one, column.dtype) for one in layer.losses)
    weights = [variable.value for variable in layer.trainable_variables]
    # The embedding's gradient is sparse.
    gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, weights)]
    return (loss, column, images), gradients


def assert_values(found, wanted, starts=None, tolerance=1e-10):
    """Each example's images stand at its place, are zero around it, and stay as they ended."""
    loss, column, images = found
    of_examples, wanted_loss = wanted
    np.testing.assert_array_equal(column, images[:, -1, :, 0])
    for row, of_example in enumerate(of_examples):
        steps, n = of_example.shape[:2]
        start = starts[row] if starts is not None else 0
        place = np.zeros(images.shape[1:])
        place[:steps, start : start + n] = of_example
        place[steps:, start : start + n] = of_example[-1]
        np.testing.assert_allclose(images[row], place, rtol=0, atol=tolerance)
    np.testing.assert_allclose(loss, wanted_loss, rtol=tolerance)


def assert_gradients(found, wanted, tolerance=1e-9):
    scale = max(np.max(np.abs(gradient)) for gradient in wanted)
    for gradient, one in zip(found, wanted, strict=True):
        np.testing.assert_allclose(gradient, one, rtol=0, atol=tolerance * scale)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_equals_the_equations(variant):
    """In eager mode; tests/test_backends.py has the same in graphs, and below are drawn sizes."""
    layer, weights = neural_gpu_layer(**variant)
    sequences = examples([3, 1])
    found, gradients = values_and_gradients(layer, batch_of(sequences)[0])
    assert_values(found, expected(layer, weights, sequences))
    assert_gradients(gradients, expected_gradients(layer, weights, sequences))


@settings(max_examples=12, phases=[Phase.generate])
@given(
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    margin=st.integers(0, 2),
    sizes=st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 3)),
    kernel_size=st.sampled_from([(1, 1), (3, 3), (5, 1), (1, 3), (3, 5)]),
    gates=st.sampled_from(
        [{}, {"gate_cutoff": False}, {"nonlinearity": "hard"}, {"diagonal": True}]
    ),
    steps=st.tuples(st.integers(1, 3), st.integers(1, 2)),
    explicit=st.booleans(),
    seed=st.integers(0, 99),
)
def test_equals_the_equations_for_any_sizes_and_masks(
    lengths, margin, sizes, kernel_size, gates, steps, explicit, seed
):
    maps, width, num_layers = sizes
    layer, weights = neural_gpu_layer(
        seed,
        maps=maps,
        width=width,
        num_layers=num_layers,
        kernel_size=kernel_size,
        saturation_cost=0.5,
        relaxation=steps[0],
        steps_multiplier=steps[1],
        **gates,
    )
    sequences = examples(lengths, seed)
    n = max(lengths) + margin
    starts = [np.random.default_rng(seed).integers(0, n - length + 1) for length in lengths]
    symbols, mask = batch_of(sequences, n, starts, padding=2 if explicit else -1)
    found, gradients = values_and_gradients(layer, symbols, mask if explicit else None)
    assert_values(found, expected(layer, weights, sequences), starts)
    # Every element of the gradient is a long wait here: its slope along one way instead.
    rng = np.random.default_rng(seed)
    ways = [rng.normal(size=weight.shape) for weight in weights]
    moved = [weight + 1e-30j * way for weight, way in zip(weights, ways)]
    slope = np.imag(expected(layer, moved, sequences)[1]) / 1e-30
    parts = [np.sum(gradient * way) for gradient, way in zip(gradients, ways)]
    np.testing.assert_allclose(sum(parts), slope, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", ["the paper's", "plain gates, kept steps", "relaxed"])
def test_gates_are_sharper_in_inference_alone(name):
    """In values and gradients; training does not know of it."""
    layer, weights = neural_gpu_layer(**VARIANTS[name], gate_sharpness=1.75)
    sequences = examples([3, 1])
    symbols, _ = batch_of(sequences)

    def expected_now(*weights):
        return expected(layer, weights, sequences, sharpness=1.75)

    found, gradients = values_and_gradients(layer, symbols, training=False)
    assert_values(found, expected_now(*weights))
    wanted = references.complex_steps(lambda *weights: expected_now(*weights)[1], weights)
    assert_gradients(gradients, wanted)
    found, _ = values_and_gradients(layer, symbols, training=True)
    assert_values(found, expected(layer, weights, sequences))
    cell = layer.cells[0]
    assert cell.gate_sharpness == 1.75
    image = np.random.default_rng(2).normal(size=(1, 3, layer.width, layer.maps))
    assert not np.allclose(cell(image), cell(image, training=True))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_one_step_of_a_cgru_alone(variant):
    arguments = {"maps": 3, "num_layers": 1, **variant}
    layer, weights = neural_gpu_layer(**arguments)
    cell = layer.cells[0]
    image = np.random.default_rng(2).normal(size=(2, 4, layer.width, layer.maps))
    mask = np.array([[1, 1, 1, 0], [0, 1, 1, 1]], bool)
    garbage = np.where(mask[:, :, None, None], image, np.nan)
    new = cell(garbage, mask=mask)
    of_cell = [w[0] if layer.cells[0].relaxation > 1 else w for w in weights[1:5]]
    costs = []
    for row, inside in enumerate(mask):
        wanted, cost = references.cgru(
            cgru_parameters(*of_cell),
            image[row][inside],
            gate_of(layer),
            layer.cells[0].diagonal,
        )
        np.testing.assert_allclose(new[row][inside], wanted, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(new[row][~inside], 0)
        costs.append(cost / 9)
    if layer.cells[0].saturation_cost:
        wanted = layer.cells[0].saturation_cost * np.mean(costs)
        np.testing.assert_allclose(sum(cell.losses), wanted, rtol=1e-6)
        assert wanted > 0
    else:
        assert cell.losses == []


def test_a_cgru_in_a_convolutional_model_takes_the_mask_of_the_layer_before():
    inputs = keras.Input((None, 3))
    mask = keras.layers.Masking().compute_mask(inputs)
    cell = CGRU(3)
    hidden = cell(keras.layers.Reshape((-1, 1, 3))(inputs), mask=mask)
    model = keras.Model(inputs, cell(hidden))
    x = np.random.default_rng(0).normal(size=(1, 5, 3)).astype("float32")
    padded = np.concatenate([x, np.zeros((1, 2, 3), "float32")], axis=1)
    alone, found = model(x), model(padded)
    np.testing.assert_allclose(found[:, :5], alone, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found[:, 5:], 0)


@pytest.mark.parametrize("graph", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["the paper's", "all at once"])
def test_alone_and_in_any_padded_batch(name, graph):
    """The sum of the single gradients is that of the batch; so is the loss, but for the mean."""
    arguments = {**VARIANTS[name], "saturation_cost": 0.0, "relaxation_pull": 0.0}
    layer, _ = neural_gpu_layer(**arguments)

    def run(symbols):
        return values_and_gradients(layer, symbols)

    if graph:
        run = tf.function(run, input_signature=[tf.TensorSpec((None, None), "int64")])
    sequences = examples([2, 5, 1, 4])
    alone = [run(tf.constant(sequence[None])) for sequence in sequences]
    starts = [3, 1, 0, 5]
    symbols, _ = batch_of(sequences, 9, starts)
    (loss, column, images), gradients = run(tf.constant(symbols))
    np.testing.assert_allclose(loss, sum(one[0][0] for one in alone), rtol=1e-12)
    for row, (start, sequence, one) in enumerate(zip(starts, sequences, alone)):
        place = slice(start, start + len(sequence))
        np.testing.assert_allclose(column[row, place], one[0][1][0], rtol=0, atol=1e-12)
        steps = one[0][2].shape[1]
        found = images[row, :steps, place]
        np.testing.assert_allclose(found, one[0][2][0], rtol=0, atol=1e-12)
    assert_gradients(gradients, [sum(parts) for parts in zip(*(one[1] for one in alone))], 1e-11)


def test_what_stands_outside_the_mask_does_not_matter():
    layer, _ = neural_gpu_layer()
    sequences = examples([3, 5])
    plain, mask = batch_of(sequences)
    wanted = layer(plain)
    for padding in (-1, 0, 3, 99, -7):
        symbols, _ = batch_of(sequences, padding=padding)
        np.testing.assert_array_equal(layer(symbols, mask=mask), wanted)
    np.testing.assert_array_equal(wanted.numpy()[~mask], 0)


def test_a_mask_wins_over_the_padding_and_may_have_holes():
    layer, _ = neural_gpu_layer()
    symbols = np.array([[1, 2, -1, 3], [-1, -1, -1, -1]])
    mask = np.array([[1, 0, 0, 1], [0, 0, 0, 0]], bool)
    column, images = layer(symbols, mask=mask, return_images=True)
    np.testing.assert_array_equal(images.numpy()[:, :, ~mask[0]], 0)
    np.testing.assert_array_equal(images[0, 2], images[0, 4])  # two symbols, two steps
    assert not np.array_equal(images[0, 1], images[0, 2])
    np.testing.assert_array_equal(column[1], 0)


def test_the_mask_goes_on_to_the_next_layer():
    layer, _ = neural_gpu_layer()
    symbols, mask = batch_of(examples([3, 5]))
    np.testing.assert_array_equal(layer(symbols)._keras_mask, mask)
    np.testing.assert_array_equal(layer(np.maximum(symbols, 0), mask=mask)._keras_mask, mask)
    column, _ = layer(symbols, return_images=True)
    np.testing.assert_array_equal(column._keras_mask, mask)
    unpadded, _ = neural_gpu_layer(padding=None)
    assert getattr(unpadded(np.maximum(symbols, 0)), "_keras_mask", None) is None


def test_a_symbol_may_have_any_type():
    layer, _ = neural_gpu_layer()
    symbols, _ = batch_of(examples([3, 5]))
    wanted = layer(symbols)
    for dtype in ("int8", "int32", "int64", "float32", "float64"):
        np.testing.assert_array_equal(layer(symbols.astype(dtype)), wanted)
    full = np.maximum(symbols, 0)
    for dtype in ("uint8", "uint16"):
        np.testing.assert_array_equal(layer(full.astype(dtype)), layer(full))


def test_activations():
    x = np.array([-9.0, -1.5, -0.95, -0.2, 0.0, 0.5, 0.93, 1.2, 9.0])
    np.testing.assert_allclose(cutoff_sigmoid(x), references.cut_off(x), rtol=0, atol=1e-7)
    assert cutoff_sigmoid(x)[0] == 0 and cutoff_sigmoid(x)[-1] == 1
    np.testing.assert_allclose(hard_sigmoid(x), references.hard_sigma(x), rtol=0, atol=1e-7)
    np.testing.assert_allclose(hard_tanh(x), references.hard_tanh(x), rtol=0, atol=1e-7)
    np.testing.assert_allclose(ops.sum(saturation(x)), references.excess(x), rtol=1e-6)
