"""The one loop over all steps of all time steps, with which TensorFlow trains."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

import references
from keras_adaptive.backend import last_chunk
from keras_adaptive.backend.tensorflow import chunks as tensorflow_chunks
from keras_adaptive.backend.tensorflow import element as tensorflow_element
from keras_adaptive.backend.tensorflow import scan as tensorflow_scan
from keras_adaptive.halting import Converged, Decision, Sampled, over_time
from keras_adaptive.layers import ACTRNN
from known_layers import CELLS, TAU, act_layer, ragged_mask, sequences


@pytest.fixture
def found(monkeypatch):
    """Whether the loop could be used, at each tracing."""
    log = []

    def spy(*arguments):
        log.append(result := tensorflow_scan.scan_repeats(*arguments))
        return result

    monkeypatch.setattr(over_time.backend, "scan_repeats", spy)
    return log


def everything(layer, x, **kwargs):
    """Outputs, losses and gradients of a training step in a graph, as NumPy arrays."""
    (found,) = steps(layer, x, times=1, **kwargs)
    return found


def trace(layer, x, jit=False):
    """Trace the training step without running it."""
    list(steps(layer, x, times=0, jit=jit))


def steps(layer, x, times, mask=None, jit=False):
    """What `everything` gives, of each run of one trace."""
    x = tf.constant(x)

    def run(x):
        weights = [variable.value for variable in layer.trainable_variables]
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = layer(x, mask=mask, training=True)
            floating = [y for y in keras.tree.flatten(results) if y.dtype.is_floating]
            loss = sum(ops.sum(ops.cast(y, "float64") ** 2) for y in floating)
            loss += sum(ops.cast(extra, "float64") for extra in layer.losses)
        return results, loss, tape.gradient(loss, [*weights, x], unconnected_gradients="zero")

    run = tf.function(run, jit_compile=jit)
    run.get_concrete_function(x)
    for _ in range(times):
        yield [np.array(y) for y in keras.tree.flatten(run(x))]


def assert_as_with_two_loops(layer, x, monkeypatch, found, **kwargs):
    got = everything(layer, x, **kwargs)
    assert found and found[-1] is not None
    monkeypatch.setattr(over_time, "_in_one_loop", lambda *_: None)
    wanted = everything(layer, x, **{**kwargs, "jit": False})
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


# test_training.py compares weights after two steps with the equations.
@pytest.mark.slow
@settings(max_examples=12)
@given(
    cell=st.sampled_from(CELLS),
    sizes=st.tuples(*[st.integers(1, 3)] * 4),
    M=st.sampled_from([1, 2, 3, 8]),
    epsilon=st.sampled_from([0.0, 0.01, 0.2]),
    masked=st.booleans(),
    free=st.booleans(),
    seed=st.integers(0, 99),
)
def test_equals_the_equations(cell, sizes, M, epsilon, masked, free, seed):
    batch, time, features, units = sizes
    layer, weights = act_layer(
        cell, features, units, seed, bias=-1.0, max_ponder=M, epsilon=epsilon
    )
    x = sequences(batch, time, features, seed)
    mask = ragged_mask(batch, time, seed) if masked else None
    signature = [tf.TensorSpec([None, None, features] if free else x.shape, "float64")]

    @tf.function(input_signature=signature)
    def run(x):
        weights = [variable.value for variable in layer.trainable_variables]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, *states, ponder = layer(x, mask=mask, training=True)
            loss = sum(ops.sum(part**2) for part in [y, *states]) + sum(layer.losses)
        gradients = tape.gradient(loss, [*weights, x], unconnected_gradients="zero")
        return [y, *states, ponder["remainder"]], ponder["steps"], gradients

    values, steps, gradients = run(tf.constant(x))
    expected = references.act_batch(cell, weights, x, M, epsilon, TAU, mask)
    np.testing.assert_array_equal(steps, expected.N)
    for got, wanted in zip(values, [expected.y, *expected.s, expected.R], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)
    expected = references.act_gradients(cell, weights, x, M, epsilon, TAU, mask)
    scale = max(np.max(np.abs(gradient)) for gradient in expected)
    for got, wanted in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6 * scale)


class Own(keras.layers.Layer):
    """A user's cell, whose output is none of its states, with a weight that gets no gradient."""

    state_size = [2, 3]  # noqa: RUF012
    output_size = 3

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 3), name="kernel")
        self.idle = self.add_weight(shape=(3,), name="idle")
        self.constant = self.add_weight(shape=(3,), trainable=False, name="constant")

    def call(self, inputs, states):
        first, second = states
        now = inputs @ self.kernel + ops.stop_gradient(self.idle) + self.constant
        second = ops.tanh(second + now + ops.mean(first, axis=1, keepdims=True))
        return ops.exp(-second), [0.5 * first + ops.sin(second)[:, :2], second]


def of(cell, **kwargs):
    """A layer of float64 with a few steps at each time, built."""
    arguments = {"max_ponder": 6, "halting_bias": -1.0, "return_sequences": True}
    arguments |= {"return_ponder": True, "dtype": "float64"}
    layer = ACTRNN(cell, **{**arguments, **kwargs})
    layer.build((None, None, 2))
    return layer


def lstm(**kwargs):
    return keras.layers.LSTMCell(3, dtype="float64", **kwargs)


LAYERS = {
    "own": lambda: of(Own(dtype="float64"), return_state=True),
    "stacked": lambda: of(keras.layers.StackedRNNCells([lstm(), lstm()], dtype="float64")),
    "backwards": lambda: of(lstm(), go_backwards=True),
    "fixed": lambda: of(lstm(), halting="fixed", steps=3),
    "converged, zero output": lambda: of(
        lstm(), halting=Converged(2, max_ponder=4), zero_output_for_mask=True
    ),
    "last output": lambda: of(lstm(), return_sequences=False),
    "frozen": lambda: of(lstm(trainable=False)),
}


# Below, "own" is computed in many chunks. The others are in the sample of test_training.py too, and
# rules of other kinds in the tests of these rules.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow)
        for name in LAYERS
    ],
)
def test_equals_the_two_loops(name, monkeypatch, found):
    mask = ragged_mask(3, 4)
    assert_as_with_two_loops(LAYERS[name](), sequences(3, 4, 2), monkeypatch, found, mask=mask)


@pytest.mark.slow
def test_under_xla(monkeypatch, found):
    layer = of(Own(dtype="float64"))
    mask = ragged_mask(3, 4)
    assert_as_with_two_loops(layer, sequences(3, 4, 2), monkeypatch, found, mask=mask, jit=True)


@pytest.fixture
def chunks(monkeypatch):
    """Chunks of three steps; the functions that are compiled for them."""
    made, compiled = [], tensorflow_chunks._compiled
    for limit in ("FEWEST", "MOST"):
        monkeypatch.setattr(tensorflow_chunks, limit, 3)

    def spy(*arguments):
        made.extend(found := compiled(*arguments))
        return found

    monkeypatch.setattr(tensorflow_chunks, "_compiled", spy)
    return made


def test_in_many_chunks(monkeypatch, found, chunks):
    mask = ragged_mask(3, 4)
    assert_as_with_two_loops(LAYERS["own"](), sequences(3, 4, 2), monkeypatch, found, mask=mask)
    assert len(chunks) == 2


@pytest.mark.parametrize(
    ("cell", "jit"),
    [
        pytest.param("SimpleRNNCell", False, marks=pytest.mark.slow),
        pytest.param("LSTMCell", True, marks=pytest.mark.slow),
        pytest.param("SimpleRNNCell", True, marks=pytest.mark.slow),
        pytest.param("LSTMCell", False, marks=pytest.mark.slow),
    ],
)
def test_a_single_element_in_many_chunks(cell, jit, monkeypatch, found):
    """The state of a SimpleRNN is its output, so one of them is saved."""
    monkeypatch.setattr(tensorflow_element, "FEWEST", 2)
    monkeypatch.setattr(tensorflow_element, "BYTES", 1)
    repeated, again = [], tensorflow_element.Element._steps_again
    monkeypatch.setattr(
        tensorflow_element.Element,
        "_steps_again",
        lambda self, *rest: repeated.append(self.frozen) or again(self, *rest),
    )
    layer = of(getattr(keras.layers, cell)(3, dtype="float64"))
    x, mask = sequences(5, 1, 2), np.array([[True]] * 4 + [[False]])
    steps = keras.ops.convert_to_numpy(layer(x, mask=mask)[-1]["steps"])
    assert steps.max() > 4 and len(set(steps.ravel())) > 2
    assert_as_with_two_loops(layer, x, monkeypatch, found, mask=mask, jit=jit)
    assert len(repeated) == 1 and bool(repeated[0]) == (cell == "SimpleRNNCell")


# More sizes are those of JAX, in test_backends.py: the algorithm is the same.
@pytest.mark.parametrize("name", ["stacked", pytest.param("own", marks=pytest.mark.slow)])
def test_steps_that_are_taken_again_where_xla_compiles_the_model(name, monkeypatch):
    rooms, pull_back = [], last_chunk.pull_back
    monkeypatch.setattr(tensorflow_scan, "MOST_BYTES_OF_XLA", 0)
    monkeypatch.setattr(last_chunk, "KEPT", 2)
    monkeypatch.setattr(
        last_chunk,
        "pull_back",
        lambda *loop: rooms.append(loop[4][0].shape[0]) or pull_back(*loop),
    )
    layer, x, mask = LAYERS[name](), sequences(3, 2, 2), ragged_mask(3, 2)
    got = everything(layer, x, mask=mask, jit=True)
    assert set(rooms) == {2} and layer(x, mask=mask)[-1]["steps"].numpy().max() > 3
    monkeypatch.setattr(over_time, "_in_one_loop", lambda *_: None)
    wanted = everything(layer, x, mask=mask)
    assert set(rooms) == {2} and len(rooms) == 1
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


def test_xla_compiles_the_same_shapes_for_all_lengths(chunks):
    layer = ACTRNN(keras.layers.LSTMCell(3), max_ponder=6, return_sequences=True)
    model = keras.Sequential([keras.Input((None, 2)), layer])
    model.compile("sgd", "mse")
    batches = tf.data.Dataset.from_generator(
        lambda: ((sequences(3, length, 2), np.ones((3, length, 3))) for length in (1, 4, 7)),
        output_signature=(tf.TensorSpec((3, None, 2)), tf.TensorSpec((3, None, 3))),
    )
    model.fit(batches, verbose=0)
    for function in chunks:
        # TensorFlow compiles a trace once for each of the shapes that it is called with.
        (trace,) = function._list_all_concrete_functions()
        assert all(x.shape.is_fully_defined() for x in trace.inputs)


def test_a_layer_that_shall_not_be_compiled(found, chunks):
    layer = of(lstm())
    layer.supports_jit = False
    trace(layer, sequences(3, 4, 2))
    assert found[0] is not None and not chunks


# In one chunk it is refused in test_training_in_fit.py.
@pytest.mark.slow
def test_a_second_derivative_is_refused(chunks):
    layer = of(lstm(), return_ponder=False)

    @tf.function
    def penalty(x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = ops.sum(layer(x, training=True))
            slope = ops.sum(tape.gradient(y, x) ** 2)
        return outer.gradient(slope, layer.trainable_variables[0].value)

    with pytest.raises(RuntimeError, match="supports_jit = False"):
        penalty(tf.constant(sequences(3, 4, 2)))


class Geometric:
    """A rule of a user."""

    has_ponder_cost = True
    max_ponder = 4

    def start(self, batch_size, dtype):
        return ops.ones((batch_size,), dtype)

    def __call__(self, step, halting, memory):
        halts = ops.broadcast_to(ops.greater_equal(step, self.max_ponder), ops.shape(memory))
        weight = ops.where(halts, memory, memory * halting)
        return Decision(weight, ops.zeros_like(weight), halts, memory - weight)


class Declared(Geometric):
    supports_tensor_step = True


def test_a_rule_of_a_user(monkeypatch, found):
    trace(of(lstm(), halting=Geometric()), sequences(3, 4, 2))
    assert not found
    assert_as_with_two_loops(of(lstm(), halting=Declared()), sequences(3, 4, 2), monkeypatch, found)


def test_draws_of_a_rule(found):
    layer = of(lstm(), halting=Sampled(6, seed=1))
    first, second = steps(layer, sequences(3, 4, 2), times=2)
    assert found[0] is not None and any(np.any(a != b) for a, b in zip(first, second))


def test_what_a_step_draws_is_what_its_gradient_knows(found):
    class Noisy(keras.layers.SimpleRNNCell):
        def call(self, inputs, states, training=False):
            output, states = super().call(inputs, states)
            output = output * self.scale * tf.random.uniform(tf.shape(output), dtype="float64")
            return output, states

        def build(self, shape):
            super().build(shape)
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    layer = of(Noisy(3, dtype="float64"), halting="fixed", steps=3, return_ponder=False)
    y, _, *gradients = everything(layer, sequences(3, 4, 2))
    scale = [variable.name for variable in layer.trainable_variables].index("scale")
    assert found[0] is not None
    np.testing.assert_allclose(gradients[scale], 2 * np.sum(y**2), rtol=1e-9)


class Seeded(keras.layers.SimpleRNNCell):
    """Draws by a seed that it moves on."""

    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        self.seeds = keras.random.SeedGenerator(1)

    def call(self, inputs, states, training=False):
        output, states = super().call(inputs, states)
        return keras.random.dropout(output, 0.5, seed=self.seeds), states


class Printing(keras.layers.SimpleRNNCell):
    """Does something else than compute."""

    def call(self, inputs, states, training=False):
        tf.print("a step", output_stream="file:///dev/null")
        return super().call(inputs, states)


class Looping(keras.layers.SimpleRNNCell):
    """Has a loop of its own."""

    def call(self, inputs, states, training=False):
        output, states = super().call(inputs, states)
        (output,) = tf.while_loop(
            lambda y: tf.reduce_sum(y**2) > 0.1, lambda y: [y * 0.5], [output]
        )
        return output, states


@pytest.mark.parametrize(
    "cell", [Seeded, *(pytest.param(x, marks=pytest.mark.slow) for x in (Printing, Looping))]
)
def test_leaves_alone_what_it_cannot_do(cell, found):
    layer = of(cell(3, dtype="float64"))
    results = everything(layer, sequences(3, 4, 2))
    assert found == [None] and all(np.all(np.isfinite(y)) for y in results)


def test_leaves_alone_what_takes_too_much_memory(monkeypatch, found):
    monkeypatch.setattr(tensorflow_scan, "MOST_BYTES_OF_XLA", 4 * 6 * 3 * 3 * 8)
    layer = of(lstm())
    trace(layer, sequences(3, 4, 2), jit=True)
    assert found == [None]
    trace(layer, sequences(3, 4, 2))
    assert found[1] is not None
