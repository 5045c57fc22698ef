"""Duplicate: the text twice."""

from .texts import answer_of


def result(text):
    return text + text


def answer(inputs):
    return answer_of(result, inputs, copies=2)
