"""Large models in small files, which any host takes: rounded weights, compressed or in parts."""

import os
import zipfile
from pathlib import Path
from typing import Any

import keras
import numpy as np

from . import arguments

# The most bytes of a file; weights that take more are rounded, and their files compressed.
MOST_BYTES = 15 * 2**20
# Of rounded weights, the first one, which is always 1, among them.
SIGNIFICANT_BITS = 12
_MANTISSA_BITS = 23


def is_large(model: keras.Model) -> bool:
    """Whether a model's weights take more bytes than a file should, `MOST_BYTES`."""
    arguments.instance("model", model, keras.Model, "a Keras model")
    return sum(4 * int(np.prod(weight.shape)) for weight in model.weights) > MOST_BYTES


def round_weights(model: keras.Model) -> None:
    """Rounds a model's weights to `SIGNIFICANT_BITS`, so that their bytes can be compressed."""
    arguments.instance("model", model, keras.Model, "a Keras model")
    model.set_weights([rounded(weight) for weight in model.get_weights()])


def rounded(values: np.ndarray) -> np.ndarray:
    """float32 numbers with `SIGNIFICANT_BITS`; other arrays as they are.

    >>> rounded(np.array([1 / 3, 0.5, -3.0], "float32")).tolist()
    [0.3333740234375, 0.5, -3.0]
    """
    if values.dtype != np.float32:
        return values
    dropped = _MANTISSA_BITS + 1 - SIGNIFICANT_BITS
    bits = values.view(np.uint32) + np.uint32(1 << (dropped - 1))
    return (bits & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)


def compress(path: str | os.PathLike) -> None:
    """Compresses the parts of a `.keras` file, which Keras writes as they are.

    Keras reads it as before. It is replaced when the new one is written.
    """
    path = Path(arguments.path("path", path))
    new = path.with_name(f"{path.name}.tmp")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(new, "w") as archive:
        for part in old.infolist():
            # A quarter smaller than deflated, for rounded weights.
            archive.writestr(part, old.read(part), zipfile.ZIP_BZIP2)
    os.replace(new, path)


def save_options() -> Any:
    """How TensorFlow saves a SavedModel with its variables in files of at most `MOST_BYTES`.

    It is for the argument `options` of `keras.export.ExportArchive.write_out`.
    """
    # Only exports need TensorFlow.
    import tensorflow as tf

    policy = tf.train.experimental.MaxShardSizePolicy(MOST_BYTES)
    return tf.saved_model.SaveOptions(experimental_sharding_callback=policy)
