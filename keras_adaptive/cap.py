"""How many outputs a model may write for an input: a m + b, rounded down, for one of length m."""

from fractions import Fraction
from numbers import Integral, Real


def checked(max_outputs):
    """The pair (a, b), if it is a number and an integer, both >= 0 and not both 0.

    Raises:
        ValueError: it is not.

    >>> checked([0.5, 1])
    (0.5, 1)
    """
    value = max_outputs
    allowed = isinstance(value, (tuple, list)) and len(value) == 2
    allowed = allowed and all(
        isinstance(x, kind) and not isinstance(x, bool) and 0 <= x < float("inf")
        for x, kind in zip(value, (Real, Integral))
    )
    if not allowed or not any(value):
        raise ValueError(
            "Argument `max_outputs` must be a number and an integer >= 0, not both 0. "
            f"Received: max_outputs={value!r}"
        )
    a, b = value
    return float(a) if int(a) != a else int(a), int(b)


def most(max_outputs, length):
    """How many outputs that is for a length, an integer or a tensor of integers.

    >>> most((0.5, 1), 5)
    3
    """
    a, b = max_outputs
    a = Fraction(a).limit_denominator(100)
    return a.numerator * length // a.denominator + b
