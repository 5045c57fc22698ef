"""Merge: Python sorts the pairs by their priorities."""

import itertools

import numpy as np

from .with_end import with_end


def answer(inputs):
    numbers = [round(300 * vector[0]) for vector in inputs]
    assert all(np.float32(k / 300) == vector[0] for k, vector in zip(numbers, inputs))
    assert len(set(numbers)) == len(numbers) and set(numbers) <= set(range(1, 301))
    assert sum(b < a for a, b in itertools.pairwise(numbers)) <= 1
    return with_end([vector[1:] for vector in sorted(inputs)])
