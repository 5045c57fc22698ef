"""Numbers of any length as arrays of digits, the least significant first."""

from collections.abc import Sequence

import numpy as np


def add(first: np.ndarray, second: np.ndarray, base: int) -> np.ndarray:
    """Sums of numbers of d digits, int64 (batch, d + 1).

    Args:
        first: digits (batch, d), the least significant first.
        second: the same.
        base: digits are below it.

    >>> add(np.array([[1, 0, 1, 0]]), np.array([[0, 1, 1, 1]]), base=2)
    array([[1, 1, 0, 0, 1]])
    """
    totals = np.zeros((len(first), first.shape[1] + 1), np.int64)
    totals[:, :-1] = first
    totals[:, :-1] += second
    return _propagate_carries(totals, base)


def multiply(first: np.ndarray, second: np.ndarray, base: int) -> np.ndarray:
    """Products of numbers of d digits, int64 (batch, 2 d).

    Args:
        first: digits (batch, d), the least significant first.
        second: the same.
        base: digits are below it.

    >>> multiply(np.array([[0, 1, 1, 0]]), np.array([[0, 1, 0, 1]]), base=2)
    array([[0, 0, 1, 1, 1, 1, 0, 0]])
    """
    count, width = first.shape
    # Digits are spaced so far apart in a Python integer that the sums of their products do not
    # overlap: one fast multiplication of integers then gives all these sums.
    field = np.dtype("<" + np.min_scalar_type(max(width * (base - 1) ** 2, 1)).str[1:])
    size = field.itemsize * width
    first, second = (np.asarray(x).astype(field).tobytes() for x in (first, second))
    products = []
    for start in range(0, count * size, size):
        row = slice(start, start + size)
        product = int.from_bytes(first[row], "little") * int.from_bytes(second[row], "little")
        products.append(product.to_bytes(2 * size, "little"))
    totals = np.frombuffer(b"".join(products), field).reshape(count, 2 * width)
    return _propagate_carries(totals.astype(np.int64), base)


def summand(total: int, first: int, base: int, width: int) -> int:
    """What is added to a number of `width` digits for a sum, of which the highest digit is open.

    >>> summand(13, 9, base=2, width=4), summand(3, 9, base=2, width=4)
    (4, 10)
    """
    return (total - first) % base**width


def factor(product: int, first: int, base: int, width: int) -> int:
    """What a positive number is multiplied by for a product that begins with the digits wanted.

    It has at most `width` digits; as few of the lowest digits of `product` are given up as that
    needs.

    >>> factor(90, 9, base=10, width=1), factor(17, 9, base=10, width=1)
    (1, 1)
    """
    while product >= first * base**width:
        product //= base
    return product // first


def _propagate_carries(totals, base):
    """The digits of Σ totals[:, i] baseⁱ, int64 (batch, places), if they fit."""
    columns = np.ascontiguousarray(totals.T)
    carry = np.zeros(len(totals), np.int64)
    for column in columns:
        column += carry
        np.floor_divide(column, base, out=carry)
        column -= carry * base
    return np.ascontiguousarray(columns.T)


def to_integer(digits: Sequence[int], base: int) -> int:
    """The number that `digits` stand for, the least significant first; any length.

    >>> to_integer([1, 0, 1, 1], base=2)
    13
    """
    value = 0
    for digit in reversed(digits):
        value = value * base + int(digit)
    return value


def from_integer(value: int, base: int) -> list[int]:
    """The digits of a number, the least significant first; those of 0 are [0]. Any length.

    >>> from_integer(13, base=2)
    [1, 0, 1, 1]
    """
    digits: list[int] = []
    while value or not digits:
        value, digit = divmod(value, base)
        digits.append(digit)
    return digits


def as_asked(written: str, base: int, question: str) -> str:
    """A number that answers a question, in decimal if a digit of the question is not of its base.

    What is not a number stays as it is.

    >>> as_asked("1010000", 2, "53+27"), as_asked("1010000", 2, "110101+11011")
    ('80', '1010000')
    """
    decimal = any(digit.isdecimal() and int(digit) >= base for digit in question)
    if not (decimal and written.isdecimal()):
        return written
    value = to_integer([int(digit) for digit in reversed(written)], base)
    return "".join(map(str, reversed(from_integer(value, 10))))
