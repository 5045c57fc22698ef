"""Reverse: the list backwards."""

from .with_end import with_end


def answer(inputs):
    return with_end(inputs[::-1])
