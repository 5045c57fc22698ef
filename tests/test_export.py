"""Exported models without our package: they stop early, for any batch and length, within limits."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import clean_process
from keras_adaptive import halting
from keras_adaptive.export import add_endpoints
from keras_adaptive.layers import ACTRNN
from known_layers import sequences


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The answers of three models in one clean process, and what they should be."""
    folder = tmp_path_factory.mktemp("exported")
    inputs = keras.Input((None, 2))
    # A loop that ran to this limit would never end.
    layer = ACTRNN(
        keras.layers.LSTMCell(3),
        max_ponder=10**8,
        halting_bias=-1.0,
        return_sequences=True,
        return_ponder=True,
    )
    model = keras.Model(inputs, layer(keras.layers.Masking()(inputs)))
    x = sequences(3, 5, 2).astype("float32")
    x[0, 3:], x[1, 1:] = 0.0, 0.0
    expected = {}

    def export(name, serve, specs, *arguments):
        archive = keras.export.ExportArchive()
        archive.track(model)
        archive.add_endpoint("serve", serve, specs)
        archive.write_out(folder / name / "model", verbose=False)
        np.savez(folder / name / "inputs.npz", *arguments)

    def free(x):
        return keras.tree.flatten(model(x))

    def compacted(x):
        with halting.compaction():
            return free(x)

    def limited(x, max_ponder, epsilon):
        with halting.limits(max_ponder=max_ponder, epsilon=epsilon):
            return free(x)

    any_size = tf.TensorSpec((None, None, 2), "float32")
    limits = [tf.TensorSpec((), "int32"), tf.TensorSpec((), "float32")]
    export("free", free, [any_size], x)
    export("compacted", compacted, [any_size], x)
    export("limited", limited, [any_size, *limits], x, np.int32(2), np.float32(0.5))
    expected["free"] = expected["compacted"] = free(x)
    with halting.limits(max_ponder=2, epsilon=0.5):
        expected["limited"] = free(x)
    found = clean_process.answers(folder)
    return {name: (found[name], expected[name]) for name in found}


@pytest.mark.parametrize("name", ["free", "compacted", "limited"])
def test_answers_in_a_clean_process(exported, name):
    found, expected = exported[name]
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_masked_steps_are_free_and_others_ponder(exported):
    steps = exported["free"][1][2]
    np.testing.assert_array_equal(np.array(steps)[:2] > 0, [[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]])
    assert np.max(steps) > 2
    assert np.max(exported["limited"][0][2]) == 2


def test_endpoints_of_a_model_of_ones_own(tmp_path):
    inputs = keras.Input((None, 2))
    layer = ACTRNN(keras.layers.GRUCell(3), halting_bias=-3.0, return_ponder=True)
    outputs, ponder = layer(inputs)
    model = keras.Model(inputs, {"outputs": outputs, "steps": ponder["steps"]})
    archive = keras.export.ExportArchive()
    archive.track(model)
    add_endpoints(archive, model, (None, None, 2), limits=("max_ponder", "epsilon"))
    archive.write_out(tmp_path / "model", verbose=False)
    served = tf.saved_model.load(str(tmp_path / "model"))
    x = sequences(3, 5, 2).astype("float32")
    expected, found = model(x), served.serve(x)
    np.testing.assert_allclose(found["outputs"], expected["outputs"], atol=1e-5)
    np.testing.assert_array_equal(found["steps"], expected["steps"])
    limited = served.serve_with_limits(x, 2, 0.01)
    assert np.max(expected["steps"]) > 2 == np.max(limited["steps"])
