"""Queue: a deque of Python."""

import collections

from .structures import run, targets


class Structure(collections.deque):
    push = collections.deque.append
    pop = collections.deque.popleft


def answer(inputs):
    bits = len(inputs[0]) - 1
    return targets(run(Structure(), inputs, bits)[0], bits)
