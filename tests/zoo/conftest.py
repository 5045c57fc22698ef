"""A small trained network, and the entry that is made of it."""

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


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A finished training of addition."""
    from keras_adaptive.zoo.training.train import train

    folder = tmp_path_factory.mktemp("runs") / "addition"
    return train("act_addition", folder, overrides={**SMALL, "digits": 2})


@pytest.fixture(scope="session")
def entries(run, tmp_path_factory):
    """A folder with the entry of `run`."""
    from keras_adaptive.zoo.entries.export import export

    into = tmp_path_factory.mktemp("entries")
    export(run.folder, into, examples=60)
    return into
