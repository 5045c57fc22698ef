"""Priority queue: a heap of Python, whose smallest number is the negative of a priority."""

import heapq

from .structures import run, targets


class Structure(list):
    def push(self, element):
        priority, value = element
        assert priority not in [-taken for taken, _ in self]
        heapq.heappush(self, (-priority, value))

    def pop(self):
        return heapq.heappop(self)[1]


def answer(inputs):
    bits = (len(inputs[0]) - 1) // 2
    return targets(run(Structure(), inputs, bits)[0], bits)
