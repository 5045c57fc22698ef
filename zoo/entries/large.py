"""Entries with large networks: files that are small enough for any host."""

import os
import zipfile

import numpy as np

# The most bytes of a file; weights that take more are rounded, and their files compressed.
MOST_BYTES = 15 * 2**20
# Of rounded weights, the first one, which is always 1, among them.
SIGNIFICANT_BITS = 12
MANTISSA_BITS = 23


def is_large(model):
    """Whether a model's weights take more than a file may."""
    return sum(weight.size * 4 for weight in map(np.asarray, model.get_weights())) > MOST_BYTES


def round_weights(model):
    """Round a model's weights to `SIGNIFICANT_BITS`, so that their bytes can be compressed."""
    model.set_weights([rounded(weight) for weight in model.get_weights()])


def rounded(values):
    """float32 numbers with `SIGNIFICANT_BITS`; other arrays as they are.

    >>> rounded(np.array([1 / 3, 0.5, -3.0], "float32")).tolist()
    [0.3333740234375, 0.5, -3.0]
    """
    if values.dtype != np.float32:
        return values
    dropped = MANTISSA_BITS + 1 - SIGNIFICANT_BITS
    bits = values.view(np.uint32) + np.uint32(1 << (dropped - 1))
    return (bits & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)


def compress(path):
    """Compress the parts of a `.keras` file, which Keras writes as they are."""
    new = path.with_name(f"{path.name}.tmp")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in old.infolist():
            archive.writestr(part, old.read(part), zipfile.ZIP_DEFLATED)
    os.replace(new, path)


def save_options():
    """How TensorFlow saves a SavedModel: its variables in files of at most `MOST_BYTES`."""
    import tensorflow as tf

    policy = tf.train.experimental.MaxShardSizePolicy(MOST_BYTES)
    return tf.saved_model.SaveOptions(experimental_sharding_callback=policy)
