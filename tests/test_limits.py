"""Limits and compaction hold around whatever runs a model, on every backend."""

import functools
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf

import limits_on_every_backend as known
import other_backend
from keras_adaptive import halting
from keras_adaptive.halting import Converged
from keras_adaptive.layers import ACTRNN, PonderNet, Recall
from limits_on_every_backend import OWN, X, answers, ready, uses


@functools.cache
def model():
    return ready("functional")


def predict():
    return model().predict(X, verbose=0)


# How models may be built is the same for all backends.
FEW = ("subclassed", "nested", "Bidirectional")


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
@pytest.mark.parametrize(
    "models",
    [FEW, pytest.param((*known.MODELS,), marks=pytest.mark.slow)],
    ids=["few", "all"],
)
def test_limits_around_all_that_runs_a_model(models, backend):
    if backend == "tensorflow":
        results = known.compute(models)
    else:
        results = other_backend.call(backend, "limits_on_every_backend", "compute", models)
    assert len(results) == len(models) + 8 + (backend != "torch")
    wrong = [result for result in results if result[1] != result[2]]
    assert not wrong, wrong


@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_training_in_time(backend):
    """JAX would take the gradient of other steps than those that were taken."""
    if backend == "tensorflow":
        assert known.training_in_time() == ""
    else:
        found = other_backend.call(backend, "limits_on_every_backend", "training_in_time")
        assert "`limits(seconds=…)` is for inference on JAX" in found


def test_limits_around_a_model_compiled_by_xla():
    of = uses(ready("functional", jit_compile=True))
    assert answers(of["predict"], (None, 2, None)) == [OWN, 2, OWN]


def test_limits_hold_in_one_thread_and_in_those_of_a_strategy():
    found = {}

    def run(limit):
        found[limit] = answers(predict, (limit, limit))

    threads = [threading.Thread(target=run, args=(limit,)) for limit in (2, 3)]
    for thread in threads:
        thread.start()
    assert answers(predict, (None, None)) == [OWN, OWN]
    for thread in threads:
        thread.join()
    assert found == {2: [2, 2], 3: [3, 3]}
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        mirrored = ready("functional")
    assert answers(lambda: mirrored.predict(X, verbose=0), (None, 2)) == [OWN, 2]


def test_limits_by_tensors():
    within = tf.Variable(3)
    assert answers(predict, (tf.constant(2), tf.constant(3), within)) == [2, 3, 3]
    with pytest.raises(ValueError, match="max_ponder=0"), halting.limits(tf.constant(0)):
        pass

    inner = tf.function(model())

    @tf.function
    def outer(max_ponder):
        with halting.limits(max_ponder):
            return inner(X)

    assert [outer(tf.constant(limit))[0, 0] for limit in (2, 6)] == [2, 6]
    assert inner(X)[0, 0] == OWN


def thinkers(max_ponder=6):
    """A layer of each rule with limits, none of which halts before them, and its input."""
    cell, never = keras.layers.SimpleRNNCell(2), {"halting_bias": -80.0, "return_ponder": True}
    rules = (halting.ACT, halting.AnytimeACT, halting.Sampled)
    layers = {rule.__name__: ACTRNN(cell, halting=rule(max_ponder), **never) for rule in rules}
    found = {name: (layer, X) for name, layer in layers.items()}
    found["Converged"] = (Recall(2, 2, 3, Converged(50, max_ponder), return_ponder=True), X)
    found["PonderNet"] = (PonderNet(cell, max_ponder=max_ponder, **never), X[:, 0])
    return found


@pytest.mark.parametrize("name", thinkers())
def test_limits_below_and_above_that_of_each_rule(name):
    layer, inputs = thinkers()[name]

    def steps():
        return np.max(layer(inputs)[-1]["steps"])

    assert steps() == 6
    for limit in (2, 9):
        with halting.limits(limit):
            assert steps() == limit
    with halting.limits(seconds=1e-9):
        assert steps() == 1


def test_an_export_has_the_limits_that_it_was_made_in(tmp_path):
    predict()
    with halting.limits(2):
        model().export(str(tmp_path / "inside"), verbose=False)
    model().export(str(tmp_path / "outside"), verbose=False)
    loaded = {path.name: tf.saved_model.load(str(path)) for path in tmp_path.iterdir()}
    found = {name: float(of.serve(tf.constant(X))[0, 0]) for name, of in loaded.items()}
    assert found == {"inside": 2, "outside": OWN}


def test_compaction_around_a_model_that_was_traced_before():
    """The rows that the cell sees are counted where it runs."""
    rows = []

    @keras.saving.register_keras_serializable(package="tests")
    class Cell(keras.layers.SimpleRNNCell):
        def call(self, inputs, states, training=False):
            tf.numpy_function(lambda x: rows.append(len(x)), [inputs], [])
            return super().call(inputs, states, training)

    inputs = keras.Input((1, 2))
    layer = ACTRNN(Cell(2), max_ponder=4, return_ponder=True)
    outputs, ponder = layer(inputs)
    model = keras.Model(inputs, [outputs, ponder["steps"]])
    # The size of the input decides: the first row halts at once, the last at the limit.
    layer.cell.set_weights([np.ones((3, 2)), np.zeros((2, 2)), np.zeros(2)])
    layer.halting_unit.set_weights([np.full((2, 1), 9.0), np.full(1, -9.0)])
    x = np.array([[[2.0, 2.0]], [[0.5, 0.5]], [[-1.0, -2.0]]], "float32")

    def run():
        rows.clear()
        outputs, steps = model.predict(x, verbose=0)
        return outputs, steps, sum(rows)

    whole, steps, all_rows = run()
    with halting.compaction():
        compacted, *_, kept_rows = run()
    np.testing.assert_allclose(compacted, whole, atol=1e-6)
    assert kept_rows == np.sum(steps) < all_rows == 3 * np.max(steps)
    assert run()[2] == all_rows


@pytest.mark.parametrize("how", ["eager", "graph", "traced before"])
@pytest.mark.parametrize("rows", [3, None])
def test_compaction_refuses_steps_that_need_the_whole_batch(how, rows):
    def run(memory):
        def step(n, x):
            x = x + memory
            return x, x[:, 0], x

        return halting.ponder(step, keras.ops.zeros_like(memory), halting.ACT(4)).output

    memory = tf.constant([[0.1, 0.1], [0.3, 0.3], [2.0, 2.0]])
    if how != "eager":
        run = tf.function(run, input_signature=[tf.TensorSpec((rows, 2))])
    if how == "traced before":
        run(memory)
    with pytest.raises(ValueError, match="rows must be independent"), halting.compaction():
        run(memory)


def test_compaction_leaves_other_errors_alone():
    with pytest.raises(tf.errors.InvalidArgumentError), halting.compaction():
        tf.reshape(tf.ones(3), (4,))
