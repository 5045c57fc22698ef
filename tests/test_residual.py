"""ACT and SACT around residual units: values, gradients, limits, and what is refused."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

import other_backend
import references_residual as references
import residual_on_every_backend as on_backend
from keras_adaptive import backend, halting
from keras_adaptive.layers import ResidualACT, ResidualUnit
from keras_adaptive.models import AdaptiveModel
from keras_adaptive.residual import skipping
from known_residual import CHANNELS, images, residual_layer, weights_of

both = pytest.mark.parametrize("spatial", [False, True], ids=["act", "sact"])


@pytest.mark.parametrize(
    ("spatial", "kinds"),
    [
        (False, {"epsilon": 0.01}),
        (False, {"epsilon": 0.2}),
        (True, {"epsilon": 0.01}),
        (True, {"epsilon": 0.2}),
        (True, {"epsilon": 0.01, "global_logit": False}),
    ],
)
def test_values_are_those_of_the_equations(spatial, kinds):
    layer, x, epsilon = residual_layer(spatial, seed=1, **kinds), images(8), kinds["epsilon"]
    reference = references.sact if spatial else references.act
    # The first unit reads the input itself.
    expected = [reference(*weights_of(layer), one, epsilon) for one in x]
    outputs, ponder = layer(x)
    np.testing.assert_allclose(outputs, [one.y for one in expected], atol=1e-10)
    np.testing.assert_array_equal(ponder["steps"], [one.N for one in expected])
    np.testing.assert_allclose(ponder["remainder"], [one.R for one in expected], atol=1e-10)
    assert len(np.unique(ponder["steps"])) >= 3
    for one in expected:
        np.testing.assert_allclose(one.p.sum(axis=0), 1, atol=1e-12)
    rho = np.array([np.mean(one.N + one.R) for one in expected])
    np.testing.assert_allclose(layer.losses[0], 2.0**-4 * rho.mean(), rtol=1e-6)


def alike():
    """SACT and ACT with units that are all alike, and the same on maps of 1×1."""
    spatial, image = residual_layer(True, seed=3), residual_layer(False, seed=3)
    for one, other in zip(image.units, spatial.units, strict=True):
        one.set_weights(image.units[0].get_weights())
        other.set_weights(image.units[0].get_weights())
    for one, other in zip(image.halting_units, spatial.halting_units, strict=True):
        one.set_weights(image.halting_units[0].get_weights())
        other.pooled_norm.set_weights(image.halting_units[0].pooled_norm.get_weights())
        other.pooled_weight.set_weights(image.halting_units[0].pooled_weight.get_weights())
        other.convolution.kernel.assign(np.zeros(other.convolution.kernel.shape))
    return spatial, image


def test_one_position_is_one_image_is_the_loop():
    """SACT on maps of 1×1, ACT, and `halting.ponder` with units that are all alike."""
    x = images(9, (1, 1))
    spatial, image = alike()
    (y, ponder), (of_images, ponder_of_images) = spatial(x), image(x)
    np.testing.assert_allclose(y, of_images, atol=1e-12)
    for name in ("steps", "remainder"):
        np.testing.assert_allclose(ponder[name][:, 0, 0], ponder_of_images[name], atol=1e-12)

    def step(n, states):
        states = image.units[0](states)
        return states, image.halting_units[0](states), states

    result = halting.ponder(step, x, halting.ACT(len(image.units)))
    np.testing.assert_allclose(of_images, result.output, atol=1e-12)
    np.testing.assert_array_equal(ponder_of_images["steps"], result.steps)
    np.testing.assert_allclose(ponder_of_images["remainder"], result.remainder, atol=1e-12)
    assert len(np.unique(result.steps)) >= 2


def test_halting_units_are_normalized_with_what_is_frozen():
    spatial, image = alike()
    x = images(9, (1, 1))
    spatial(x, training=True), image(x, training=True)
    for one, other in zip(image.halting_units, spatial.halting_units, strict=True):
        for mean, same in zip(one.pooled_norm.weights, other.pooled_norm.weights, strict=True):
            np.testing.assert_allclose(mean, same, atol=1e-12)


@both
def test_never_halting_is_the_plain_network(spatial):
    layer, x = residual_layer(spatial), images()
    for one in layer.halting_units:
        one.pooled_weight.bias.assign([-1e4])
    outputs, ponder = layer(x)
    plain = x
    for unit in layer.units:
        plain = unit(plain)
    np.testing.assert_allclose(outputs, plain, atol=1e-12)
    np.testing.assert_array_equal(ponder["steps"], len(layer.units))
    np.testing.assert_array_equal(ponder["remainder"], 1)


@keras.saving.register_keras_serializable(package="tests")
class Constant(layers.Layer):
    """A unit whose output is always the same."""

    def __init__(self, value, **kwargs):
        super().__init__(**kwargs)
        self.value = value

    def call(self, inputs):
        return keras.ops.zeros_like(inputs) + self.value

    def compute_output_shape(self, input_shape):
        return input_shape


def test_gradients_are_those_of_the_closed_form():
    """dy/dh_l = x_l − x_N and dρ/dh_l = −1 for l < N, and nothing after N."""
    values, chances = [1.0, 3.0, 7.0, 20.0], [0.3, 0.4, 0.5]
    layer = ResidualACT(
        [Constant(v, dtype="float64") for v in values], time_penalty=0.5, dtype="float64"
    )
    layer.build((None, 1))
    for one, chance in zip(layer.halting_units, chances, strict=True):
        one.pooled_weight.kernel.assign([[0.0]])
        one.pooled_weight.bias.assign([np.log(chance / (1 - chance))])
    biases = [one.pooled_weight.bias.value for one in layer.halting_units]
    with tf.GradientTape(persistent=True) as tape:
        y = layer(np.zeros((1, 1)))[0, 0]
        cost = sum(layer.losses)
    # 0.3 + 0.4 + 0.5 is the first sum of at least 0.99: N is 3, R = 0.3.
    assert float(y) == pytest.approx(0.3 * 1 + 0.4 * 3 + 0.3 * 7)
    assert float(cost) == pytest.approx(0.5 * 3.3)
    slopes = [h * (1 - h) for h in chances]
    of_y, of_cost = (
        [float(g[0]) for g in tape.gradient(of, biases, unconnected_gradients="zero")]
        for of in (y, cost)
    )
    np.testing.assert_allclose(of_y, [slopes[0] * (1 - 7), slopes[1] * (3 - 7), 0], atol=1e-12)
    np.testing.assert_allclose(of_cost, [-0.5 * slopes[0], -0.5 * slopes[1], 0], atol=1e-12)


def test_what_is_frozen_stays_and_is_seen_by_its_neighbours():
    """A position that halts after the first unit keeps its features, which others go on reading."""
    layer, x = residual_layer(True, count=2), images(1)
    halting_unit = layer.halting_units[0]
    halting_unit.pooled_weight.bias.assign([-1e4])
    kernel = np.zeros((3, 3, CHANNELS, 1))
    kernel[1, 1] = 1e6  # the sign of the sum of the channels decides
    halting_unit.convolution.kernel.assign(kernel)
    first = np.array(layer.units[0](x))
    outputs, ponder = layer(x)
    frozen = np.array(ponder["steps"])[0] == 1
    assert 0 < frozen.sum() < frozen.size
    np.testing.assert_allclose(outputs[0][frozen], first[0][frozen], atol=1e-12)
    second = np.array(layer.units[1](first))
    np.testing.assert_allclose(outputs[0][~frozen], second[0][~frozen], atol=1e-12)


@both
def test_limits(spatial):
    layer, x = residual_layer(spatial), images()
    with halting.limits(max_ponder=1):
        outputs, ponder = layer(x)
    np.testing.assert_allclose(outputs, layer.units[0](x), atol=1e-12)
    np.testing.assert_array_equal(ponder["steps"], 1)
    served = tf.function(lambda x, most: _limited(layer, x, most))
    for most in (2, 9):
        _, steps = served(tf.constant(x), tf.constant(most))
        own = layer(x)[1]["steps"]
        assert np.max(own) > 2
        np.testing.assert_array_equal(steps, np.minimum(own, most))


def _limited(layer, x, most):
    with halting.limits(max_ponder=most):
        outputs, ponder = layer(x)
    return outputs, ponder["steps"]


@pytest.fixture(scope="module")
def eager():
    return [on_backend.trained(spatial, run_eagerly=True) for spatial in (False, True)]


@pytest.mark.parametrize(
    ("spatial", "jit_compile"),
    [
        (True, False),
        pytest.param(True, True, marks=pytest.mark.slow),
        pytest.param(False, False, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
    ],
)
def test_two_steps_of_fit_in_a_graph(eager, spatial, jit_compile):
    found = on_backend.trained(spatial, jit_compile=jit_compile)
    for one, other in zip(found, eager[spatial], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize(
    "spatial",
    [pytest.param(False, marks=pytest.mark.slow, id="act"), pytest.param(True, id="sact")],
)
def test_two_steps_of_fit_on_other_backends(eager, backend, spatial):
    found = other_backend.call(backend, "residual_on_every_backend", "trained", spatial)
    for one, other in zip(found, eager[spatial], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)


@pytest.mark.slow
def test_a_target_is_held_by_the_time_penalty():
    units = [ResidualUnit(4) for _ in range(4)]
    inputs = keras.Input((6, 6, 2))
    outputs = ResidualACT(units, spatial=True, target_ponder=2.0, name="block")(inputs)
    model = AdaptiveModel(inputs, layers.Dense(1)(layers.GlobalAveragePooling2D()(outputs)))
    model.compile(keras.optimizers.SGD(0.05), "mse")
    x = np.random.default_rng(0).normal(size=(32, 6, 6, 2)).astype("float32")
    logs = model.fit(x, x[:, 0, 0, :1], epochs=60, batch_size=16, verbose=0).history
    assert logs["ponder_steps"][0] > 3.5 > 3.2 > logs["ponder_steps"][-1]
    assert logs["time_penalty"][0] > 1e-2


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([], "units"),
        ("units", "units"),
        ([layers.Dense], "units"),
        ([layers.Conv2D(4, 3, padding="same", data_format="channels_first")], "channels last"),
    ],
)
def test_units_that_are_none(units, message):
    with pytest.raises(ValueError, match=message):
        ResidualACT(units)


def test_units_are_different_layers():
    unit = ResidualUnit(4)
    with pytest.raises(ValueError, match="not shared"):
        ResidualACT([unit, unit])


def test_a_unit_that_changes_the_shape_is_named():
    layer = ResidualACT([ResidualUnit(4), ResidualUnit(5)])
    with pytest.raises(ValueError, match=r"unit 2, `.*`, makes .*5\) of .*4\)"):
        layer(np.ones((1, 4, 4, 3), "float32"))


@pytest.mark.parametrize(
    "unit", [layers.Conv2D(4, 3), layers.MaxPooling2D(), ResidualUnit(4, strides=2)]
)
def test_a_unit_that_changes_a_free_size_is_named(unit):
    layer = ResidualACT([ResidualUnit(4), unit])
    layer.build((None, None, None, 4))
    with pytest.raises(ValueError, match=rf"unit 2, `{unit.name}`, makes .* of \(1, 6, 6, 4\)"):
        layer(np.ones((1, 6, 6, 4), "float32"))


@pytest.mark.parametrize("spatial", [False, True])
def test_a_unit_that_changes_the_dtype_is_named(spatial):
    units = [ResidualUnit(4), ResidualUnit(4, dtype="mixed_bfloat16")]
    with pytest.raises(ValueError, match=r"unit 2, `.*`, makes bfloat16 of float32"):
        ResidualACT(units, spatial=spatial)(np.ones((1, 4, 4, 4), "float32"))


def test_what_is_no_image():
    with pytest.raises(ValueError, match=r"\(batch, height, width, channels\).*\(2, 3\)"):
        ResidualACT([layers.Dense(3)], spatial=True)(np.ones((2, 3), "float32"))


KINDS = {"act": (False, {}), "sact": (True, {}), "local": (True, {"global_logit": False})}


every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("size", [(6, 5), (16, 24)], ids=["small", "large"])
@every_kind
@pytest.mark.parametrize("share", [0.0, 0.7, 1.0], ids=["all", "some", "parts"])
def test_parts_are_computed_as_all(monkeypatch, kind, size, share):
    """As where XLA compiles, and everything is computed."""
    check_parts(monkeypatch, kind, size, share)


class Half(ResidualUnit):
    """Half of what its base makes, which its base's `at_positions` does not know."""

    def call(self, inputs, training=False):
        return 0.5 * super().call(inputs, training=training)


def test_a_unit_of_ones_own_is_computed_as_it_says(monkeypatch):
    monkeypatch.setattr(skipping, "MOST_POSITIONS", 1.0)
    layer, x = ResidualACT([Half(4) for _ in range(3)], spatial=True), images(5, (16, 24))
    found = layer(x)
    monkeypatch.setattr(backend.parts, "saves_time", lambda: False)
    np.testing.assert_allclose(found, layer(x), atol=1e-5)


@pytest.mark.parametrize("kept", [0.0, 0.5, 1.0], ids=["never", "seldom", "always"])
def test_halted_positions_are_left_out(monkeypatch, kept):
    """Whether what has halted among the computed positions is left out changes no result."""
    check_parts(monkeypatch, "sact", (16, 24), 1.0, kept=kept)


@pytest.mark.parametrize(
    "size", [pytest.param((6, 5), marks=pytest.mark.slow), (16, 24)], ids=["small", "large"]
)
@pytest.mark.parametrize(
    "kind", [x if x == "sact" else pytest.param(x, marks=pytest.mark.slow) for x in KINDS]
)
def test_parts_in_a_graph(monkeypatch, kind, size):
    check_parts(monkeypatch, kind, size, 0.7, lambda layer: tf.function(lambda x: layer(x)))


def check_parts(monkeypatch, kind, size, share, way=lambda layer: layer, kept=0.75):
    spatial, kinds = KINDS[kind]
    layer, x = residual_layer(spatial, seed=1, **kinds), images(5, size)
    monkeypatch.setattr(skipping, "MOST_POSITIONS", share)
    monkeypatch.setattr(skipping, "MOST_BY_CHANNEL", 0.0)
    monkeypatch.setattr(skipping, "MOST_KEPT", kept)
    monkeypatch.setattr(skipping, "MOST_IMAGES", share)
    if spatial and not kinds:  # Few positions go on far, and not at the same places.
        layer.halting_units[0].pooled_weight.bias.assign([1.0])
    monkeypatch.setattr(backend.parts, "saves_time", lambda: False)
    expected = layer(x)
    monkeypatch.setattr(backend.parts, "saves_time", lambda: True)
    for one, other in zip(tf.nest.flatten(way(layer)(x)), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)
    assert len(np.unique(expected[1]["steps"])) >= 3


def test_without_the_global_logit_the_rest_of_the_image_does_not_matter():
    """What lies beyond the units and the halting units sees nothing of a bright corner."""
    layer, (x, *_) = residual_layer(True, seed=1, count=2, global_logit=False), images(1, (32, 32))
    bright = x.copy()
    bright[:4, :4] += 5.0
    steps = [layer(image[None])[1]["steps"][0] for image in (x, bright)]
    np.testing.assert_array_equal(steps[0][12:, 12:], steps[1][12:, 12:])
    again = ResidualACT.from_config(layer.get_config())
    assert again.get_config()["global_logit"] is False
    with pytest.raises(ValueError, match="global_logit"):
        residual_layer(False, global_logit=False)


def test_parts_of_large_images_are_computed_as_all_in_few_bits(monkeypatch):
    """The sum over all positions is larger than the largest number of 16 bits."""
    dtype, size, mean = "mixed_float16", 96, 12.0
    x, near = np.full((1, size, size, 4), mean, "float32"), slice(42, 54)
    x[:, near, near] += 3 * np.random.default_rng(0).normal(size=(1, 12, 12, 4))
    x[:, near, near, 0] -= 6
    units = [ResidualUnit(4, dtype=dtype) for _ in range(4)]
    layer = ResidualACT(units, spatial=True, return_ponder=True, dtype=dtype)
    layer(x)
    for unit in units:
        unit.norms[0].moving_mean.assign(np.full(4, mean))
        for convolution in unit.convolutions:
            convolution.kernel.assign(0.1 * convolution.kernel)
    center = np.zeros((3, 3, 4, 1))
    center[1, 1, 0] = 0.8
    for halting_unit in layer.halting_units:
        halting_unit.convolution.kernel.assign(center)
        halting_unit.pooled_weight.kernel.assign(np.full((4, 1), 0.5))
        halting_unit.pooled_weight.bias.assign([5.0])
        for norm in (halting_unit.norm, halting_unit.pooled_norm):
            norm.moving_mean.assign(np.full(4, mean))
    found = layer(x)[1]["steps"]
    monkeypatch.setattr(skipping, "by_position", lambda *arguments: None)
    expected = np.asarray(layer(x)[1]["steps"])
    assert 10 < np.sum(expected > 1) < size**2 / 4
    np.testing.assert_array_equal(found, expected)
