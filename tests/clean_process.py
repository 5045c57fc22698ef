"""Answers of SavedModels in a process that has TensorFlow alone; run as a program.

    python clean_process.py FOLDER

For every SavedModel FOLDER/<name>/model, calls `serve` on the arrays of FOLDER/<name>/inputs.npz
and writes the flat list of results to FOLDER/<name>/outputs.npz.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np


def answers(folder):
    """Runs the program on `folder`; returns `{name: list of arrays}`."""
    # From the folder, so that not even the path holds this package's source.
    subprocess.run([sys.executable, __file__, str(folder)], cwd=folder, check=True, timeout=900)
    found = {}
    for path in Path(folder).glob("*/outputs.npz"):
        arrays = np.load(path)
        found[path.parent.name] = [arrays[f"arr_{i}"] for i in range(len(arrays))]
    return found


def main(folder):
    import tensorflow as tf

    for path in Path(folder).glob("*/model"):
        inputs = np.load(path.parent / "inputs.npz")
        inputs = [tf.constant(inputs[f"arr_{i}"]) for i in range(len(inputs))]
        loaded = tf.saved_model.load(str(path))  # Its variables live as long as it does.
        np.savez(path.parent / "outputs.npz", *tf.nest.flatten(loaded.serve(*inputs)))
    assert "keras_adaptive" not in sys.modules


if __name__ == "__main__":
    main(sys.argv[1])
