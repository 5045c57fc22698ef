"""A new task is one folder: it is found, streamed and loaded by TFDS, and nothing else changes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEW = ROOT / "tests" / "data" / "new_tasks"
TASKS = sorted(path.name for path in NEW.iterdir())

USE = f"""
import numpy as np
from keras_adaptive import datasets

new = {TASKS}
assert set(new) < set(datasets.names()) and list(datasets.names()) == sorted(datasets.names())
import tensorflow_datasets as tfds

for name in new:
    task, batch = datasets.task(name), datasets.batch(name, 4, seed=3, length=9)
    assert np.array_equal(task.answers(batch["inputs"]), batch["targets"])
    for batches in (datasets.iterate(name, 4, 3, length=9), datasets.stream(name, 4, 3, length=9)):
        inputs, targets, weights = next(iter(batches))
        assert np.array_equal(inputs, batch["inputs"]) and np.array_equal(targets, batch["targets"])
    config = type(tfds.builder_cls(name).BUILDER_CONFIGS[0])(train=8, validation=2, test=2)
    data = tfds.load(name, data_dir="prepared", builder_kwargs={{"config": config}})
    examples = list(tfds.as_numpy(data["train"]))
    assert len(examples) == 8
    for example in examples:
        assert np.array_equal(task.answers(example["inputs"][None])[0], example["targets"])

outputs = datasets.task("ham_rotate").answers(datasets.task("ham_rotate").encode("5 3 1"))[0]
print("ham_rotate", datasets.task("ham_rotate").decode(outputs))
task = datasets.task("neural_gpu_invert")
print("neural_gpu_invert", task.decode(np.eye(3)[task.answers(task.encode("0011"))[0]]))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The sources, with the new folders among the data sets."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("keras_adaptive", "zoo", "saved_models", "setup.cfg"):
        (tree / name).symlink_to(ROOT / name)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "datasets", tree / "datasets", ignore=ignored)
    for name in TASKS:
        shutil.copytree(NEW / name, tree / "datasets" / name, ignore=ignored)
    return tree


def run(*command, cwd, tree):
    environment = {**os.environ, "PYTHONPATH": str(tree), "KERAS_BACKEND": "jax"}
    done = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def test_a_new_folder_is_a_new_task(tree, tmp_path):
    printed = run("-W", "error::UserWarning:keras_adaptive", "-c", USE, cwd=tmp_path, tree=tree)
    assert {"ham_rotate 3 1 5", "neural_gpu_invert 1100"} <= set(printed.splitlines())


def test_the_conformance_test_finds_it(tree, tmp_path):
    shutil.copytree(ROOT / "tests" / "support", tmp_path / "support")
    shutil.copy(ROOT / "tests" / "datasets" / "test_conformance.py", tmp_path)
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-c", os.devnull]
    options += [f"--confcutdir={tmp_path}"]
    options += ["-o", f"pythonpath={tmp_path}", "-k", " or ".join(TASKS), "test_conformance.py"]
    summary = run("-m", "pytest", *options, cwd=tmp_path, tree=tree).splitlines()[-1]
    assert int(summary.split(" passed")[0]) >= 10 * len(TASKS), summary
