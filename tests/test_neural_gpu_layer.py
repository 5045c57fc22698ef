"""CGRU and NeuralGPU as Keras layers: recomputation, graphs, export, precision, bad input."""

import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import clean_process
from keras_adaptive.layers import CGRU, NeuralGPU
from keras_adaptive.neural_gpu import set_steps_multiplier
from known_neural_gpu import SYMBOLS, VARIANTS, batch_of, examples, neural_gpu_layer

LENGTHS = [5, 2, 4]


def same_weights(layer, **arguments):
    """The same layer with other arguments."""
    other = NeuralGPU.from_config({**layer.get_config(), **arguments})
    other.build((None, None))
    other.set_weights(layer.get_weights())
    return other


def loss_and_gradients(layer, symbols):
    with tf.GradientTape() as tape:
        column = layer(symbols, training=True)
        loss = ops.sum(column**2) + sum(ops.cast(one, column.dtype) for one in layer.losses)
    weights = [variable.value for variable in layer.trainable_variables]
    return loss, [tf.convert_to_tensor(one) for one in tape.gradient(loss, weights)]


@pytest.mark.parametrize(
    "name", ["the paper's", pytest.param("all at once", marks=pytest.mark.slow)]
)
def test_recomputing_changes_nothing(name):
    layer, _ = neural_gpu_layer(**VARIANTS[name])
    symbols = tf.constant(batch_of(examples(LENGTHS))[0])
    kept, again = (same_weights(layer, recompute=recompute) for recompute in (False, True))
    wanted_loss, wanted = loss_and_gradients(kept, symbols)
    for graph in (False, True):
        run = tf.function(loss_and_gradients) if graph else loss_and_gradients
        loss, gradients = run(again, symbols)
        np.testing.assert_allclose(loss, wanted_loss, rtol=1e-12)
        for gradient, one in zip(gradients, wanted):
            np.testing.assert_allclose(gradient, one, rtol=0, atol=1e-11 * np.max(np.abs(one)))


def test_images():
    layer, _ = neural_gpu_layer(steps_multiplier=2, width=3)
    symbols, _ = batch_of(examples(LENGTHS))
    column, images = layer(symbols, return_images=True)
    assert images.shape == (3, 11, 5, 3, 3)
    np.testing.assert_array_equal(column, layer(symbols))
    np.testing.assert_array_equal(images[0, 0, :, 0], layer.embedding.numpy()[symbols[0]])
    np.testing.assert_array_equal(images[:, 0, :, 1:], 0)
    inputs = keras.Input((None,), dtype="int32")
    column, images = layer(inputs, return_images=True)
    assert images.shape == (None, None, None, 3, 3) and images.dtype == "float64"
    model = keras.Model(inputs, [column, images])
    assert model.predict(symbols, verbose=0)[1].shape == (3, 11, 5, 3, 3)


def test_more_steps_of_a_trained_model():
    """As with a layer that was made so, with the same weights; also in a model within a model."""
    inputs = keras.Input((None,), dtype="int32")
    one, two = (NeuralGPU(5, 4, steps_multiplier=steps, seed=0) for steps in (1, 2))
    model = keras.Model(inputs, keras.Model(inputs, one(inputs))(inputs))
    symbols, _ = batch_of(examples(LENGTHS))
    with_one, with_two = np.array(model(symbols)), np.array(two(symbols))
    assert np.abs(with_one - with_two).max() > 1e-3
    np.testing.assert_allclose(model.predict(symbols, verbose=0), with_one, atol=1e-6)
    set_steps_multiplier(model, 2)
    np.testing.assert_allclose(model(symbols), with_two, atol=1e-6)
    np.testing.assert_allclose(model.predict(symbols, verbose=0), with_two, atol=1e-6)
    assert one.get_config()["steps_multiplier"] == 2


def test_seeds_and_first_weights():
    """No two weights begin alike, and the same seed begins the same."""
    arguments = {"symbols": 9, "maps": 9, "num_layers": 2, "initial_scale": 1.8, "relaxation": 2}
    layers = [NeuralGPU(**arguments, seed=seed) for seed in (7, 7, 8, None, None)]
    for layer in layers:
        layer.build((None, None))
    values = [[v.numpy() for v in layer.trainable_variables if v.ndim != 2] for layer in layers]
    limit = 1.8 * (3 / (9 * 9)) ** 0.5
    for one in values:
        for kernel in one:
            assert 0.9 * limit < np.max(np.abs(kernel)) <= limit
    flat = [
        np.ravel(kernel[set_])[:81] for i in (0, 2, 3, 4) for kernel in values[i] for set_ in (0, 1)
    ]
    flat += [np.ravel(layers[i].embedding) for i in (0, 2, 3, 4)]
    likeness = np.abs(np.corrcoef(flat) - np.eye(len(flat)))
    assert np.max(likeness) < 0.5
    for one, other in zip(layers[0].get_weights(), layers[1].get_weights()):
        np.testing.assert_array_equal(one, other)
    cell = CGRU(2, update_bias=0.5, reset_bias=0.25)
    cell.build((None, None, 1, 2))
    np.testing.assert_array_equal(cell.gate_bias, [0.5, 0.5, 0.25, 0.25])


def test_fit_chooses_no_xla_on_tensorflow():
    """XLA takes minutes for the gradient of a convolution in a loop."""
    assert not NeuralGPU(SYMBOLS).supports_jit and not CGRU(3).supports_jit
    inputs = keras.Input((None,), dtype="int32")
    layer, _ = neural_gpu_layer(dtype="float32", dropout=0.1, saturation_cost=0.1)
    model = keras.Model(inputs, keras.layers.Dense(SYMBOLS)(layer(inputs)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, jit_compile="auto")
    assert not model.jit_compile
    symbols, mask = batch_of(examples([5, 2, 4, 4]))
    arguments = {"sample_weight": mask, "batch_size": 2, "epochs": 4, "verbose": 0}
    losses = model.fit(symbols, np.maximum(symbols, 0), **arguments).history["loss"]
    assert losses[-1] < losses[0]


def test_one_exported_model_takes_any_batch_and_length(tmp_path):
    wanted = {}
    inputs = keras.Input((None,), dtype="int32")
    layer, _ = neural_gpu_layer(dtype="float32")
    model = keras.Model(inputs, layer(inputs, return_images=True))
    model.export(tmp_path / "exported", verbose=False)
    for name, lengths in {"short": [1], "ragged": [2, 9, 4], "long": [30]}.items():
        symbols = batch_of(examples(lengths))[0].astype("int32")
        shutil.copytree(tmp_path / "exported", tmp_path / name / "model")
        np.savez(tmp_path / name / "inputs.npz", symbols)
        wanted[name] = model(symbols)
    found = clean_process.answers(tmp_path)
    for name, outputs in wanted.items():
        for got, one in zip(found[name], outputs, strict=True):
            assert got.shape == one.shape
            np.testing.assert_allclose(got, one, rtol=0, atol=1e-5)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_symbols_stay_exact_in_mixed_precision(policy):
    """Even those that are given as floats, which half precision could not tell apart."""
    layer = NeuralGPU(symbols=3000, maps=4, dtype=policy)
    found = layer(np.array([[2998.0, 2999.0]]))
    assert found.dtype == layer.compute_dtype
    np.testing.assert_array_equal(found, layer(np.array([[2998, 2999]])))
    assert not np.array_equal(found, layer(np.array([[2999, 2998]])))


def test_nothing_of_a_batch_and_padding_alone():
    layer, _ = neural_gpu_layer()
    assert layer(np.zeros((0, 3), int)).shape == (0, 3, 3)
    np.testing.assert_array_equal(layer(np.full((2, 3), -1)), np.zeros((2, 3, 3)))


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("shape", [(3,), (2, 0), (2, 3, 4)])
def test_bad_shapes(shape, symbolic, built):
    layer = NeuralGPU(SYMBOLS, 4)
    if built:
        layer.build((None, None))
    symbols = keras.KerasTensor(shape, "int32") if symbolic else np.zeros(shape, "int32")
    with pytest.raises(ValueError, match=r"(?s)`symbols` must have the shape \(batch, n\)"):
        layer(symbols)


@pytest.mark.parametrize("shape", [(2,), (2, 4), (3, 3), (2, 3, 1)])
def test_a_mask_that_does_not_fit(shape):
    layer = NeuralGPU(SYMBOLS, 4)
    words = r"(?s)`mask` must have the shape \(2, 3\) of the inputs' positions"
    with pytest.raises(ValueError, match=words):
        layer(np.zeros((2, 3), "int32"), mask=np.ones(shape, bool))


@pytest.mark.parametrize(
    ("symbols", "padding"),
    [([[0, 4]], -1), ([[0, -2]], -1), ([[0, -1]], None), ([[0, -1]], 9), ([[0.0, 1.5]], -1)],
)
def test_a_symbol_out_of_range(symbols, padding):
    layer = NeuralGPU(SYMBOLS, 4, padding=padding)
    message = rf"(?s)`symbols` must be integers in 0 … 3 .*Received: {symbols[0][1]}"
    with pytest.raises(ValueError, match=message):
        layer(np.array(symbols))
    layer(np.array(symbols), mask=np.array([[True, False]]))
    model = keras.Sequential([keras.Input((None,)), layer])
    model.compile(run_eagerly=True)
    with pytest.raises(ValueError, match=message):
        model.predict(np.array(symbols), verbose=0)


@pytest.mark.parametrize("shape", [(2, 3, 8), (2, 3, 4, 7), (2, 3, None, 8)])
def test_bad_images(shape):
    layer = CGRU(8)
    with pytest.raises(ValueError, match=r"(?s)`image` must have the shape .*maps=8"):
        layer(keras.KerasTensor(shape))


def test_takes_cells(tmp_path):
    """A list of cells is the layer of as many layers; the model is saved with its cells."""
    cells = [CGRU(4, nonlinearity="hard", diagonal=True, seed=seed) for seed in (1, 2)]
    layer = NeuralGPU(SYMBOLS, cells, width=2)
    same = NeuralGPU(SYMBOLS, 4, 2, 2, nonlinearity="hard", diagonal=True)
    x = np.array([[1, 2, 1], [2, 1, -1]])
    layer(x), same(x)
    same.set_weights(layer.get_weights())
    np.testing.assert_array_equal(same(x), layer(x))
    assert (layer.maps, layer.num_layers, layer.cells) == (4, 2, cells)
    symbols = keras.Input((None,), dtype="int32")
    model = keras.Model(symbols, layer(symbols))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(x), layer(x))


def test_a_model_that_was_saved_with_the_arguments_of_its_cells_loads():
    """As configs were before the layer took cells."""
    config = NeuralGPU(SYMBOLS, maps=4, num_layers=1, update_bias=0.5, name="old").get_config()
    assert "cell" not in config and (config["maps"], config["num_layers"]) == (4, 1)
    layer = NeuralGPU.from_config({**config, "kernel_size": (3, 1)})
    assert layer.cells[0].update_bias == 0.5 and layer.cells[0].kernel_size == (3, 1)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ([CGRU(2), CGRU(3)], "the same `maps`"),
        ([CGRU(2), CGRU(2, relaxation=2)], "the same `relaxation`"),
        ([*[CGRU(2)] * 2], "different `CGRU`s"),
        (CGRU(2, dropout=0.1), "an argument of `NeuralGPU`"),
        (CGRU(2, dtype="float64"), "compute dtype"),
    ],
)
def test_cells_that_do_not_go_together(cell, words):
    with pytest.raises(ValueError, match=words):
        NeuralGPU(SYMBOLS, cell)


def test_cells_come_with_their_arguments():
    with pytest.raises(ValueError, match="where arguments of its CGRUs"):
        NeuralGPU(SYMBOLS, CGRU(2), diagonal=True)
