"""Checks of the parameters of a task, with errors that say what is allowed."""

import operator


def check_counts(**counts):
    """Integers that do not fall from left to right, the first of them at least 1.

    Args:
        **counts: for instance `min_digits=1, digits=3, max_digits=5`.

    Raises:
        ValueError: they fall, or one is no integer.

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


def check_between(low, high, **values):
    """Numbers between `low` and `high`.

    Raises:
        ValueError: one is not.

    >>> check_between(0, 1, hard_share=1.5)
    Traceback (most recent call last):
        ...
    ValueError: `hard_share` must lie between 0 and 1. Received: 1.5
    """
    for name, value in values.items():
        if not low <= value <= high:
            raise ValueError(
                f"`{name}` must lie between {low:.3g} and {high:.3g}. Received: {value!r}"
            )


def check_integers(least, **values):
    """Integers of at least `least`.

    Raises:
        ValueError: one is not.

    >>> check_integers(0, seed=-1)
    Traceback (most recent call last):
        ...
    ValueError: `seed` must be an integer of at least 0. Received: -1
    """
    for name, value in values.items():
        if not _is_integer(value) or value < least:
            raise ValueError(
                f"`{name}` must be an integer of at least {least}. Received: {value!r}"
            )


def _is_integer(value):
    try:
        return operator.index(value) == value
    except TypeError:
        return False
