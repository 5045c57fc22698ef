"""The halting loop: the paper's rule on given activations, and what holds for any step."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from keras import ops

import references
from keras_adaptive import halting
from keras_adaptive.halting import ACT, Fixed, ponder
from known_halting import MODES, given_step, on_table, run, values_for

# h, M, N, R, every p: the examples that tell public implementations of ACT apart.
TABLE = [
    ([0.995], 100, 1, 1.0, [1.0]),
    ([0.4, 0.4, 0.4], 100, 3, 0.2, [0.4, 0.4, 0.2]),
    ([0.22] * 5, 100, 5, 0.12, [0.22, 0.22, 0.22, 0.22, 0.12]),
    ([0.5, 0.495], 100, 2, 0.5, [0.5, 0.5]),
    ([0.1] * 4, 4, 4, 0.7, [0.1, 0.1, 0.1, 0.7]),
]


@pytest.mark.parametrize("h, M, N, R, p", TABLE, ids=[str(row[0]) for row in TABLE])
def test_table(h, M, N, R, p):
    """N, R, ρ, the weights, the mean, and ∂ρ/∂h: -1 before N, 0 at N (Equation 14)."""
    # Activations beyond N would count if the loop went on; they must not, in value or gradient.
    h = tf.constant([h + [0.3] * (3 if len(h) < M else 0)], "float64")
    values = values_for(h)
    with tf.GradientTape() as tape:
        tape.watch(h)
        result = on_table(h, values, ACT(M), history=True)
        rho = ops.sum(result.ponder)
    gradient = tape.gradient(rho, h, unconnected_gradients="zero")[0].numpy()
    assert result.steps.numpy().tolist() == [N]
    np.testing.assert_allclose(result.remainder, [R], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.ponder, [N + R], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.weights[0, :N], p, rtol=0, atol=1e-12)
    assert not np.any(result.weights[0, N:])
    np.testing.assert_array_equal(gradient, [-1.0] * (N - 1) + [0.0] * (len(gradient) - N + 1))
    mean = np.sum(np.array(p)[:, None] * values[0, :N], axis=0)
    np.testing.assert_allclose(result.output[0], mean, atol=1e-12)
    np.testing.assert_allclose(result.states[0], 2 * mean, atol=1e-12)


# XLA differentiates the loop in training alone.
@pytest.mark.parametrize(
    "mode, training", [("eager", True), ("graph", True), ("graph", False), ("jit", True)]
)
def test_gradient_of_activations_is_equation_19(mode, training):
    """∂L/∂h = ∂L/∂y (y^n - y^N) + ∂L/∂s (s^n - s^N) - τ before N, 0 from N on."""
    h = np.array([[0.4, 0.3, 0.2, 0.5], [0.995, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]])
    values, tau = values_for(h), 0.25
    of_output, of_states = np.random.default_rng(1).normal(size=(2, 2))

    def gradient(h):
        with tf.GradientTape() as tape:
            tape.watch(h)
            result = on_table(h, tf.constant(values), ACT(4), training=training)
            loss = ops.sum(result.output * of_output + result.states * of_states)
            loss += tau * ops.sum(result.ponder)
        return tape.gradient(loss, h)

    expected = np.zeros_like(h)
    for row, N in enumerate([4, 1, 4]):
        for n in range(N - 1):
            y, s = values[row], 2 * values[row]
            expected[row, n] = of_output @ (y[n] - y[N - 1]) + of_states @ (s[n] - s[N - 1]) - tau
    np.testing.assert_allclose(run(gradient, mode)(tf.constant(h)), expected, atol=1e-12)


activations = hnp.arrays(
    "float64", st.tuples(st.integers(1, 4), st.just(6)), elements=st.floats(0.0, 1.0)
)


@given(activations, st.integers(1, 6), st.sampled_from([0.0, 0.01, 0.3]), st.integers(0, 15))
def test_invariants(h, M, epsilon, mask_bits):
    """Against the reference: weights, their sum, N ≤ M, and rows that the mask frees."""
    mask = np.array([bool(mask_bits >> i & 1) for i in range(len(h))])
    values = values_for(h)
    table = tf.Variable(np.concatenate([h[:, :, None], values], axis=-1))
    with tf.GradientTape() as tape:
        state = tf.zeros((len(h), 2), "float64")
        result = ponder(given_step, state, ACT(M, epsilon), table, mask, history=True)
        loss = ops.sum(result.output**2) + ops.sum(result.ponder)
    gradient = tape.gradient(loss, table).numpy()
    for row in range(len(h)):
        N, R, p = references.halt(list(h[row]), M, epsilon) if mask[row] else (0, 0.0, np.zeros(0))
        assert result.steps[row] == N <= M
        np.testing.assert_allclose(result.remainder[row], R, atol=1e-12)
        np.testing.assert_allclose(result.weights[row, :N], p, atol=1e-12)
        np.testing.assert_allclose(np.sum(result.weights[row]), float(mask[row]), atol=1e-12)
        np.testing.assert_allclose(result.output[row], p @ values[row, :N], atol=1e-12)
        assert not np.any(gradient[row, N:]), "steps that were not taken have no gradient"


@given(activations, st.randoms(use_true_random=False))
def test_order_of_the_batch_is_irrelevant(h, random):
    order = random.sample(range(len(h)), len(h))
    values = values_for(h)
    result = on_table(h, values, ACT(6))
    shuffled = on_table(h[order], values[order], ACT(6))
    for name in ("output", "states", "steps", "remainder"):
        np.testing.assert_array_equal(
            np.array(getattr(result, name))[order], getattr(shuffled, name)
        )


@pytest.mark.parametrize("mode", MODES)
def test_modes_agree_and_stop_early(mode):
    """M is so large that a loop which did not stop would never end."""
    h = np.array([[0.4, 0.4, 0.4, 0.4], [0.995, 0.9, 0.9, 0.9], [0.3, 0.3, 0.3, 0.3]])
    values = values_for(h)

    def forward(h, values):
        result = on_table(h, values, ACT(10**8), training=False)
        return result.output, result.steps, result.remainder

    output, steps, remainder = run(forward, mode)(tf.constant(h), tf.constant(values))
    assert steps.numpy().tolist() == [3, 1, 4]
    np.testing.assert_allclose(remainder, [0.2, 1.0, 0.1], atol=1e-12)
    weights = np.array([[0.4, 0.4, 0.2, 0], [1, 0, 0, 0], [0.3, 0.3, 0.3, 0.1]])
    np.testing.assert_allclose(output, np.einsum("bn,bnd->bd", weights, values), atol=1e-12)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("graph", [True, False])
def test_step_runs_as_often_as_the_longest_row(training, graph):
    calls = []

    def count(state):
        calls.append(1)
        return state

    def step(n, state, h):
        (state,) = [tf.numpy_function(count, [state], state.dtype)]
        state = tf.ensure_shape(state, (2, 1))
        return state, h, state

    def forward():
        return ponder(
            step, tf.zeros((2, 1)), ACT(50), tf.constant([[0.6], [0.3]]), training=training
        ).steps

    assert (tf.function(forward) if graph else forward)().numpy().tolist() == [2, 4]
    assert len(calls) == 4


def test_history_has_the_outputs_of_every_step():
    h = np.array([[0.4, 0.4, 0.4], [0.995, 0.1, 0.1]])
    values = values_for(h)
    result = on_table(h, values, ACT(5), history=True)
    assert result.weights.shape == (2, 5) and result.outputs.shape == (2, 5, 2)
    np.testing.assert_allclose(result.outputs[0, :3], values[0])
    np.testing.assert_allclose(result.outputs[1, 0], values[1, 0])
    assert not np.any(result.outputs[0, 3:]) and not np.any(result.outputs[1, 1:])
    np.testing.assert_allclose(
        result.output, np.einsum("bn,bnd->bd", result.weights, result.outputs), atol=1e-12
    )
    assert on_table(h, values, ACT(5)).weights is None


def test_states_of_any_nesting_rank_and_dtype():
    states = {"image": tf.ones((2, 3, 4)), "rest": [tf.ones((2,), "float16"), (tf.ones((2, 1)),)]}

    def step(n, states):
        states = keras.tree.map_structure(lambda x: x * 2, states)
        return states["rest"][0], tf.constant([0.5, 1.0]), states

    result = ponder(step, states, ACT(9))
    keras.tree.assert_same_structure(result.states, states)
    for tensor, before in zip(keras.tree.flatten(result.states), keras.tree.flatten(states)):
        assert tensor.shape == before.shape and tensor.dtype == before.dtype
        np.testing.assert_allclose(tensor[0], 0.5 * 2 + 0.5 * 4)
        np.testing.assert_allclose(tensor[1], 2.0)
    assert result.output.dtype == "float16" and result.remainder.dtype == "float32"


def test_first_step_is_told():
    seen = []

    def step(n, state):
        seen.append(int(n))
        return state, tf.constant([0.3]), state

    ponder(step, tf.zeros((1, 1)), ACT(100))
    assert seen == [1, 2, 3, 4]


def test_fixed_gives_the_last_step():
    step = lambda n, state: (state * 10.0, None, state + 1.0)  # noqa: E731
    result = ponder(step, tf.zeros((2, 1)), Fixed(3), mask=np.array([True, False]))
    assert result.output.numpy().ravel().tolist() == [20.0, 0.0]
    assert result.states.numpy().ravel().tolist() == [3.0, 0.0]
    assert result.steps.numpy().tolist() == [3.0, 0.0]
    assert result.remainder.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_gradient_reaches_weights_inputs_and_states(mode):
    """Of a step with weights of its own (a residual block and an attention read)."""
    keras.utils.set_random_seed(1)
    rng = np.random.default_rng(0)
    block = keras.layers.Dense(4, activation="tanh", dtype="float64")
    halt = keras.layers.Dense(1, activation="sigmoid", bias_initializer="ones", dtype="float64")
    raw = tf.Variable(rng.normal(size=4))
    query, memory = tf.constant(rng.normal(size=(3, 4))), tf.constant(rng.normal(size=(3, 5, 4)))
    outside = tf.constant(rng.normal(size=4))
    block.build((3, 4)), halt.build((3, 4))
    weights = [v.value for v in [*block.trainable_variables, *halt.trainable_variables]]

    def gradients(query, memory, outside):
        def step(n, query, memory):
            attention = ops.softmax(ops.einsum("bd,bsd->bs", query, memory))
            query = query + ops.einsum("bs,bsd->bd", attention, memory) * raw
            query = query + block(query) * outside
            return query, halt(query), query

        with tf.GradientTape() as tape:
            tape.watch([query, memory, outside])
            result = ponder(step, query, ACT(5), inputs=memory)
            loss = ops.sum(result.output**2) + ops.sum(result.ponder)
        return loss, tape.gradient(loss, [*weights, query, memory, outside, raw])

    loss, found = run(gradients, mode)(query, memory, outside)

    def reference(kernel, bias, halting_kernel, halting_bias, query, memory, outside, raw):
        total = 0.0
        for q, m in zip(query, memory):
            outputs, h, N = [], [], None
            while not (len(h) == 5 or sum(h) >= 0.99):
                a = np.exp(m @ q)
                q = q + (a / np.sum(a)) @ m * raw
                q = q + np.tanh(q @ kernel + bias) * outside
                outputs.append(q)
                h.append(references.sigma(q @ halting_kernel + halting_bias)[0])
            N, R, p = references.halt(h, 5, 0.01)
            total += np.sum((p @ np.array(outputs)) ** 2) + N + R
        return total

    arrays = [np.array(x) for x in [*weights, query, memory, outside, raw]]
    np.testing.assert_allclose(loss, reference(*arrays), rtol=1e-12)
    for got, wanted in zip(found, references.central_differences(reference, arrays)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-7 * max(1, np.max(np.abs(wanted))))


@pytest.mark.parametrize("mode", MODES)
def test_a_step_after_the_last_may_overflow(mode):
    """A row that halts while others run is not infinite times zero."""
    limits = np.array([3.0, 9.0], "float32")

    def step(n, states, limits):
        pole = 1 / (limits - ops.cast(n, "float32"))[:, None]
        return pole * states, ops.where(limits < 4, 0.6, 0.25), states

    def both():
        result = ponder(step, np.ones((2, 1), "float32"), ACT(10), inputs=limits, history=True)
        return result.output, result.outputs

    output, outputs = run(both, mode)()
    alone = ponder(step, np.ones((1, 1), "float32"), ACT(10), inputs=limits[:1])
    np.testing.assert_allclose(output[:1], alone.output, rtol=1e-6)
    assert np.isfinite(output).all() and np.isfinite(outputs).all()


def test_states_of_masked_rows_do_not_count():
    states = np.array([[np.nan], [1.0]], "float32")
    step = lambda n, states: (states, ops.full((2,), 0.6), states)  # noqa: E731
    result = ponder(step, states, ACT(10), mask=np.array([False, True]))
    np.testing.assert_array_equal(result.output, [[0], [1]])
    np.testing.assert_array_equal(result.states, [[0], [1]])


def test_rows_do_not_leak_into_each_other():
    """What a masked row would read may even be NaN: it does not pass, in value or gradient."""
    h = np.array([[0.6, 0.6, 0.6], [np.nan, np.nan, np.nan], [0.4, 0.4, 0.4]])
    values = values_for(h)
    values[1] = np.nan
    table = tf.Variable(np.concatenate([h[:, :, None], values], axis=-1))
    with tf.GradientTape() as tape:
        mask = np.array([True, False, True])
        result = ponder(given_step, tf.zeros((3, 2), "float64"), ACT(3), table, mask)
        loss = ops.sum(result.output) + ops.sum(result.states) + ops.sum(result.ponder)
    assert result.steps.numpy().tolist() == [2, 0, 3]
    for part in (result.output, result.states, result.remainder):
        assert np.all(np.isfinite(part))
        assert not np.any(part[1])
    assert np.all(np.isfinite(tape.gradient(loss, table)))


@pytest.mark.parametrize("graph", [True, False])
def test_compaction_gives_the_same(graph):
    h = np.array([[0.4, 0.4, 0.4], [0.995, 0.1, 0.1], [0.6, 0.5, 0.1], [0.2, 0.2, 0.2]])
    values, rows = values_for(h), []

    def counted(n, state, table):
        tf.numpy_function(lambda x: rows.append(len(x)), [state], [])
        return given_step(n, state, table)

    def forward(h, values, compact):
        table = ops.concatenate([h[:, :, None], values], axis=-1)
        arguments = counted, ops.zeros_like(values[:, 0]), ACT(3), table
        mask = tf.constant([True, True, True, False])
        if compact:
            with halting.compaction():
                return ponder(*arguments, mask=mask, training=False, history=True)
        return ponder(*arguments, mask=mask, training=False, history=True)

    forward = tf.function(forward) if graph else forward
    expected = forward(tf.constant(h), tf.constant(values), False)
    rows.clear()
    result = forward(tf.constant(h), tf.constant(values), True)
    for got, wanted in zip(result, expected):
        np.testing.assert_allclose(got, wanted, atol=1e-12)
    assert sum(rows) == 4 + 2 + 1, rows
