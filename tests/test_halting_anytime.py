"""The rule that draws a limit for each batch in training."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.halting import ACT, AnytimeACT, limits
from keras_adaptive.layers import ACTRNN
from known_halting import MODES, on_table, run, values_for

M = 6
RNG = np.random.default_rng(3)
H = RNG.uniform(0.05, 0.3, size=(40, M))
LIMITS = RNG.integers(1, M + 1, size=40)
CHANCE = (LIMITS - RNG.uniform(0.01, 0.99, size=40)) / M


@pytest.mark.parametrize(
    "mode", [pytest.param(x, marks=[pytest.mark.slow] * (x == "graph")) for x in MODES]
)
def test_a_row_does_what_act_does_under_its_limit(mode):
    values = values_for(H)

    def forward(rule):
        def of(h, values, chance):
            with tf.GradientTape() as tape:
                tape.watch([h, values])
                result = on_table(h, values, rule(chance), history=True)
                loss = ops.sum(result.output) + 0.1 * ops.sum(result.ponder)
            return result[:5], tape.gradient(loss, [h, values])

        return of

    of_drawn = run(forward(lambda chance: AnytimeACT(M, 0.05).drawn(chance)), mode)
    found, gradients = of_drawn(tf.constant(H), tf.constant(values), tf.constant(CHANCE))
    for limit in range(1, M + 1):
        rows = limit == LIMITS
        with limits(max_ponder=limit):
            arguments = map(tf.constant, (H[rows], values[rows], CHANCE[rows]))
            expected, wanted = forward(lambda _: ACT(M, 0.05))(*arguments)
        for a, b in zip(found, expected, strict=True):
            width = b.shape[1] if a.shape[-1] == M else None
            a = a.numpy()[rows]
            np.testing.assert_allclose(a[:, :width] if width else a, b, atol=1e-12)
        for a, b in zip(gradients, wanted, strict=True):
            np.testing.assert_allclose(a.numpy()[rows], b, atol=1e-12)


def test_without_a_draw_it_is_act():
    values = values_for(H)
    for one, other in zip(on_table(H, values, AnytimeACT(M)), on_table(H, values, ACT(M))):
        if one is not None:
            np.testing.assert_array_equal(one, other)


def test_all_limits_are_equally_likely():
    rule = AnytimeACT(9)
    chance = keras.random.uniform((40_000,), seed=1)
    found = rule.drawn(chance).start(40_000, "float32")["limit"].numpy().astype(int)
    np.testing.assert_allclose(np.bincount(found, minlength=10)[1:] / 40_000, 1 / 9, atol=0.01)


def test_a_batch_has_one_limit_in_training_and_its_own_in_inference():
    layer = ACTRNN(
        keras.layers.SimpleRNNCell(4),
        halting=AnytimeACT(9, seed=1),
        halting_bias=-30.0,
        return_ponder=True,
    )
    inputs = np.ones((3, 4, 2), "float32")
    draws = [layer(inputs, training=True)[1]["steps"].numpy() for _ in range(12)]
    assert all(len(np.unique(steps)) == 1 for steps in draws)
    assert len({steps[0, 0] for steps in draws}) > 2
    assert np.unique(layer(inputs)[1]["steps"]) == 9
    with limits(max_ponder=2):
        assert np.unique(layer(inputs)[1]["steps"]) == 2
        assert layer(inputs, training=True)[1]["steps"].numpy().max() <= 2


def test_fit_draws_a_limit_for_each_batch():
    inputs = keras.Input((2, 3))
    layer = ACTRNN(keras.layers.GRUCell(4), halting=AnytimeACT(5, seed=1), halting_bias=-3.0)
    model = keras.Model(inputs, keras.layers.Dense(1)(layer(inputs)))
    model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
    before = [w.numpy() for w in model.trainable_weights]
    x = np.random.default_rng(0).normal(size=(32, 2, 3))
    model.fit(x, x[:, 0, :1], batch_size=4, epochs=2, verbose=0)
    after = [w.numpy() for w in model.trainable_weights]
    assert all(np.any(a != b) for a, b in zip(before, after, strict=True))
