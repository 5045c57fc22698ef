"""How many outputs a model may write for an input: a m + b, rounded down, for one of length m."""

from fractions import Fraction
from typing import Any

from . import arguments


def check_max_outputs(max_outputs: Any) -> tuple[float, int]:
    """The pair (a, b), if it is a number and an integer, both >= 0 and not both 0.

    Raises:
        ValueError: it is not.

    >>> check_max_outputs([0.5, 1])
    (0.5, 1)
    """
    if not isinstance(max_outputs, (tuple, list)) or len(max_outputs) != 2:
        arguments.refuse("max_outputs", max_outputs, "a number and an integer, both at least 0")
    a = arguments.number("max_outputs", max_outputs[0], least=0)
    b = arguments.integer("max_outputs", max_outputs[1], least=0)
    if not a and not b:
        arguments.refuse("max_outputs", max_outputs, "two numbers that are not both 0")
    return int(a) if a.is_integer() else a, b


def output_count(max_outputs: tuple[Any, int], length: Any) -> Any:
    """The number of outputs for a length, an integer or a tensor of integers.

    >>> output_count((0.5, 1), 5)
    3
    """
    a, b = max_outputs
    a = Fraction(a).limit_denominator(100)
    return a.numerator * length // a.denominator + b
