"""The addition task: the running sum of decimal numbers, digit by digit."""

from typing import Any

import numpy as np

from ..arguments import check_between, check_counts

PADDING = 0.0
# As a person writes it.
EXAMPLE = "12+345+6"
END = 10
# As many numbers of D digits have a sum of D + 1 digits at most.
MOST_NUMBERS = 10
# Sums of more would not fit into 64 bits.
MOST_DIGITS = 17


def sizes(max_digits: int = 5, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes of each."""
    return {"width": 10 * max_digits, "outputs": max_digits + 1, "classes": 11}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    digits: int = 5,
    numbers: int = 5,
    min_digits: int = 1,
    min_numbers: int = 1,
    max_digits: int = 5,
    max_numbers: int = 5,
    hard_share: float = 0.0,
    first_target: bool = False,
    same_length: bool = False,
) -> dict[str, np.ndarray]:
    """Draws sequences of numbers and their running sums.

    A number has D digits, each uniform between 0 and 9 (so it may begin with zeros), the most
    significant first, one-hot in 10 elements each. The target is the sum of the numbers so far,
    without leading zeros, most significant digit first, filled up with the end marker 10.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of sequences.
        digits: largest D.
        numbers: largest number of numbers in a sequence.
        min_digits: smallest D.
        min_numbers: smallest number of numbers.
        max_digits: chunks in an input vector; fixes the width, 10 `max_digits`.
        max_numbers: length that sequences are padded to, unless `same_length`; at most 10, as the
            outputs have one digit more than the inputs.
        hard_share: share of the numbers that have `digits` digits.
        first_target: also ask for the first number itself. In the paper it has no target.
        same_length: draw one length for all sequences, and do not pad.

    Returns:
        A dict of `inputs` float32 (batch, time, width), `targets` int32 (batch, time, outputs),
        `weights` float32 (batch, time), zero at the first number, and `difficulty` int32
        (batch, time), the number of digits.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 5, 50), (2, 5, 6))

    Source: Graves (2016), arXiv:1603.08983, section 3.3.
    """
    check_counts(min_digits=min_digits, digits=digits, max_digits=max_digits)
    check_counts(min_numbers=min_numbers, numbers=numbers, max_numbers=max_numbers)
    check_between(1, MOST_NUMBERS, max_numbers=max_numbers)
    check_between(1, MOST_DIGITS, max_digits=max_digits)
    check_between(0, 1, hard_share=hard_share)
    if same_length:
        length = np.full(batch_size, rng.integers(min_numbers, numbers + 1))
        steps = int(length[0])
    else:
        length = rng.integers(min_numbers, numbers + 1, batch_size)
        steps = max_numbers
    present = np.arange(steps) < length[:, None]
    count = rng.integers(min_digits, digits + 1, (batch_size, steps))
    if hard_share:
        count = np.where(rng.random((batch_size, steps)) < hard_share, digits, count)
    count = np.where(present, count, 0)
    figures = rng.integers(0, 10, (batch_size, steps, max_digits))
    used = np.arange(max_digits) < count[..., None]
    inputs = np.zeros((batch_size, steps, max_digits, 10), np.float32)
    np.put_along_axis(inputs, figures[..., None], used[..., None].astype(np.float32), axis=-1)
    inputs = inputs.reshape(batch_size, steps, -1)
    weights = present.astype(np.float32)
    if not first_target:
        weights[:, 0] = 0.0
    return {
        "inputs": inputs,
        "targets": answers(inputs),
        "weights": weights,
        "difficulty": count.astype(np.int32),
    }


def _values(inputs):
    """The numbers that `inputs` (…, time, width) stand for, integers (…, time)."""
    chunks = inputs.reshape(*inputs.shape[:-1], -1, 10)
    used = chunks.any(-1)
    figures = chunks.argmax(-1)
    value = np.zeros(inputs.shape[:-1], np.int64)
    for place in range(chunks.shape[-2]):
        value = np.where(used[..., place], value * 10 + figures[..., place], value)
    return value


def answers(inputs: np.ndarray) -> np.ndarray:
    """The running sums of `inputs` (batch, time, width), int32 (batch, time, outputs)."""
    inputs = np.asarray(inputs)
    return _figures(np.cumsum(_values(inputs), axis=-1), inputs.shape[-1] // 10 + 1)


def _figures(value, outputs):
    """Digits of `value`, most significant first, then end markers."""
    powers = 10 ** np.arange(outputs)
    length = np.maximum((value[..., None] >= powers).sum(-1), 1)
    place = length[..., None] - 1 - np.arange(outputs)
    figures = value[..., None] // powers[np.maximum(place, 0)] % 10
    return np.where(place >= 0, figures, END).astype(np.int32)


def encode(text: str, *, max_digits: int = 5, **_: Any) -> np.ndarray:
    """A sequence from its text form: numbers separated by `+`.

    Args:
        text: for instance `"12+345+6"`.
        max_digits: largest number of digits.

    Returns:
        Inputs float32 (1, time, width).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("12+345+6").shape
    (1, 3, 50)
    """
    check_between(1, MOST_DIGITS, max_digits=max_digits)
    numbers = [part.strip() for part in str(text).split("+")]
    valid = all(x.isascii() and x.isdigit() and len(x) <= max_digits for x in numbers)
    if not valid or len(numbers) > MOST_NUMBERS:
        raise ValueError(
            f"an addition input is 1 to {MOST_NUMBERS} numbers of 1 to {max_digits} digits apart "
            f"by '+', for instance '12+345+6'. Received: {text!r}"
        )
    inputs = np.zeros((1, len(numbers), max_digits, 10), np.float32)
    for step, number in enumerate(numbers):
        for place, figure in enumerate(number):
            inputs[0, step, place, int(figure)] = 1.0
    return inputs.reshape(1, len(numbers), -1)


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of each time step of one example, inputs (time, width)."""
    chunks = np.asarray(inputs).reshape(len(inputs), -1, 10)
    return ["".join(str(x.argmax()) for x in number if x.any()) for number in chunks]


def asked(inputs: np.ndarray) -> list[bool]:
    """Whether there is a target at each time step of one example: not at the first number.

    >>> asked(encode("12+345+6")[0])
    [False, True, True]
    """
    return [step > 0 for step in range(len(inputs))]


def decode(outputs: np.ndarray) -> list[str]:
    """The sum at each time step from probabilities (time, outputs, 11), digits up to the end."""
    forms = []
    for figures in np.asarray(outputs).argmax(-1):
        stop = np.flatnonzero(figures == END)
        forms.append("".join(map(str, figures[: stop[0] if len(stop) else None])))
    return forms


def note(inputs: np.ndarray, answers: list[str], *, numbers: int = 5, **_: Any) -> str | None:
    """That one example, inputs (time, width), has more numbers than the training; None if not.

    >>> note(encode("1+2+3")[0], ["", "3", "6"], numbers=2)
    'the training saw at most 2 numbers'
    """
    return f"the training saw at most {numbers} numbers" if len(inputs) > numbers else None
