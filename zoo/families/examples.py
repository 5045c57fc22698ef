"""The examples that a network is measured on."""

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

from ... import datasets


def batches_of(
    dataset: str,
    size: int,
    seed: int,
    split: str,
    parameters: Mapping,
    given: Mapping[str, np.ndarray] | None = None,
) -> Iterator[dict[str, np.ndarray]]:
    """Endless batches; of a text, or of given images, each window or image once, in random order.

    If examples are given, a dict of arrays, these are the examples, once, in their order.
    """
    task = datasets.task(dataset)
    if given is None and not hasattr(task, "windows"):
        for index in itertools.count():
            yield datasets.batch(dataset, size, seed=seed, index=index, split=split, **parameters)
        return
    arrays = task.windows(split, **parameters) if given is None else given
    order = np.arange(len(arrays["inputs"]))
    if given is None:
        order = np.random.default_rng(seed).permutation(order)
    for start in range(0, len(order), size):
        yield {name: values[order[start : start + size]] for name, values in arrays.items()}
