"""Multiplication: the product of Python's integers, with twice as many digits."""

import operator

from .numbers import answer_of


def answer(inputs):
    return answer_of(operator.mul, lambda digits: 2 * digits, inputs)
