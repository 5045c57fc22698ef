"""The endless stream of every task, as batches, as an iterator, and as `tf.data`."""

import importlib
import itertools
import json
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

import keras_adaptive
from keras_adaptive import datasets

# `datasets.stream` is the function of that name.
stream = importlib.import_module("keras_adaptive.datasets.stream")

# A batch is a slice of a block that is sampled at once, or with `same_length` sampled alone.
KINDS = {
    "slices": ("act_parity", {"positions": 20, "hard_share": 0.4}),
    "alone": ("act_sort", {"same_length": True}),
    "other lengths of targets": ("ham_sort", {"length": 8, "key_bits": 4, "value_bits": 0}),
    "symbols": ("neural_gpu_duplicate", {"length": 21, "examples_per_length": 100}),
    # Blocks of a single batch.
    "examples that take long": ("tsp", {"length": 13, "min_length": 13, "views": 2}),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def name(kind):
    return kind[0]


@pytest.fixture
def parameters(kind):
    return kind[1]


def digest(batch):
    return zlib.crc32(b"".join(batch[feature].tobytes() for feature in sorted(batch)))


def test_a_batch_depends_on_its_arguments_alone(name, parameters):
    indices = [0, 1, 31, 32, 33, 100]
    forwards = {i: digest(datasets.batch(name, 4, 3, i, **parameters)) for i in indices}
    stream._block.cache_clear()
    backwards = {i: digest(datasets.batch(name, 4, 3, i, **parameters)) for i in indices[::-1]}
    assert forwards == backwards
    assert len(set(forwards.values())) == len(indices)


def test_seeds_splits_and_sizes_differ(name, parameters):
    batches = [
        datasets.batch(name, 8, seed, index, split=split, **parameters)
        for seed, index, split in itertools.product((0, 1, 2**40), (0, 40), stream.SPLITS)
    ]
    assert len({digest(batch) for batch in batches}) == len(batches)
    assert all(len(batch["inputs"]) == 8 for batch in batches)


def test_what_a_caller_does_to_a_batch_stays_with_the_caller(name, parameters):
    batch = datasets.batch(name, 4, **parameters)
    before = digest(batch)
    for array in batch.values():
        array[:] = 7
    assert digest(datasets.batch(name, 4, **parameters)) == before


def test_threads_get_the_same_batches(name, parameters):
    indices = (0, 1, 31, 32, 33, 100)
    expected = [digest(datasets.batch(name, 4, 5, i, **parameters)) for i in indices]
    stream._block.cache_clear()
    found = []

    def ask():
        found.append([digest(datasets.batch(name, 4, 5, i, **parameters)) for i in indices])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize("name", datasets.names())
def test_splits_share_no_long_example(name):
    """There are few short ones."""
    sizes = {
        "act_addition": {"min_numbers": 3, "min_digits": 3},
        "act_logic": {"min_vectors": 2, "min_gates": 3},
        "act_parity": {"min_nonzeros": 8},
        "act_sort": {},
        "neural_gpu_addition": {"min_bits": 17},
        "neural_gpu_multiplication": {"min_bits": 17},
        "tsp": {"min_length": 6, "length": 8},
    }.get(name)
    if sizes is None:
        sizes = {"min_length": 40, "length": 80}
    seen = [
        {x.tobytes() for x in datasets.batch(name, 100, split=split, **sizes)["inputs"]}
        for split in stream.SPLITS
    ]
    assert len(set.union(*seen)) == 300


def test_difficulty_that_moves():
    """A curriculum changes the parameters from batch to batch."""
    for positions in range(2, 65, 10):
        batch = datasets.batch("act_parity", 50, 0, positions, positions=positions)
        assert batch["difficulty"].max() <= positions
        assert not batch["inputs"][..., positions:].any()


def test_iterate(name, parameters):
    batches = datasets.iterate(name, 4, seed=2, start=30, **parameters)
    for index in range(30, 35):
        expected = datasets.batch(name, 4, 2, index, **parameters)
        for values, feature in zip(next(batches), ("inputs", "targets", "weights"), strict=True):
            np.testing.assert_array_equal(values, expected[feature])


def test_iterate_over_a_split():
    expected = datasets.batch("act_sort", 4, split="validation")
    inputs, _, _ = next(datasets.iterate("act_sort", 4, split="validation"))
    np.testing.assert_array_equal(inputs, expected["inputs"])


def test_tf_data(name, parameters):
    import tensorflow as tf

    data = datasets.stream(name, 4, seed=2, start=30, **parameters)
    assert isinstance(data, tf.data.Dataset)
    batches = datasets.iterate(name, 4, seed=2, start=30, **parameters)
    for found, expected in zip(data.take(4).as_numpy_iterator(), batches):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
    sizes = datasets.task(name).sizes(**parameters)
    width = [sizes["width"]] if "width" in sizes else []
    assert data.element_spec[0].shape.as_list() == [4, None, *width]


def test_images_have_a_size_that_a_dense_layer_can_ask_for():
    shapes = [spec.shape.as_list() for spec in datasets.stream("digit_canvas", 4).element_spec]
    assert shapes == [[4, 32, 32, 1], [4, 1], [4, 1]]


WITHOUT_TENSORFLOW = """
import importlib.abc, json, sys, zlib

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "tensorflow_datasets"):
            raise ImportError(name + " is not installed")

sys.meta_path.insert(0, Blocked())
from keras_adaptive import datasets

found = {}
for name in datasets.names():
    batch = datasets.batch(name, 4, 3, 33)
    assert next(datasets.iterate(name, 4, 3, 33))[0].tobytes() == batch["inputs"].tobytes()
    found[name] = zlib.crc32(b"".join(batch[feature].tobytes() for feature in sorted(batch)))
assert not {"tensorflow", "tensorflow_datasets", "datasets"} & set(sys.modules)
print(json.dumps(found))
"""


def test_another_process_without_tensorflow():
    """It sees the same batches, and needs neither TensorFlow nor TensorFlow Datasets."""
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TENSORFLOW],
        env=os.environ | {"KERAS_BACKEND": "jax"},
        cwd=Path(keras_adaptive.__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    expected = {name: digest(datasets.batch(name, 4, 3, 33)) for name in datasets.names()}
    assert json.loads(run.stdout) == expected


@pytest.mark.parametrize("function", [datasets.batch, datasets.iterate, datasets.stream])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "act_party"}, "'act_party'. Nearest: act_parity"),
        ({"name": None}, "unknown task None"),
        ({"name": ["act_parity"]}, "unknown task ['act_parity']"),
        ({"split": "dev"}, "`split` must be one of train, validation, test. Received: 'dev'"),
        ({"batch_size": 0}, "`batch_size` must be an integer of at least 1. Received: 0"),
        ({"batch_size": 2.5}, "`batch_size` must be an integer of at least 1. Received: 2.5"),
        ({"seed": -1}, "`seed` must be an integer of at least 0. Received: -1"),
        ({"bit": 8}, "unknown parameter 'bit' of act_parity. Nearest: bits"),
        ({"gates": 3}, "unknown parameter 'gates'"),
        ({"foo": [1]}, "unknown parameter 'foo' of act_parity. Nearest: "),
        ({"bits": 0}, "bits must be a whole number from 1 to 100,000. Received: 0"),
        ({"bits": 99999999999}, "bits must be a whole number"),
        ({"bits": [1]}, "bits must be a whole number"),
        ({"hard_share": "much"}, "hard_share must be a number"),
        ({"placement": None}, "placement must be one of random, prefix. Received: None"),
        ({"name": "act_logic", "gates": 11}, "gates=11, max_gates=10"),
        ({"name": "act_logic", "same_length": "maybe"}, "same_length must be true or false"),
        ({"name": "neural_gpu_copy", "runs_share": float("nan")}, "runs_share must be a number"),
    ],
)
def test_bad_input(function, wrong, message):
    with pytest.raises(ValueError) as error:
        function(**{"name": "act_parity", "batch_size": 2, **wrong})
    assert message in str(error.value)


def test_bad_index():
    with pytest.raises(ValueError, match="`index` must be an integer of at least 0"):
        datasets.batch("act_parity", 2, index=-1)


def test_large_batches():
    """They are sampled one at a time."""
    batches = [digest(datasets.batch("act_parity", 1000, 0, index)) for index in (0, 1, 0)]
    assert batches[0] != batches[1]
    assert batches[0] == batches[2]


def test_long_examples_come_in_smaller_blocks():
    """32 batches of 500 products of 2000 digits would be a gigabyte, for each that is asked for."""

    def block_size(name, batch_size, **parameters):
        return stream._block_size(name, batch_size, tuple(sorted(parameters.items())))

    assert block_size("neural_gpu_multiplication", 500, bits=20) == 32
    assert block_size("neural_gpu_multiplication", 32, bits=2000) == 32
    assert block_size("neural_gpu_multiplication", 100, bits=2000) == 12
    assert block_size("neural_gpu_multiplication", 500, bits=20_000) == 1
    # What the published entries have seen stays what it is.
    assert {block_size(f"act_{x}", 500) for x in ("addition", "logic", "parity", "sort")} == {32}
    batches = [datasets.batch("neural_gpu_copy", 200, 0, i, length=2001) for i in range(14)]
    stream._block.cache_clear()
    assert digest(batches[13]) == digest(datasets.batch("neural_gpu_copy", 200, 0, 13, length=2001))
    assert len({digest(batch) for batch in batches}) == 14
