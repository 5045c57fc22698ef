"""Batch normalization in one operation is Keras's own."""

import keras
import numpy as np
import pytest
from keras import layers

from keras_adaptive import backend, models
from keras_adaptive.models import adaptive_resnet
from keras_adaptive.residual import halting_unit, norm, unit

KINDS = (norm.BatchNormalization, layers.BatchNormalization)


def after_two_steps(kind, dtype, jit_compile, trainable):
    """Weights, and the answers to the next batch, of a network of two convolutions."""
    keras.utils.set_random_seed(1)
    inputs = keras.Input((None, None, 2), dtype="float32")
    x = layers.Conv2D(3, 3, dtype=dtype)(inputs)
    normalization = kind(momentum=0.7, dtype=dtype, trainable=trainable)
    x = layers.Conv2D(1, 1, dtype=dtype)(keras.ops.tanh(normalization(x)))
    model = keras.Model(inputs, layers.Flatten(dtype="float32")(x))
    normalization.gamma.assign([0.5, 1.0, 2.0])
    normalization.beta.assign([0.1, 0.0, -0.3])
    model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=jit_compile)
    rng = np.random.default_rng(2)
    images = rng.normal(3, 2, (8, 5, 4, 2)).astype("float32")
    model.fit(images, rng.normal(size=(8, 6)), batch_size=4, shuffle=False, verbose=0)
    return [*model.get_weights(), model.predict(images, verbose=0)]


@pytest.mark.parametrize(
    "dtype", ["float32", "mixed_bfloat16", pytest.param("float64", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("jit_compile", [False, True], ids=["graph", "xla"])
def test_two_steps_of_fit(monkeypatch, dtype, jit_compile):
    calls = []
    if backend.batch_normalized is not None:
        counted = backend.batch_normalized
        monkeypatch.setattr(
            backend,
            "batch_normalized",
            lambda *args, **more: calls.append(0) or counted(*args, **more),
        )
    own, kerass = (after_two_steps(kind, dtype, jit_compile, True) for kind in KINDS)
    tolerance = {"float32": 1e-5, "mixed_bfloat16": 2e-2, "float64": 1e-12}[dtype]
    for one, other in zip(own, kerass, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
    assert bool(calls) == (dtype != "float64" and backend.batch_normalized is not None)


def test_frozen_normalizes_by_the_running_statistics():
    own, kerass = (after_two_steps(kind, "float32", False, False) for kind in KINDS)
    for one, other in zip(own, kerass, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=2e-6)
    # γ, β, and the running mean and variance are those of before.
    start = np.float32([[0.5, 1.0, 2.0], [0.1, 0.0, -0.3], [0.0] * 3, [1.0] * 3])
    np.testing.assert_array_equal(own[2:6], start)


def test_one_position_has_no_variance():
    x = np.full((1, 1, 1, 2), 3, "float32")
    results = []
    for kind in KINDS:
        layer = kind(momentum=0.5)
        outputs = layer(x, training=True)
        results.append([np.asarray(outputs), *layer.get_weights()])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_reads_a_file_that_was_written_with_the_one_of_keras(monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        for module in unit, halting_unit, adaptive_resnet:
            patch.setattr(module, "BatchNormalization", layers.BatchNormalization)
        earlier = models.AdaptiveResNet((8, 8, 1), units=2, filters=(2, 3))
        rng = np.random.default_rng(0)
        weights = [rng.uniform(0.5, 1, w.shape) for w in earlier.get_weights()]
        earlier.set_weights(weights)
        earlier.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    for one, other in zip(loaded.get_weights(), weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)
