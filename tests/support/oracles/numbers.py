"""Digits as integers of Python, for the oracles of tasks on numbers."""


def value(digits, base):
    """The number that digits stand for, the least significant first."""
    result = 0
    for digit in reversed(digits):
        result = result * base + digit
    return result


def read(symbols, base, aligned=False):
    """The digits of both numbers, from symbols without padding."""
    assert len(symbols) % 2 == 1
    length = len(symbols) // 2
    place = 2 * length if aligned else length
    assert symbols[place] == base + 1
    digits = [symbol - 1 for symbol in symbols[:place] + symbols[place + 1 :]]
    assert all(0 <= digit < base for digit in digits)
    if aligned:
        return digits[0::2], digits[1::2]
    return digits[:length], digits[length:]


def answer_of(operation, width, inputs):
    """The symbols of a result of `width(d)` digits, and blanks after it."""
    base = max(inputs) - 1
    first, second = read(inputs, base, aligned=inputs[-1] == base + 1)
    result = operation(value(first, base), value(second, base))
    digits = []
    for _ in range(width(len(first))):
        result, digit = divmod(result, base)
        digits.append(digit)
    assert result == 0, "it fits"
    return [digit + 1 for digit in digits] + [0] * (len(inputs) - len(digits))
