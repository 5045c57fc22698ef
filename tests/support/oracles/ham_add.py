"""Add: the sum of Python's integers, bit by bit."""

from .with_end import with_end


def answer(inputs):
    assert all(sum(vector) == 1 for vector in inputs)
    text = "".join("01+="[vector.index(1)] for vector in inputs)
    first, second = text.removesuffix("=").split("+")
    assert len(first) == len(second)
    total = int(first[::-1], 2) + int(second[::-1], 2)
    return with_end([[total >> place & 1] for place in range(len(first) + 1)])
