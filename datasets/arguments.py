"""Checks of the parameters of a task, with errors that say what is allowed."""

import difflib
import math
import operator
from collections.abc import Iterable
from numbers import Real
from typing import Any


def check_counts(**counts: Any) -> None:
    """Checks integers that must not decrease from left to right, from 1 on.

    Args:
        **counts: for instance `min_digits=1, digits=3, max_digits=5`.

    Raises:
        ValueError: they decrease, or one is not an integer.

    >>> check_counts(min_digits=4, digits=3, max_digits=5)
    Traceback (most recent call last):
        ...
    ValueError: 1 <= min_digits <= digits <= max_digits must hold. Received: min_digits=4, ...
    """
    order = [1, *counts.values()]
    if not all(map(_is_integer, order)) or sorted(order) != order:
        given = ", ".join(f"{name}={value!r}" for name, value in counts.items())
        raise ValueError(
            f"{' <= '.join(['1', *counts])} must hold"
            f"{'' if all(map(_is_integer, order)) else ' for integers'}. Received: {given}"
        )


def check_between(low: float, high: float, **values: Any) -> None:
    """Checks numbers that must lie between `low` and `high`, both included.

    Raises:
        ValueError: one is not such a number.

    >>> check_between(0, 1, hard_share=1.5)
    Traceback (most recent call last):
        ...
    ValueError: `hard_share` must lie between 0 and 1. Received: 1.5
    """
    for name, value in values.items():
        if not _is_number(value) or not low <= value <= high:
            raise ValueError(
                f"`{name}` must lie between {low:.3g} and {high:.3g}. Received: {value!r}"
            )


def check_at_least(minimum: float, **values: Any) -> None:
    """Checks numbers that must be at least `minimum`.

    Raises:
        ValueError: one is not such a number.

    >>> check_at_least(1, late_pops=0.5)
    Traceback (most recent call last):
        ...
    ValueError: `late_pops` must be at least 1. Received: 0.5
    """
    for name, value in values.items():
        if not _is_number(value) or value < minimum:
            raise ValueError(f"`{name}` must be at least {minimum:.3g}. Received: {value!r}")


def check_integers(minimum: int, **values: Any) -> None:
    """Checks integers that must be at least `minimum`.

    Raises:
        ValueError: one is not such an integer.

    >>> check_integers(0, seed=-1)
    Traceback (most recent call last):
        ...
    ValueError: `seed` must be an integer of at least 0. Received: -1
    """
    for name, value in values.items():
        if not _is_integer(value) or value < minimum:
            raise ValueError(
                f"`{name}` must be an integer of at least {minimum}. Received: {value!r}"
            )


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_integer(value):
    try:
        return operator.index(value) == value and not isinstance(value, bool)
    except TypeError:
        return False


def nearest(name: Any, known: Iterable[str]) -> str:
    """The known names that are nearest to an unknown one, or all if none is near, in words."""
    known = list(known)
    return ", ".join(difflib.get_close_matches(str(name), known, cutoff=0.5) or known)
