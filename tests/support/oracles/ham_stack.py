"""Stack: a list of Python."""

from .structures import run, targets


class Structure(list):
    push = list.append


def answer(inputs):
    bits = len(inputs[0]) - 1
    return targets(run(Structure(), inputs, bits)[0], bits)
