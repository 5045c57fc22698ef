"""Sort bits: as many zeros as there are, then ones."""

from .texts import answer_of


def result(text):
    return "0" * text.count("0") + "1" * text.count("1")


def answer(inputs):
    return answer_of(result, inputs)
