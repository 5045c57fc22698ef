"""Limits of a trained rule, rules of a user, and what a rule or a step may not be."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import references
from keras_adaptive import halting
from keras_adaptive.halting import ACT, AnytimeACT, Decision, Fixed, Sampled, ponder
from known_halting import MODES, on_table, run, values_for


class TestLimits:
    """Anytime inference: other limits for a trained rule."""

    h = np.array([[0.3, 0.3, 0.3, 0.3, 0.3], [0.15, 0.15, 0.15, 0.15, 0.15]])

    def steps(self, rule=None, **kwargs):
        with halting.limits(**kwargs):
            result = on_table(self.h, values_for(self.h), rule or ACT(4), history=True)
        np.testing.assert_allclose(np.sum(result.weights, axis=1), 1.0, atol=1e-12)
        return result.steps.numpy().tolist()

    def test_less(self):
        assert self.steps(max_ponder=2) == [2, 2]
        assert self.steps(max_ponder=1) == [1, 1]

    def test_more(self):
        assert self.steps(max_ponder=5) == [4, 5]
        assert self.steps(ACT(1), max_ponder=3) == [3, 3]

    def test_epsilon(self):
        assert self.steps(epsilon=0.5) == [2, 4]

    def test_nesting_and_end(self):
        with halting.limits(max_ponder=2):
            assert self.steps(epsilon=0.75) == [1, 2]
            assert self.steps(max_ponder=3) == [3, 3]
            assert self.steps() == [2, 2]
        assert self.steps() == [4, 4]

    @pytest.mark.parametrize("mode", MODES)
    def test_tensors_as_inputs_of_a_graph(self, mode):
        def forward(h, values, max_ponder, epsilon):
            with halting.limits(max_ponder=max_ponder, epsilon=epsilon):
                result = on_table(h, values, ACT(4), training=False)
            return result.steps, result.remainder

        forward = run(forward, mode)
        for M, epsilon in [(2, 0.01), (5, 0.01), (1, 0.01), (5, 0.5)]:
            steps, remainder = forward(
                tf.constant(self.h),
                tf.constant(values_for(self.h)),
                tf.constant(M),
                tf.constant(epsilon),
            )
            expected = [references.halt(list(h), M, epsilon) for h in self.h]
            assert steps.numpy().tolist() == [N for N, _, _ in expected]
            np.testing.assert_allclose(remainder, [R for _, R, _ in expected], atol=1e-12)

    @pytest.mark.parametrize(
        "limit", [{"max_ponder": 0}, {"max_ponder": 2.5}, {"epsilon": 1.0}, {"epsilon": -0.1}]
    )
    def test_bad(self, limit):
        ((name, value),) = limit.items()
        with pytest.raises(ValueError, match=f"`{name}` must be .* Received: {name}={value}"):
            self.steps(**limit)


class Geometric:
    """A rule of a user: weight h_n Π (1 - h), with a nested memory that holds an integer."""

    has_ponder_cost = True
    max_ponder = 4

    def start(self, batch_size, dtype):
        return {"alive": ops.ones((batch_size,), dtype), "taken": ops.zeros((batch_size,), "int32")}

    def __call__(self, step, halting, memory):
        alive, taken = memory["alive"], memory["taken"] + 1
        halts = taken >= self.max_ponder
        weight = ops.where(halts, alive, alive * halting)
        memory = {"alive": alive - weight, "taken": taken}
        return Decision(weight, ops.zeros_like(weight), halts, memory)


@pytest.mark.parametrize("mode", MODES)
def test_own_rule(mode):
    h = np.array([[0.5, 0.25, 0.5, 0.1], [0.1, 0.9, 0.2, 0.3]])
    values = values_for(h)

    def forward(h):
        with tf.GradientTape() as tape:
            tape.watch(h)
            result = on_table(h, tf.constant(values), Geometric(), history=True)
            loss = ops.sum(result.output**2)
        return result.weights, tape.gradient(loss, h)

    def weights(h):
        alive = np.cumprod(1 - h, axis=1) / (1 - h)
        return np.concatenate([(h * alive)[:, :3], alive[:, 3:]], axis=1)

    def loss(h):
        return np.sum(np.einsum("bn,bnd->bd", weights(h), values) ** 2)

    got, gradient = run(forward, mode)(tf.constant(h))
    np.testing.assert_allclose(got, weights(h), atol=1e-12)
    np.testing.assert_allclose(gradient, references.central_differences(loss, [h])[0], atol=1e-8)


@pytest.mark.parametrize(
    "step, message",
    [
        (lambda n, s: (s, s[:, 0]), "triple"),
        (lambda n, s: None, "triple"),
        (lambda n, s: (s, s[:, 0], [s, s]), "structure"),
        (lambda n, s: (s, None, s), "halting"),
        (lambda n, s: (s, tf.zeros((2, 3)), s), "halting"),
        (lambda n, s: (s, s[:, 0], tf.zeros((2, 5))), "shape"),
        (lambda n, s: (s, s[:, 0], tf.cast(s, "float16")), "dtype"),
    ],
)
def test_wrong_results_of_a_step(step, message):
    with pytest.raises(ValueError, match=rf"(?s)`step`.*{message}.*Received"):
        ponder(step, tf.zeros((2, 1)), ACT(3))


@pytest.mark.parametrize("value", [0, -1, 2.5, "3", None, True, float("nan"), float("inf")])
def test_bad_max_ponder(value):
    with pytest.raises(
        ValueError, match=r"`max_ponder` must be an integer of at least 1. Received"
    ):
        ACT(max_ponder=value)
    with pytest.raises(ValueError, match=r"`steps` must be an integer of at least 1. Received"):
        Fixed(value)


@pytest.mark.parametrize("value", [1, 1.0, -0.01, "0.1", None, True, float("nan")])
def test_bad_epsilon(value):
    with pytest.raises(ValueError, match=r"`epsilon` must be a number in \[0, 1\). Received"):
        ACT(epsilon=value)


RULES = [ACT(7, 0.25), AnytimeACT(7, 0.25, 3), Fixed(3), Sampled(7, seed=2)]


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_made_again_from_their_config(rule):
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(rule))
    assert type(again) is type(rule) and again.get_config() == rule.get_config()
