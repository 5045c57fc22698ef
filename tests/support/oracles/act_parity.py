"""Parity: whether the number of ones is odd, one element after the other."""


def answer(inputs):
    return [parity(vector) for vector in inputs]


def parity(vector):
    odd = 0
    for element in vector:
        if element == 1:
            odd = 1 - odd
    return odd
