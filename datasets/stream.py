"""Endless fresh batches of a task, for training as the papers do: examples are never seen twice.

Batch i depends only on the seed and i, so a training that resumes where it was killed sees the
batches that it would have seen.
"""

import copy
import functools
import inspect
import itertools
import os
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .arguments import check_integers, nearest
from .catalogue import task
from .settings import check_parameters

SPLITS = ("train", "validation", "test")
# Sampling a block of batches at once takes hardly longer than sampling one.
BLOCK = 32
# For large batches that saves no time and takes memory.
LARGE_BATCH = 1000
# Blocks of long examples are smaller: at most this many numbers in all features.
BLOCK_ELEMENTS = 20_000_000


def batch(
    name: str,
    batch_size: int,
    seed: int = 0,
    index: int = 0,
    *,
    split: str = "train",
    **parameters: Any,
) -> dict[str, np.ndarray]:
    """Batch number `index` of the endless stream of a task.

    Args:
        name: the task.
        batch_size: number of examples.
        seed: a non-negative integer.
        index: number of the batch, from 0.
        split: `"train"`, `"validation"` or `"test"`; they have no seeds in common.
        **parameters: of the task's `sample`.

    Returns:
        A dict of `inputs`, `targets`, `weights`, `difficulty`; see the task's `sample`.

    Raises:
        ValueError: an unknown task or split, or a parameter out of its range.

    >>> batch("act_parity", 2, seed=1, index=5)["inputs"].shape
    (2, 1, 64)
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    check_integers(0, seed=seed, index=index)
    check_integers(1, batch_size=batch_size)
    check_parameters(parameters)
    _check_known(name, parameters)
    fixed = tuple(sorted(parameters.items()))
    size = _block_size(name, batch_size, fixed, split)
    which = index // size, size, name, batch_size, seed, SPLITS.index(split), fixed
    block = _block(*which, _place(name))
    # Copies, so that what the caller does to a batch does not change the block.
    return {feature: values.copy() for feature, values in block(index % size).items()}


def example_size(name: str, split: str = "train", **parameters: Any) -> int:
    """How many numbers an example has in all its features.

    It is drawn for that, so that parameters that cannot be are refused.

    Args:
        name: the task.
        split: as in `batch`.
        **parameters: of the task's `sample`.

    Raises:
        ValueError: an unknown task or parameter, or a parameter out of its range.

    >>> example_size("act_sort", numbers=2, same_length=True)
    20
    """
    check_parameters(parameters)
    _check_known(name, parameters)
    return _example_size(name, tuple(sorted(parameters.items())), split)


@functools.lru_cache(maxsize=1024)
def _example_size(name, parameters, split):
    sample = task(name).sample
    parameters = _with_split(sample, parameters, split)
    example = sample(np.random.default_rng(0), 1, **parameters)
    return sum(values.size for values in example.values())


@functools.lru_cache(maxsize=128)
def _block_size(name, batch_size, parameters, split="train"):
    """How many batches are sampled at once; one if examples take long, says `takes_long`."""
    takes_long = getattr(task(name), "takes_long", None)
    if takes_long and takes_long(**dict(parameters)):
        return 1
    elements = _example_size(name, parameters, split)
    most = BLOCK if batch_size < LARGE_BATCH else 1
    return max(1, min(most, BLOCK_ELEMENTS // (elements * batch_size)))


# Training with bins of lengths cycles through this many blocks.
@functools.lru_cache(maxsize=16)
def _block(number, size, name, batch_size, seed, split, parameters, place):
    """A function from i < `size` to the i-th batch of block `number` of the data in a place."""
    module = task(name)
    parameters = _with_split(module.sample, parameters, SPLITS[split])
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, split, number])
    if parameters.get("same_length"):
        # Each batch draws its length, so batches cannot be slices of one sample.
        return functools.cache(_independent(module, size, batch_size, rng, parameters))
    block = module.sample(rng, batch_size * size, **parameters)
    return lambda i: {
        feature: values[i * batch_size : (i + 1) * batch_size] for feature, values in block.items()
    }


def _place(name):
    """Where a user says that the data lies; None if the task draws its examples."""
    return os.environ.get(getattr(task(name), "VARIABLE", ""))


def _with_split(sample, parameters, split):
    """The parameters for `sample`; that of a text must know from which part to draw."""
    needed = "split" in inspect.signature(sample).parameters
    return {**dict(parameters), **({"split": split} if needed else {})}


def _check_known(name, parameters):
    if not isinstance(name, str):
        raise ValueError(f"unknown task {name!r}: a name is a string")
    known = _known(name)
    for parameter in parameters:
        if parameter not in known:
            near = nearest(parameter, known)
            raise ValueError(f"unknown parameter {parameter!r} of {name}. Nearest: {near}")


@functools.cache
def _known(name):
    """The names of the parameters of a task's `sample`."""
    parameters = inspect.signature(task(name).sample).parameters.values()
    return [p.name for p in parameters if p.kind == p.KEYWORD_ONLY]


def _independent(module, size, batch_size, rng, parameters):
    rngs = rng.spawn(size)
    # A copy, so that two threads that ask for a batch at once get the same one.
    return lambda i: module.sample(copy.deepcopy(rngs[i]), batch_size, **parameters)


def iterate(
    name: str, batch_size: int, seed: int = 0, start: int = 0, **parameters: Any
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Endless batches as `(inputs, targets, weights)`; needs only NumPy.

    Args:
        name: the task.
        batch_size: number of examples in a batch.
        seed: a non-negative integer.
        start: number of the first batch.
        **parameters: as in `batch`.

    Returns:
        An iterator of tuples for `keras.Model.fit`.

    Raises:
        ValueError: as `batch`, at once.

    >>> inputs, targets, weights = next(iterate("act_sort", 2))
    >>> inputs.shape, targets.shape, weights.shape
    ((2, 30, 2), (2, 30), (2, 30))
    """

    def batch_at(index):
        return batch(name, batch_size, seed, index, **parameters)

    batch_at(start)
    batches = map(batch_at, itertools.count(start))
    return ((examples["inputs"], examples["targets"], examples["weights"]) for examples in batches)


def stream(name: str, batch_size: int, seed: int = 0, start: int = 0, **parameters: Any) -> Any:
    """Endless batches as a `tf.data.Dataset` of `(inputs, targets, weights)`.

    Args:
        name: the task.
        batch_size: number of examples in a batch.
        seed: a non-negative integer.
        start: number of the first batch.
        **parameters: as in `batch`.

    Returns:
        A `tf.data.Dataset` for `keras.Model.fit`, with `steps_per_epoch`.

    >>> stream("act_logic", 4).element_spec[0].shape
    TensorShape([4, None, 102])
    """
    import tensorflow as tf

    first = next(iterate(name, batch_size, seed, start, **parameters))
    # All images have one size; sequences may be longer in another batch.
    is_of_images = "side" in task(name).sizes(**parameters)
    shapes = [x.shape if is_of_images else (batch_size, None, *x.shape[2:]) for x in first]
    signature = tuple(
        tf.TensorSpec(shape, tf.as_dtype(x.dtype)) for shape, x in zip(shapes, first, strict=True)
    )
    return tf.data.Dataset.from_generator(
        lambda: iterate(name, batch_size, seed, start, **parameters), output_signature=signature
    ).prefetch(tf.data.AUTOTUNE)
