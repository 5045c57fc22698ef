"""Dropout of NeuralGPU and CGRU: rates, schedules, chances that differ, and the same gradients."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.layers import CGRU, NeuralGPU
from keras_adaptive.neural_gpu.dropout import Dropout
from known_neural_gpu import batch_of, examples, neural_gpu_layer

RATE = 0.25


def transparent(dropout_on, seed=0, **arguments):
    """A layer in whose images what was dropped is seen.

    On the state: everything stays as it is, so what has been dropped once stays 0. On the
    candidate: it is all that is kept, tanh(1) everywhere at each step.
    """
    on_state = dropout_on == "state"
    layer = NeuralGPU(
        symbols=1,
        maps=20,
        width=3,
        num_layers=1,
        dropout=RATE,
        dropout_on=dropout_on,
        update_bias=99.0 if on_state else -99.0,
        seed=seed,
        **arguments,
    )
    layer.build((None, None))
    cell = layer.cells[0]
    for variable, value in [
        (layer.embedding, 1.0),
        (cell.gate_kernel, 0.0),
        (cell.candidate_kernel, 0.0),
        (cell.candidate_bias, 1.0),
    ]:
        variable.assign(np.full(variable.shape, value))
    return layer


def images_of(layer, symbols, graph):
    run = lambda x: layer(x, training=True, return_images=True)[1]  # noqa: E731
    return (tf.function(run) if graph else run)(tf.constant(symbols)).numpy()


@pytest.mark.parametrize("schedule", ["constant", "length", "root"])
def test_rates(schedule):
    lengths = np.array([1, 2, 9, 100])
    wanted = {
        "constant": np.full(4, RATE),
        "length": np.minimum(8 * RATE / lengths, 0.9),
        "root": np.minimum(3 * RATE / np.sqrt(lengths), 0.9),
    }[schedule]
    found = Dropout(RATE, "state", schedule).rates(lengths)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(Dropout(0.95, "state", "constant").rates(lengths), 0.95, rtol=1e-6)


@pytest.mark.parametrize(
    ("schedule", "graph"),
    [
        *(("constant", False), ("length", False), ("root", False), ("root", True)),
        pytest.param("constant", True, marks=pytest.mark.slow),
        pytest.param("length", True, marks=pytest.mark.slow),
    ],
)
def test_that_share_of_the_candidate_is_dropped_at_each_step(schedule, graph):
    layer = transparent("candidate", dropout_schedule=schedule)
    lengths = np.array([8, 16])
    symbols = batch_of([np.zeros(length, int) for length in lengths])[0]
    images = images_of(layer, symbols, graph)
    rates = layer.dropout.rates(lengths).numpy()
    for image, length, rate in zip(images, lengths, rates):
        steps = image[1 : length + 1, :length]
        dropped = steps == 0
        np.testing.assert_allclose(steps[~dropped], np.tanh(1.0) / (1 - rate), rtol=1e-5)
        error = np.sqrt(rate * (1 - rate) / dropped.size)
        assert abs(np.mean(dropped) - rate) < 5 * error
        for one, other in itertools.pairwise(dropped):
            assert abs(np.mean(one & other) - rate**2) < 0.06
        # Then the example has ended, and nothing is dropped any more.
        np.testing.assert_array_equal(
            image[length:], np.broadcast_to(image[length], image[length:].shape)
        )


@pytest.mark.parametrize("graph", [False, True])
def test_the_state_is_dropped_before_the_first_and_after_every_step(graph):
    images = images_of(transparent("state"), np.zeros((8, 6), int), graph)[..., 0, :]
    for step in range(7):
        kept = images[:, step] != 0
        share = (1 - RATE) ** (step + 1)
        np.testing.assert_allclose(images[:, step][kept], 1 / share, rtol=1e-5)
        assert abs(np.mean(kept) - share) < 5 * np.sqrt(share * (1 - share) / kept.size)


@pytest.mark.parametrize("graph", [False, True])
def test_no_two_draws_are_the_same(graph):
    """Of one call or of several: those of a call once were those of the last, a step later."""
    layer = transparent("candidate")
    run = lambda x: layer(x, training=True, return_images=True)[1]  # noqa: E731
    run = tf.function(run) if graph else run
    symbols = tf.zeros((2, 6), "int32")
    draws = [run(symbols)[:, step].numpy() != 0 for _ in range(3) for step in range(1, 7)]
    assert len({draw.tobytes() for draw in draws}) == len(draws)


def test_layers_of_one_step_have_different_chances():
    layer = transparent("candidate")
    two = NeuralGPU(**{**layer.get_config(), "num_layers": 2, "update_bias": 0.0, "name": "two"})
    two.build((None, None))
    for cell in two.cells:
        for variable in cell.trainable_variables:
            variable.assign(np.full(variable.shape, float(variable is cell.candidate_bias)))
    # Each layer takes half of what was and half of its candidate.
    images = two(np.zeros((2, 4), int), training=True, return_images=True)[1]
    value = np.tanh(1.0) / (1 - RATE)
    seen = np.round(images[:, 1, :, 1:] / value, 3)
    assert {0.0, 0.25, 0.5, 0.75} == set(np.unique(seen))


def test_a_seed_says_the_chances():
    symbols = np.zeros((2, 5), int)
    images = [images_of(transparent("state", seed), symbols, False) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(images[0], images[1])
    assert not np.array_equal(images[0], images[2])


def test_the_state_of_the_chances_is_the_layers():
    """Else JAX would draw the same in every training step."""
    layer = transparent("state")
    assert layer.seed_generator.state in layer.non_trainable_variables
    before = layer.seed_generator.state.numpy()
    layer(np.zeros((1, 2), int))
    np.testing.assert_array_equal(layer.seed_generator.state, before)
    layer(np.zeros((1, 2), int), training=True)
    assert np.any(layer.seed_generator.state.numpy() != before)
    assert neural_gpu_layer()[0].non_trainable_variables == []


@pytest.mark.parametrize("place", ["state", "candidate"])
def test_none_in_inference(place):
    layer, _ = neural_gpu_layer(dropout=0.5, dropout_on=place)
    plain, _ = neural_gpu_layer()
    symbols, _ = batch_of(examples([5, 3]))
    np.testing.assert_array_equal(layer(symbols), plain(symbols))
    np.testing.assert_array_equal(layer(symbols, training=False), plain(symbols))
    assert np.max(np.abs(layer(symbols, training=True) - plain(symbols))) > 0.01


# In the suite every two of these meet.
SOME = [("state", False, False), ("state", True, True), ("candidate", True, False)]
SOME += [("candidate", False, True)]
REST = {*itertools.product(("state", "candidate"), (False, True), (False, True))} - {*SOME}


@pytest.mark.parametrize(
    ("place", "recompute", "graph"),
    [*SOME, *(pytest.param(*case, marks=pytest.mark.slow) for case in sorted(REST))],
)
def test_the_gradient_is_that_of_what_was_drawn(place, recompute, graph):
    """Going back draws what going forth drew: the slope of the loss says so."""
    layer, weights = neural_gpu_layer(
        dropout=0.3, dropout_on=place, num_layers=2, recompute=recompute, seed=5
    )
    symbols = tf.constant(batch_of(examples([4, 3]))[0])
    variables = layer.trainable_variables
    state = layer.seed_generator.state.numpy()

    def loss_and_gradients(symbols):
        with tf.GradientTape() as tape:
            loss = ops.sum(layer(symbols, training=True) ** 2)
        gradients = tape.gradient(loss, [variable.value for variable in variables])
        return loss, [tf.convert_to_tensor(gradient) for gradient in gradients]

    run = tf.function(loss_and_gradients) if graph else loss_and_gradients
    rng = np.random.default_rng(0)
    ways = [rng.normal(size=weight.shape) for weight in weights]

    def at(distance):
        for variable, weight, way in zip(variables, weights, ways):
            variable.assign(weight + distance * way)
        layer.seed_generator.state.assign(state)
        return run(symbols)

    slope = (at(1e-6)[0] - at(-1e-6)[0]) / 2e-6
    gradients = at(0.0)[1]
    parts = [np.sum(gradient * way) for gradient, way in zip(gradients, ways)]
    np.testing.assert_allclose(sum(parts), slope, rtol=1e-6)


def test_a_cgru_alone():
    layer = CGRU(16, dropout=RATE, update_bias=-99.0, seed=1)
    image = np.zeros((2, 10, 3, 16), "float32")
    layer.build(image.shape)
    layer.candidate_bias.assign(np.ones(16))
    np.testing.assert_allclose(layer(image), np.full(image.shape, np.tanh(1.0)), rtol=1e-6)
    new = layer(image, training=True).numpy()
    np.testing.assert_allclose(new[new != 0], np.tanh(1.0) / (1 - RATE), rtol=1e-5)
    assert abs(np.mean(new == 0) - RATE) < 5 * np.sqrt(RATE * (1 - RATE) / new.size)
    assert not np.array_equal(layer(image, training=True), new)
