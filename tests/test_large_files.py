"""Entries of large networks: their files are small, and the models the same."""

import keras
import numpy as np

from keras_adaptive import large_files


def test_rounding_keeps_twelve_bits():
    values = np.random.default_rng(0).normal(size=1000).astype("float32")
    found = large_files.rounded(values)
    assert (abs(found - values) <= 2.0**-12 * abs(values)).all() and (found != values).any()
    np.testing.assert_array_equal(large_files.rounded(found), found)
    counts = np.arange(5)
    assert large_files.rounded(counts) is counts


def test_large_models_lie_in_small_files(tmp_path, monkeypatch):
    monkeypatch.setattr(large_files, "MOST_BYTES", 20_000)
    model = keras.Sequential([keras.Input((50,)), keras.layers.Dense(100), keras.layers.Dense(9)])
    assert large_files.is_large(model)
    assert not large_files.is_large(keras.Sequential(model.layers[1:]))
    path, before = tmp_path / "model.keras", model.get_weights()
    model.save(path)
    size = path.stat().st_size
    large_files.round_weights(model)
    model.save(path)
    large_files.compress(path)
    assert path.stat().st_size < 0.7 * size and [*tmp_path.iterdir()] == [path]
    again = keras.saving.load_model(path)
    for one, other, first in zip(again.get_weights(), model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, first, rtol=2.0**-12)
    archive = keras.export.ExportArchive()
    archive.track(model)
    specs = [keras.InputSpec(shape=(None, 50), dtype="float32")]
    archive.add_endpoint("serve", model.call, input_signature=specs)
    archive.write_out(str(tmp_path / "served"), options=large_files.save_options(), verbose=False)
    shards = [*(tmp_path / "served" / "variables").glob("*.data-*")]
    assert len(shards) > 1 and max(shard.stat().st_size for shard in shards) <= 21_000
