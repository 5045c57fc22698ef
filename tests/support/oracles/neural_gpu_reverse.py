"""Reverse: the text backwards."""

from .texts import answer_of


def result(text):
    return text[::-1]


def answer(inputs):
    return answer_of(result, inputs)
