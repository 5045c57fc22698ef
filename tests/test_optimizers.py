"""AdaMax with relative clipping against its equations, and noise that the weights really feel."""

import functools

import keras
import numpy as np
import pytest

from keras_adaptive.optimizers import GradientNoise, RelativeClipAdamax
from keras_adaptive.weight_averages import AveragingAdam, averaged_weights, use_averages

SIZE = 20_000  # of a variable on which a standard deviation is measured to a few percent


def adamax(weight, gradients, learning_rate, half_life):
    """The source's update, one step after the other, in doubles."""
    m, u = np.zeros_like(weight), np.zeros_like(weight)
    for t, g in enumerate(gradients):
        beta_2 = 1 - max(0.0005, 0.01 * 0.5 ** (t / half_life))
        g = np.clip(g, -(1.2 * u + 1e-4), 1.2 * u + 1e-4)
        m = 0.9 * m + 0.1 * g
        u = np.maximum(beta_2 * u, np.abs(g))
        weight = weight - learning_rate * m / (u + 1e-8)
    return weight


def test_adamax_is_that_of_the_equations():
    rng = np.random.default_rng(0)
    gradients = rng.normal(size=(60, 5)) * 10.0 ** rng.integers(-6, 3, (60, 1))
    start = rng.normal(size=5)
    optimizer = RelativeClipAdamax(0.05, beta_2_half_life=5.0)
    weight = keras.Variable(start, dtype="float64")
    for gradient in gradients:
        optimizer.apply([gradient], [weight])
    expected = adamax(start, gradients, 0.05, half_life=5.0)
    np.testing.assert_allclose(weight.numpy(), expected, rtol=1e-5)


def test_one_huge_gradient_does_not_end_the_learning():
    optimizer = RelativeClipAdamax(0.1)
    weight = keras.Variable([0.0, 0.0])
    for _ in range(20):
        optimizer.apply([np.array([1e-3, 1e-3], "float32")], [weight])
    before = weight.numpy()
    optimizer.apply([np.array([1e-3, 1e6], "float32")], [weight])
    optimizer.apply([np.array([1e-3, 1e-3], "float32")], [weight])
    usual, disturbed = before - weight.numpy()
    assert 0.7 * usual < disturbed < usual


def noises(optimizer, steps, gradient=None):
    """What the gradient noise did to a variable in each step, `(steps, SIZE)`; for SGD(1)."""
    variable = keras.Variable(np.zeros(SIZE, "float32"))
    gradient = np.zeros(SIZE, "float32") if gradient is None else gradient
    changes = []
    for _ in range(steps):
        before = variable.numpy()
        optimizer.apply([gradient], [variable])
        changes.append(before - variable.numpy())
    return np.array(changes)


def test_noise_has_the_papers_standard_deviation():
    found = noises(GradientNoise(keras.optimizers.SGD(1.0), scale=0.3, seed=1), 16)
    expected = 0.3 * np.arange(1, 17) ** -0.25
    np.testing.assert_allclose(found.std(axis=1), expected, rtol=0.03)
    np.testing.assert_allclose(found.mean(axis=1) / expected, 0.0, atol=0.03)
    of_two_steps = np.corrcoef(found)[np.triu_indices(16, 1)]
    assert np.abs(of_two_steps).max() < 0.05  # new noise every step
    assert np.abs(found[0]).max() > 3 * 0.3  # normal, not cut off


def test_truncated_noise_of_the_learning_rate():
    inner = keras.optimizers.SGD(1.0)
    optimizer = GradientNoise(inner, 1e-4, 0.0, "truncated_normal", times_learning_rate=True)
    found = noises(optimizer, 3)
    assert 1.9e-4 < np.abs(found).max() <= 2e-4
    # A normal distribution cut at two standard deviations has 0.88 of its standard deviation.
    np.testing.assert_allclose(found.std(axis=1), 0.88e-4, rtol=0.03)
    optimizer.learning_rate = 0.5
    found = noises(optimizer.from_config(optimizer.get_config()), 2) / 0.5
    np.testing.assert_allclose(found.std(axis=1), 0.5 * 0.88e-4, rtol=0.03)


def test_wrong_fraction_scales_the_noise():
    optimizer = GradientNoise(keras.optimizers.SGD(1.0), scale=0.3, exponent=0.0)
    optimizer.wrong_fraction.assign(0.1)
    np.testing.assert_allclose(noises(optimizer, 2).std(axis=1), 0.03, rtol=0.03)
    optimizer = GradientNoise(keras.optimizers.SGD(1.0), scale=0.3)
    optimizer.wrong_fraction.assign(0.0)
    assert not noises(optimizer, 2).any()
    assert not noises(GradientNoise(keras.optimizers.SGD(1.0), scale=0.0), 2).any()


@pytest.mark.parametrize("clip", ["global_clipnorm", "clipnorm"])
def test_clipping_bounds_the_gradient_and_not_the_noise(clip):
    gradient = np.full(SIZE, 7.0, "float32")
    optimizer = GradientNoise(keras.optimizers.SGD(1.0, **{clip: 1.0}), scale=0.3, exponent=0.0)
    found = noises(optimizer, 2, gradient)
    np.testing.assert_allclose(found.std(axis=1), 0.3, rtol=0.03)
    np.testing.assert_allclose(found.mean(axis=1), 1 / np.sqrt(SIZE), atol=0.01)


def test_accumulated_gradients_get_noise_once():
    inner = keras.optimizers.SGD(1.0, gradient_accumulation_steps=2)
    gradient = np.full(SIZE, 0.25, "float32")
    found = noises(GradientNoise(inner, scale=0.3), 6, gradient)
    assert not found[::2].any()
    expected = 0.3 * np.arange(1, 4) ** -0.25
    np.testing.assert_allclose(found[1::2].std(axis=1), expected, rtol=0.03)
    np.testing.assert_allclose(found[1::2].mean(axis=1), 0.25, atol=0.01)


def linear(optimizer, **options):
    """A compiled model of one weight matrix, the same for every optimizer, and its data."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((40,)), keras.layers.Dense(30, use_bias=False)])
    model.compile(optimizer, "mse", **options)
    rng = np.random.default_rng(0)
    return model, rng.normal(size=(8, 40)), rng.normal(size=(8, 30))


def kernel_after(optimizer, epochs=1, **options):
    model, x, y = linear(optimizer, **options)
    model.fit(x, y, batch_size=8, epochs=epochs, verbose=0)
    return model.get_weights()[0]


@pytest.mark.parametrize("jit_compile", [False, True])
def test_fit_feels_the_noise(jit_compile):
    after = functools.partial(kernel_after, jit_compile=jit_compile)
    plain = after(keras.optimizers.SGD(0.1))
    noisy = after(GradientNoise(keras.optimizers.SGD(0.1), scale=0.5))
    np.testing.assert_allclose((noisy - plain).std(), 0.1 * 0.5, rtol=0.1)
    without = after(GradientNoise(keras.optimizers.SGD(0.1), scale=0.0))
    np.testing.assert_allclose(without, plain, rtol=1e-6)


def test_embeddings_get_noise_in_every_row():
    model = keras.Sequential([keras.Input((2,), dtype="int32"), keras.layers.Embedding(50, 60)])
    model.compile(GradientNoise(keras.optimizers.SGD(0.1), scale=0.5), "mse")
    before = model.get_weights()[0]
    model.fit(np.array([[3, 4]]), np.zeros((1, 2, 60)), verbose=0)
    change = np.delete(model.get_weights()[0] - before, [3, 4], axis=0)
    np.testing.assert_allclose(change.std(axis=1), 0.1 * 0.5, rtol=0.5)
    np.testing.assert_allclose(change.std(), 0.1 * 0.5, rtol=0.1)


def optimizers():
    adamax = functools.partial(RelativeClipAdamax, 0.02, beta_2_half_life=3.0, clip_offset=0.1)
    noise = functools.partial(GradientNoise, scale=0.1, seed=3)
    return {
        "adamax": adamax,
        "noise": lambda: noise(adamax(global_clipnorm=1.0), exponent=-0.5),
        "accumulation": lambda: noise(adamax(gradient_accumulation_steps=3)),
        "average": lambda: noise(adamax(use_ema=True, ema_momentum=0.5)),
        "schedule": lambda: noise(
            keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))
        ),
    }


@pytest.mark.parametrize("name", optimizers())
def test_saved_model_goes_on_as_the_first(name, tmp_path, eager):
    if name == "average" and keras.config.backend() == "jax":
        pytest.skip(
            "with an average of the weights, Keras's own optimizers cannot fit again either"
        )
    model, x, y = linear(optimizers()[name]())
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    if name != "adamax":
        model.optimizer.wrong_fraction.assign(0.25)
    model.save(tmp_path / "model.keras")
    other = keras.models.load_model(tmp_path / "model.keras")
    assert other.optimizer.get_config() == model.optimizer.get_config()
    before = model.get_weights()[0]
    for each in (model, other):
        each.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    assert np.any(before != model.get_weights()[0])
    for found, expected in zip(other.optimizer.variables, model.optimizer.variables):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def test_noise_passes_on_what_is_the_optimizers():
    inner = keras.optimizers.Adam(0.1, loss_scale_factor=4.0)
    optimizer = GradientNoise(inner, scale=0.1)
    optimizer.learning_rate = 0.25
    assert float(inner.learning_rate) == float(optimizer.learning_rate) == 0.25
    assert optimizer.scale_loss(2.0) == 8.0
    optimizer.build([keras.Variable([1.0])])
    assert {id(variable) for variable in inner.variables} < {id(v) for v in optimizer.variables}
    assert len(optimizer.variables) == len(inner.variables) + 2  # wrong fraction and seed
    optimizer.apply([np.array([1.0], "float32")])
    assert int(optimizer.iterations) == int(inner.iterations) == 1
    # A change of the learning rate by a callback, as schedules make it.
    model, x, y = linear(GradientNoise("sgd", scale=0.1))
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: 0.5 / (epoch + 1))
    model.fit(x, y, epochs=2, verbose=0, callbacks=[schedule])
    assert float(model.optimizer.learning_rate) == 0.25


def test_loss_scaling_goes_outside():
    scaled = keras.optimizers.LossScaleOptimizer
    plain = kernel_after(keras.optimizers.SGD(0.1))
    noisy = kernel_after(scaled(GradientNoise(keras.optimizers.SGD(0.1), scale=0.5)))
    np.testing.assert_allclose((noisy - plain).std(), 0.1 * 0.5, rtol=0.1)
    with pytest.raises(ValueError, match="`optimizer` must not be a LossScaleOptimizer"):
        GradientNoise(scaled(keras.optimizers.SGD(1.0)), scale=0.3)


@pytest.mark.parametrize("noise", [False, True])
def test_averages_inside_other_optimizers_are_used(eager, noise):
    inner = keras.optimizers.Adam(0.1, use_ema=True, ema_momentum=0.5)
    inner = GradientNoise(inner, 0.0) if noise else inner
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.LossScaleOptimizer(inner), "mse")
    for _ in range(2):  # At its end, `fit` would take the averages.
        model.train_on_batch(np.ones((4, 2)), np.ones((4, 1)))
    last = model.get_weights()
    with averaged_weights(model):
        assert not np.array_equal(model.get_weights()[0], last[0])
    np.testing.assert_array_equal(model.get_weights()[0], last[0])
    use_averages(model)
    assert not np.array_equal(model.get_weights()[0], last[0])


def test_averages_below_noise_are_swapped_in(eager):
    inner = keras.optimizers.Adam(0.1, use_ema=True, ema_momentum=0.5)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(GradientNoise(inner, 0.0), "mse")
    model.fit(
        np.ones((8, 2)),
        np.ones((8, 1)),
        batch_size=2,
        verbose=0,
        callbacks=[keras.callbacks.SwapEMAWeights(swap_on_epoch=True)],
    )
    np.testing.assert_allclose(
        model.get_weights()[0], inner._model_variables_moving_average[0], atol=1e-6
    )


def trained_with_averages(steps, layers=1):
    """A network whose optimizer keeps averages, after some steps."""
    layers = [keras.layers.Dense(2, use_bias=False) for _ in range(layers)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile(AveragingAdam(0.1, use_ema=True, ema_momentum=0.5), "mse")
    model.optimizer.build(model.trainable_variables)
    for _ in range(steps):
        model.train_on_batch(np.ones((4, 3)), np.ones((4, 2)))
    return model


def test_without_a_step_there_are_no_averages(eager):
    model = trained_with_averages(0)
    before = model.get_weights()[0]
    with averaged_weights(model):
        np.testing.assert_array_equal(model.get_weights()[0], before)
    use_averages(model)
    np.testing.assert_array_equal(model.get_weights()[0], before)


def test_averages_of_a_network_that_was_frozen_in_part(eager):
    model = trained_with_averages(3, layers=2)
    before = model.get_weights()
    with averaged_weights(model):
        averages = model.get_weights()
    model.layers[0].trainable = False
    with averaged_weights(model):
        for one, same in zip(model.layers, averages, strict=True):
            np.testing.assert_array_equal(one.get_weights()[0], same)
    for one, same in zip(model.layers, before, strict=True):
        np.testing.assert_array_equal(one.get_weights()[0], same)


def test_adamax_trains_embeddings(eager):
    """The gradient of an embedding is sparse on TensorFlow."""
    layers = [keras.layers.Embedding(5, 2), keras.layers.Flatten(), keras.layers.Dense(1)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile(RelativeClipAdamax(0.1), "mse")
    before = model.get_weights()[0]
    model.train_on_batch(np.array([[0, 1, 1]]), np.ones((1, 1)))
    moved = np.any(model.get_weights()[0] != before, axis=1)
    assert moved.tolist() == [True, True, False, False, False]


def test_what_is_excluded_from_weight_decay_has_none_with_noise_either():
    optimizer = GradientNoise(keras.optimizers.SGD(1.0, weight_decay=0.5), 0.0)
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    kernel, bias = (keras.Variable(np.ones(1, "float32"), name=name) for name in ("kernel", "bias"))
    optimizer.apply([np.zeros(1, "float32")] * 2, [kernel, bias])
    assert kernel.numpy().tolist() == [0.5] and bias.numpy().tolist() == [1.0]
