"""The builders are registered when TFDS is imported, in either order, and never before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import keras_adaptive
from keras_adaptive import import_hook
from keras_adaptive.datasets import registration

PACKAGE = "fake_tfds"


def run(source):
    """Run `source` in a process of its own, which finds the package that is tested."""
    paths = [str(Path(keras_adaptive.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:keras_adaptive", "-c", source],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CHECK = """
assert [tfds.builder_cls(name).name for name in datasets.names()] == list(datasets.names())
assert tfds.builder("act_sort", data_dir="unused").info.description.startswith("# act_sort")
assert type(tfds.__spec__.loader).__name__ == "SourceFileLoader"
"""


# As tests/datasets/test_new_task.py imports them.
@pytest.mark.slow
def test_ours_first():
    run(
        "import importlib, sys\n"
        "from keras_adaptive import datasets\n"
        "assert 'tensorflow_datasets' not in sys.modules\n"
        "assert importlib.util.find_spec('tensorflow_datasets') is not None\n"
        "importlib.reload(datasets.registration); importlib.reload(datasets)\n"
        "import tensorflow_datasets as tfds\n" + CHECK
    )


def test_tfds_first():
    run(
        "import importlib\n"
        "import tensorflow_datasets as tfds\n"
        "from keras_adaptive import datasets\n"
        "importlib.reload(datasets)\n" + CHECK
    )


def test_a_builder_first():
    """One whose base is that of others too; all import TFDS before what they share."""
    for path in Path(registration.__file__).parent.glob("*/*_dataset_builder.py"):
        source = path.read_text(encoding="utf-8")
        assert -1 < source.find("\nimport tensorflow_datasets") < source.find("\nfrom .")
    module = "keras_adaptive.datasets.ham_add.ham_add_dataset_builder"
    run(
        f"import warnings; warnings.simplefilter('error', UserWarning); import {module}\n"
        "import tensorflow_datasets as tfds\n"
        "from keras_adaptive import datasets\n"
        "assert [tfds.builder_cls(x).name for x in datasets.names()] == list(datasets.names())\n"
    )


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """A package in the place of TFDS, and the list of the registrations that were made."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    source = folder / "__init__.py"
    source.write_text("__version__ = '1'\n")
    finders = [x for x in sys.meta_path if type(x).__module__ != import_hook.__name__]
    monkeypatch.setattr(sys, "meta_path", finders)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.setattr(registration, "TFDS", PACKAGE)
    made = []
    monkeypatch.setattr(registration, "_import_builders", made.append)
    yield source, made
    sys.modules.pop(PACKAGE, None)


def test_registers_once_and_leaves_no_trace(fake):
    _, made = fake
    finders = list(sys.meta_path)
    registration.register(["a"])
    registration.register(["a"])
    assert made == [] and len(sys.meta_path) == len(finders) + 1
    module = __import__(PACKAGE)
    assert made == [["a"]] and sys.meta_path == finders
    assert type(module.__loader__).__name__ == "SourceFileLoader"
    assert module.__spec__.loader is module.__loader__
    registration.register(["b"])
    assert made == [["a"], ["b"]]


def test_a_failed_import_of_tfds_can_be_repeated(fake):
    source, made = fake
    source.write_text("raise ImportError('no protobuf')\n")
    registration.register(["a"])
    with pytest.raises(ImportError, match="no protobuf"):
        __import__(PACKAGE)
    assert made == []
    source.write_text("# another length, so that no cached bytecode is taken\n")
    __import__(PACKAGE)
    assert made == [["a"]]


def test_absent_tfds_stays_absent(fake):
    source, made = fake
    source.unlink()
    source.parent.rmdir()
    registration.register(["a"])
    with pytest.raises(ModuleNotFoundError, match=PACKAGE):
        __import__(PACKAGE)
    assert made == []


def test_a_broken_builder_is_a_warning():
    with pytest.warns(UserWarning, match="the data set no_task is not registered with TFDS"):
        registration._import_builders(["no_task"])
