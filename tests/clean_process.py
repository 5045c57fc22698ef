"""A process that has TensorFlow alone, and calls SavedModels as a user without this package does.

It starts when it is first asked, and answers until pytest ends: importing TensorFlow takes seconds.
"""

import atexit
import functools
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

SECONDS = 600


@functools.cache
def _process():
    # From elsewhere, so that not even the path holds this package's source.
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tempfile.gettempdir(),
        env=environment,
    )
    atexit.register(_end, process)
    return process


def _end(process):
    process.kill()
    process.wait()


def ask(path, *calls):
    """What a SavedModel answers in the process.

    Args:
        path: the folder of the SavedModel.
        *calls: for each call the name of a function of the model, such as `"serve"`, and its
            arguments; or the name of a signature, and a dict of its inputs.

    Returns:
        A list: the result of each call, with NumPy arrays in place of tensors.
    """
    process = _process()
    limit = threading.Timer(SECONDS, process.kill)
    limit.start()
    try:
        pickle.dump((str(path), calls), process.stdin)
        process.stdin.flush()
        found = pickle.load(process.stdout)
    finally:
        limit.cancel()
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


def answers(folder):
    """What `serve` of every SavedModel FOLDER/<name>/model says to FOLDER/<name>/inputs.npz.

    Returns:
        `{name: list of arrays}`, the flat list of the results.
    """
    import keras

    found = {}
    for path in Path(folder).glob("*/model"):
        arrays = np.load(path.parent / "inputs.npz")
        inputs = [arrays[f"arr_{i}"] for i in range(len(arrays))]
        found[path.parent.name] = keras.tree.flatten(ask(path, ("serve", *inputs))[0])
    return found


def _called(model, name, arguments):
    import tensorflow as tf

    arguments = tf.nest.map_structure(tf.constant, arguments)
    if arguments and isinstance(arguments[0], dict):
        result = model.signatures[name](**arguments[0])
    else:
        result = getattr(model, name)(*arguments)
    return tf.nest.map_structure(np.asarray, result)


def main():
    """Answers what `ask` writes to standard input."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What libraries print is no result.
    import tensorflow as tf

    while True:
        try:
            path, calls = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            model = tf.saved_model.load(path)
            found = [_called(model, name, arguments) for name, *arguments in calls]
            assert "keras_adaptive" not in sys.modules
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        pickle.dump(found, results)
        results.flush()


if __name__ == "__main__":
    main()
