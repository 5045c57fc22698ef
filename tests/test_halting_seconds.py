"""Limits in seconds: the loops stop when their time is up, and share it fairly."""

import time

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive import backend, halting
from keras_adaptive.halting import ACT, AnytimeACT, Converged, Fixed, Sampled, ponder
from keras_adaptive.layers import ACTRNN
from keras_adaptive.recall import Recall

ENDLESS = 10**7
X = np.random.default_rng(0).normal(size=(4, 5, 3)).astype("float32")


@pytest.fixture
def ticks(monkeypatch):
    """A clock on which a second passes whenever it is read; returns the list of readings."""
    readings = []

    def clock(after):
        readings.append(len(readings) * 1_000_000)
        return ops.convert_to_tensor(readings[-1], "int64")

    monkeypatch.setattr(backend, "clock", clock)
    return readings


def step(n, state):
    return state + 1.0, ops.full((2, 1), 0.001), state + 1.0


# A reading before the loop, and one at each step.
@pytest.mark.parametrize("seconds", [0.5, 1.0, 4.5, 7.0])
@pytest.mark.parametrize("rule", [ACT, AnytimeACT, Sampled, Converged], ids=lambda x: x.__name__)
def test_the_step_in_which_the_time_is_up_is_the_last(seconds, rule, ticks):
    rule = Sampled(99).drawn(ops.zeros((2,))) if rule is Sampled else rule(max_ponder=99)
    with halting.limits(seconds=seconds):
        result = ponder(step, np.zeros((2, 3)), rule, history=True)
    np.testing.assert_array_equal(result.steps, np.ceil(seconds))
    np.testing.assert_allclose(np.sum(result.weights, axis=1), 1.0, atol=1e-6)


def test_other_limits_hold_beside_it(ticks):
    with halting.limits(max_ponder=3, seconds=1e9):
        assert ponder(step, np.zeros((2, 3)), ACT(99)).steps.numpy().tolist() == [3, 3]
    with halting.limits(seconds=1):
        assert ponder(step, np.zeros((2, 3)), Fixed(5)).steps.numpy().tolist() == [5, 5]


def layer(rule=ACT, **kwargs):
    cell = keras.layers.GRUCell(4)
    return ACTRNN(cell, halting=rule(ENDLESS), halting_bias=-80.0, return_ponder=True, **kwargs)


@pytest.mark.parametrize("go_backwards", [False, True])
def test_inputs_share_the_time_that_is_left(go_backwards, ticks):
    with halting.limits(seconds=60):
        steps = layer(go_backwards=go_backwards)(X)[1]["steps"].numpy()
    # Sixty readings for five inputs, one of which each needs before its first step.
    assert 60 <= steps[0].sum() + 5 <= 66
    assert steps.min() >= 9 and steps.max() <= 13


def test_every_input_takes_a_step(ticks):
    with halting.limits(seconds=0.1):
        np.testing.assert_array_equal(layer()(X)[1]["steps"], 1)


@pytest.mark.parametrize("length", [1, 2, None])
def test_the_first_step_counts_in_a_graph(length):
    """Whose clock is read before it, also for a single input."""
    inputs = keras.Input((length, 3))
    model = keras.Model(inputs, layer()(inputs)[1]["steps"])
    with halting.limits(seconds=1e-9):
        found = model.predict(X[:, : length or 1], verbose=0)
    np.testing.assert_array_equal(found, 1)


@pytest.mark.parametrize("rule", [ACT, Converged])
def test_the_first_step_counts_in_a_graph_of_any_loop(rule):
    with halting.limits(seconds=1e-9):
        result = tf.function(lambda x: ponder(step, x, rule(99)))(np.zeros((2, 3), "float32"))
    np.testing.assert_array_equal(result.steps, 1)


def timed(call, seconds):
    """How long the quickest of a few warm calls takes under a limit."""
    with halting.limits(seconds=seconds):
        call()
        began = []
        for _ in range(3):
            began.append(time.monotonic())
            call()
    return min(np.diff([*began, time.monotonic()]))


@pytest.mark.parametrize("rule", [ACT, pytest.param(AnytimeACT, marks=pytest.mark.slow)])
def test_a_prediction_ends_in_time(rule):
    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, layer(rule)(inputs))
    assert 0.25 < timed(lambda: model.predict_on_batch(X), 0.3) < 0.6
    with halting.limits(max_ponder=3):
        assert model.predict_on_batch(X)[1]["steps"].max() == 3


def test_rows_that_have_halted_are_dropped_in_time_too():
    act = layer()

    @tf.function
    def call():
        with halting.compaction():
            return act(X)

    assert 0.25 < timed(call, 0.3) < 0.6


def test_the_limit_may_be_an_input_of_a_graph():
    act = layer()

    @tf.function
    def call(seconds):
        with halting.limits(seconds=seconds):
            return act(X)[1]["steps"]

    few, many = (np.sum(call(tf.constant(seconds))) for seconds in (0.01, 0.4))
    assert few < many < 5 * 4 * ENDLESS


def test_recall_ends_in_time():
    inputs = keras.Input((None, 1))
    recall = Recall(4, 2, 6, halting=Converged(patience=ENDLESS - 1, max_ponder=ENDLESS))
    model = keras.Model(inputs, recall(inputs))
    assert 0.25 < timed(lambda: model.predict_on_batch(X[..., :1]), 0.3) < 0.6


def test_xla_has_no_clock():
    inputs = keras.Input((5, 3))
    model = keras.Model(inputs, layer()(inputs))
    model.compile(jit_compile=True)
    with halting.limits(seconds=1.0), pytest.raises(ValueError, match="jit_compile=False"):
        model.predict_on_batch(X)
