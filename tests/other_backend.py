"""A process in which Keras runs on another backend than here, and calls functions for a test.

It starts when it is first asked, and answers until pytest ends: importing Keras takes seconds, and
what is compiled for one test serves the next. TensorFlow cannot be imported there, as nobody needs
it who has chosen another backend.
"""

import atexit
import functools
import importlib
import importlib.util
import os
import pickle
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest

SECONDS = 1800


def call(backend, module, function, *arguments):
    """What a function of a module of this folder returns on another backend of Keras.

    A test of a backend that is not installed is skipped.

    Args:
        backend: such as `"jax"`.
        module, function: names. What the function returns is NumPy's or Python's.
        *arguments: of the function.
    """
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    process = _process(backend)
    limit = threading.Timer(SECONDS, process.kill)
    limit.start()
    try:
        pickle.dump((module, function, arguments), process.stdin)
        process.stdin.flush()
        result, error = pickle.load(process.stdout)
    finally:
        limit.cancel()
    if error:
        raise RuntimeError(f"on {backend}:\n{error}")
    return result


@functools.cache
def _process(backend):
    folders = [*filter(None, sys.path), str(Path(__file__).parents[1])]
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join(folders),
    }
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    atexit.register(_end, process)
    return process


def _end(process):
    process.kill()
    process.wait()


def main():
    """Answers what `call` writes to standard input."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What libraries print is no result.
    sys.modules["tensorflow"] = None
    while True:
        try:
            module, function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = getattr(importlib.import_module(module), function)(*arguments), None
        except Exception:
            answer = None, traceback.format_exc()
        pickle.dump(answer, results)
        results.flush()


if __name__ == "__main__":
    main()
