"""The rule that draws its last step: what comes out, its gradient, and its distribution."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import references
from keras_adaptive.halting import Sampled
from keras_adaptive.layers import ACTRNN
from known_halting import MODES, on_table, run, values_for

M = 5
RNG = np.random.default_rng(3)
H = RNG.uniform(0.05, 0.6, size=(40, M))
CHANCE = RNG.random(40)
EXPECTED = [references.sampled_halt(h, c, M) for h, c in zip(H, CHANCE, strict=True)]
N = np.array([steps for steps, *_ in EXPECTED])
DIRECTION = np.array([0.7, -1.3])


@pytest.mark.parametrize("mode", MODES)
def test_values_and_gradient(mode):
    """The drawn step comes out; the gradient is that of the probabilities, with N constant."""
    values = values_for(H)

    def forward(h, values, chance):
        with tf.GradientTape() as tape:
            tape.watch([h, values])
            result = on_table(h, values, Sampled(M).drawn(chance), history=True)
            loss = ops.sum(result.output * DIRECTION) + 0.1 * ops.sum(result.ponder)
        return result[:5], tape.gradient(loss, [h, values])

    def surrogate(h):
        loss = 0.0
        for row, y, steps in zip(h, values, N, strict=True):
            before = np.cumprod([1.0, *(1.0 - row[: steps - 1])])
            p = np.append(before[:-1] * row[: steps - 1], before[-1])
            loss += p @ y[:steps] @ DIRECTION + 0.1 * np.sum(before)
        return loss

    forward = run(forward, mode)
    (output, _, steps, remainder, weights), gradients = forward(
        tf.constant(H), tf.constant(values), tf.constant(CHANCE)
    )
    assert set(N) == set(range(1, M + 1))
    np.testing.assert_array_equal(steps, N)
    np.testing.assert_array_equal(remainder, 0)
    one = np.arange(1, M + 1) == N[:, None]
    np.testing.assert_allclose(weights, one, atol=1e-12)
    np.testing.assert_allclose(output, values[one], atol=1e-12)
    (expected,) = references.central_differences(surrogate, [H])
    np.testing.assert_allclose(gradients[0], expected, atol=1e-8)
    np.testing.assert_allclose(gradients[1], one[:, :, None] * DIRECTION, atol=1e-12)


def test_the_probabilities_of_the_reference_sum_to_one():
    for steps, p, S in EXPECTED:
        assert len(p) == len(S) == steps and sum(p) == pytest.approx(1.0)


def test_steps_are_distributed_as_the_activations_say():
    """Activations of 0.3 halt at step n with probability 0.3 · 0.7^(n - 1), at the last with the
    rest; the standard error of the shares is at most 0.0025."""
    h = np.full((40_000, 4), 0.3)
    steps = on_table(h, values_for(h), Sampled(4, seed=1)).steps.numpy()
    shares = np.bincount(steps.astype(int), minlength=5)[1:] / len(h)
    np.testing.assert_allclose(shares, [0.3, 0.21, 0.147, 0.343], atol=0.01)


def test_each_input_and_each_call_draws_anew():
    layer = ACTRNN(
        keras.layers.SimpleRNNCell(4), halting="sampled", max_ponder=9, return_ponder=True
    )
    assert isinstance(layer.rule, Sampled) and layer.max_ponder == 9
    inputs = np.ones((3, 40, 2), "float32")
    first, again = (layer(inputs, training=True)[-1]["steps"].numpy() for _ in range(2))
    assert (first != again).any() and (first[0] != first[1]).any() and len(np.unique(first)) > 2
    mask = np.arange(40) < np.full((3, 1), 7)
    masked = layer(inputs, mask=mask, training=True)[-1]["steps"].numpy()
    assert (masked[:, :7] >= 1).all() and (masked[:, 7:] == 0).all()


def test_the_median_in_inference():
    """With activations of 0.2 a row has halted with 1 - 0.8^3 = 0.488 after 3 steps."""
    layer = ACTRNN(keras.layers.SimpleRNNCell(4), halting=Sampled(9), return_ponder=True)
    layer.build((None, None, 2))
    layer.halting_unit.set_weights([np.zeros((4, 1)), np.log([0.25])])
    steps = layer(np.ones((2, 3, 2), "float32"))[-1]["steps"].numpy()
    np.testing.assert_array_equal(steps, 4)


def test_the_same_seed_draws_the_same():
    inputs, found = np.ones((2, 9, 3), "float32"), []
    for _ in range(2):
        keras.utils.set_random_seed(1)
        rule = Sampled(6, seed=4)
        layer = ACTRNN(keras.layers.SimpleRNNCell(4), halting=rule, return_ponder=True)
        found.append(layer(inputs, training=True)[-1]["steps"].numpy())
    np.testing.assert_array_equal(*found)


def test_bad():
    with pytest.raises(ValueError, match="`max_ponder` must be an integer of at least 1"):
        Sampled(0)
