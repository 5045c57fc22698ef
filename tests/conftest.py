"""What every test starts from: one backend, quiet libraries, and the same numbers each time."""

import gc
import os
import sys

# Before Keras is imported. The tests of the other backend run it in processes of their own.
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
# Both cores are busy with a process each, whose small operations gain nothing by more threads.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Threads that wait must not take the core of those that work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# A test compiles far longer than it computes.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# An XLA that does not know one of these flags ends the process and names it: take it out then.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
)

import hypothesis
import numpy as np
import pytest

import graphs

hypothesis.settings.register_profile(
    "deterministic", derandomize=True, deadline=None, max_examples=20, database=None
)
hypothesis.settings.load_profile("deterministic")

# The files that take longest, which begin first, so that all processes end at about the same time.
LONGEST = (
    *("test_examples", "test_conformance", "test_train", "test_training", "test_translation"),
    *("test_ham", "test_pointer", "test_neural_gpu", "test_cli", "test_training_of_others"),
    *("test_limits", "test_verify", "test_over_time", "test_language", "test_residual"),
    *("test_entries", "test_attention", "test_backends", "test_distributed", "test_installation"),
    *("test_training_in_fit", "test_builders", "test_scout"),
)


# Graphs are made of so many objects that looking for cycles among them takes long.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish():
    gc.freeze()  # What is imported stays.


def pytest_collection_modifyitems(items):
    places = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture
def eager():
    """A test that runs functions eagerly, as no graph is its subject; on TensorFlow."""
    with graphs.functions(run_eagerly=True):
        yield


@pytest.fixture
def optimized():
    """A test whose graphs are rewritten before they run, as those of users are."""
    with graphs.optimized():
        yield


@pytest.fixture
def traced(optimized):
    """A test that traces functions as users do, among others that do not."""
    with graphs.functions(run_eagerly=False):
        yield


@pytest.fixture(autouse=True)
def seeds():
    """Layers built without a seed get the same weights whichever tests ran before."""
    if "tensorflow" in sys.modules:
        graphs.leave_alone()
    if keras := sys.modules.get("keras"):
        keras.utils.set_random_seed(0)
    else:
        np.random.seed(0)  # noqa: NPY002 - what set_random_seed does, without loading Keras
