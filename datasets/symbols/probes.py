"""Probes: pairs of numbers that random digits rarely give, where learned arithmetic often fails.

A probe takes digits (batch, d), the least significant first and 0 after each number's length, and
changes them.
"""

from typing import Any

import numpy as np

from .digits import from_integer, to_integer


def get_probe(name: str | None, operator: str) -> Any:
    """The probe of a name, None for None.

    Args:
        name: one of `PROBES`, or None.
        operator: `"+"` or `"*"`: products carry far elsewhere than sums.

    Raises:
        ValueError: an unknown name.
    """
    if name is None:
        return None
    if name not in PROBES:
        known = ", ".join(map(repr, PROBES))
        raise ValueError(f"`probe` must be None or one of {known}. Received: {name!r}")
    if name == "carries" and operator == "*":
        return multiplication_carries
    return PROBES[name]


def carries(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sums with one carry through half of the places or more.

    The chain begins where two digits add up to `base` or more, and continues where they add up to
    `base` - 1.
    """
    length = lengths[:, None]
    chain = rng.integers((length + 1) // 2, length + 1)
    start = rng.integers(0, length - chain + 1)
    position = np.arange(first.shape[1])
    continues = (position > start) & (position < start + chain)
    second = np.where(continues, base - 1 - first, second)
    # Uniform among the pairs that make `base` or more.
    high = rng.integers(1, base, start.shape)
    low = base - 1 - rng.integers(0, high)
    begins = position == start
    return np.where(begins, high, first), np.where(begins, low, second)


def multiplication_carries(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """Products next to a power of the base: 1000…, or …999, in their upper half.

    The second number is the power divided by the first, rounded down or up.
    """
    first, second = first.copy(), np.zeros_like(second)
    up = rng.integers(0, 2, len(lengths))
    top = rng.integers(1, base, len(lengths))
    first[np.arange(len(lengths)), lengths - 1] = top
    for row, length in enumerate(lengths.tolist()):
        value = to_integer(first[row, :length].tolist(), base)
        quotient, rest = divmod(base ** (2 * length - 1), value)
        quotient += int(up[row]) if rest else 0
        result = from_integer(min(quotient, base**length - 1), base)
        second[row, : len(result)] = result
    return first, second


def ones(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """All digits are the largest, in the first number, the second, or both."""
    position = np.arange(first.shape[1])
    return _either(rng, first, second, (position < lengths[:, None]) * (base - 1))


def zeros(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """All digits are 0, in the first number, the second, or both."""
    return _either(rng, first, second, np.zeros_like(first))


def powers(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """A power of the base, as the first number, the second, or both."""
    position = np.arange(first.shape[1])
    powers = [position == rng.integers(0, lengths[:, None]) for _ in range(2)]
    return _either(rng, first, second, *powers)


def unequal(
    rng: np.random.Generator, first: np.ndarray, second: np.ndarray, lengths: np.ndarray, base: int
) -> tuple[np.ndarray, np.ndarray]:
    """One number has d digits, the other fewer: its leading digits are 0."""
    position = np.arange(first.shape[1])
    short = position < rng.integers(0, lengths[:, None])
    top = np.where(position == lengths[:, None] - 1, rng.integers(1, base, (len(lengths), 1)), 0)
    swapped = rng.integers(0, 2, (len(lengths), 1)) == 1
    first_long, second_long = np.where(top, top, first), np.where(top, top, second)
    return (
        np.where(swapped, first * short, first_long),
        np.where(swapped, second_long, second * short),
    )


def _either(rng, first, second, new_first, new_second=None):
    """The new numbers in place of the first, of the second, or of both."""
    which = rng.integers(1, 4, (len(first), 1))
    new_second = new_first if new_second is None else new_second
    return np.where(which & 1, new_first, first), np.where(which & 2, new_second, second)


PROBES = {"carries": carries, "ones": ones, "zeros": zeros, "powers": powers, "unequal": unequal}
