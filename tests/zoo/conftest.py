"""A small trained network, and the entry that is made of it."""

import contextlib

import pytest

SMALL = {
    "units": 8,
    "max_ponder": 4,
    "batch_size": 4,
    "chunk": 2,
    "steps": 4,
    "validate_every": 8,
}


@pytest.fixture(scope="session")
def small():
    """Settings that make any recipe small."""
    return dict(SMALL)


@contextlib.contextmanager
def functions(run_eagerly):
    """Whether TensorFlow runs functions eagerly; a few small batches take less than tracing."""
    import tensorflow as tf

    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


@pytest.fixture(scope="session")
def eagerly():
    """A context in which TensorFlow runs functions eagerly, for what does not test a graph."""
    return lambda: functions(True)


@pytest.fixture
def eager():
    """A test that runs functions eagerly."""
    with functions(True):
        yield


@pytest.fixture
def traced():
    """A test that traces functions as users do, among others that do not."""
    with functions(False):
        yield


@pytest.fixture(scope="session")
def run(tmp_path_factory, eagerly):
    """A finished training of addition."""
    from keras_adaptive.zoo.training.train import train

    folder = tmp_path_factory.mktemp("runs") / "addition"
    with eagerly():
        return train("act_addition", folder, overrides={**SMALL, "digits": 2})


@pytest.fixture(scope="session")
def entries(run, tmp_path_factory):
    """A folder with the entry of `run`."""
    from keras_adaptive.zoo.entries.export import export

    into = tmp_path_factory.mktemp("entries")
    export(run.folder, into, examples=60)
    return into
