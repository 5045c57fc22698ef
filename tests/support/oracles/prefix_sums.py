"""Prefix sums modulo two: the parity of the ones so far."""

from .texts import answer_of


def result(text):
    return "".join(str(text[: k + 1].count("1") % 2) for k in range(len(text)))


def answer(inputs):
    return answer_of(result, inputs)
