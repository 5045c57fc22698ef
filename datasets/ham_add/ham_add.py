"""The addition task: two numbers of d bits and their sum."""

from typing import Any

import numpy as np

from ..arguments import check_counts
from ..symbols import PADDING as NO_SYMBOL
from ..symbols.digits import add, summand
from ..symbols.number_task import NumberTask
from ..vectors import (
    PADDING,
    add_end_symbol,
    check_width,
    cut_at_end,
    ending,
    make_batch,
    sequence_mask,
    validate_inputs,
)

__all__ = [
    "EXAMPLE",
    "PADDING",
    "SYMBOLS",
    "answers",
    "decode",
    "describe",
    "encode",
    "layout",
    "output_length",
    "sample",
    "sizes",
]

# As a person writes it.
EXAMPLE = "110101+011011"
# One-hot vectors as characters.
SYMBOLS = "01+="
_NUMBERS = NumberTask(
    result=add,
    result_digits=lambda digits: digits + 1,
    second=summand,
    operators="+",
    example="110101+011011",
)
BASE = 2
# Symbols of the numbers begin with 1; the vectors are one-hot, for 0, 1, + and =.
EQUALS = 4
# 1+1=
LEAST = 4


def sizes(**_: Any) -> dict[str, int]:
    """Width of the input, and number of simultaneous outputs: a bit of the sum and the end."""
    return {"width": EQUALS, "outputs": 2, "classes": 2}


def output_length(length: int) -> int:
    """Number of outputs for n inputs, the End Of Output symbol included: n // 2 + 1."""
    return length // 2 + 1


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 32,
    min_length: int = 1,
    same_length: bool = False,
    short_share: float = 0.0,
) -> dict[str, np.ndarray]:
    """Draws pairs of numbers with the same number of uniform bits, and their sums.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of symbols: 2 d + 2 for numbers of d bits.
        min_length: smallest n; all d between the two are equally likely. No example has fewer
            than 4 symbols, or an odd number of them.
        same_length: draw one n for all examples, and do not pad.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from 4 to `length`.

    Returns:
        A dict of `inputs` float32 (batch, n, 4), one-hot for 0, 1, + and =, padded with -1
        (`PADDING`) at the end, `targets` int32 (batch, n // 2 + 1, 2), the d + 1 bits of the sum
        and the End Of Output symbol, 0 after it, `weights` float32 (batch, n // 2 + 1), 1 up to
        that symbol and 0 after it, and `difficulty` int32 (batch, n), n inside the example and 0
        at the padding.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, length=8)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 8, 4), (2, 5, 2))

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.2 (Add).
    """
    check_counts(min_length=min_length, length=length)
    # -(-a // b) is a / b rounded up.
    min_bits, max_bits = max(1, -(-(min_length - 2) // 2)), (length - 2) // 2
    if min_bits > max_bits:
        raise ValueError(
            "an even number of at least 4 must lie between `min_length` and `length`. "
            f"Received: min_length={min_length!r}, length={length!r}"
        )
    numbers = _NUMBERS.sample(
        rng,
        batch_size,
        bits=max_bits,
        min_bits=min_bits,
        same_length=same_length,
        short_share=short_share,
    )["inputs"]
    lengths = (numbers != NO_SYMBOL).sum(1) + 1
    inputs = _vectors(numbers, lengths, int(lengths[0]) if same_length else length)
    weights = sequence_mask(output_length(lengths), output_length(inputs.shape[1]))
    return make_batch(inputs, lengths, answers(inputs), weights)


def _vectors(numbers, lengths, positions):
    """Symbols of two numbers (batch, n), =, and padding, float32 (batch, positions, 4)."""
    batch_size, given = numbers.shape
    symbols = np.full((batch_size, positions), NO_SYMBOL)
    symbols[:, :given] = numbers
    symbols[np.arange(batch_size), lengths - 1] = EQUALS
    one_hot = symbols[..., None] == np.arange(1, EQUALS + 1)
    real = sequence_mask(lengths, positions)
    return np.where(real[..., None], one_hot, PADDING).astype(np.float32)


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs` (batch, n, 4), int32 (batch, n // 2 + 1, 2).

    The sum has d + 1 bits, of which the last may be 0.

    Raises:
        ValueError: `inputs` are not two numbers of the same length with + between them and = at
            the end.
    """
    numbers, lengths = _numbers(inputs)
    max_bits = output_length(np.shape(inputs)[1]) - 1
    sums = np.maximum(_NUMBERS.answers(numbers)[:, :max_bits] - 1, 0)
    sums = np.pad(sums, ((0, 0), (0, max_bits - sums.shape[1])))
    return add_end_symbol(sums[..., None], output_length(lengths) - 1)


def encode(text: str, **_: Any) -> np.ndarray:
    """An input from its text form: two numbers with + between them, and = at the end or not.

    The most significant bit of a number comes first in the text, and last in the input. The shorter
    number gets leading zeros. If there is a digit above 1, both numbers are read as decimal.

    Args:
        text: for instance `"110101+011011"`.

    Returns:
        Inputs float32 (1, n, 4).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("1+0").tolist()[0][:2]
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    try:
        numbers = _NUMBERS.encode(str(text).strip().removesuffix("="))
    except ValueError as error:
        raise ValueError(str(error).partition("Received")[0] + f"Received: {text!r}") from error
    length = numbers.shape[1] + 1
    return _vectors(numbers, np.array([length]), length)


def layout(**_: Any) -> str:
    """What the vectors of inputs and outputs stand for, in words."""
    return (
        f"A vector is a 1 at the place of its symbol among {' '.join(SYMBOLS)}, and zeros. An "
        "example is a number, +, the other number and =; both have equally many bits, the shorter "
        "one with leading zeros, and the least significant comes first. "
        + ending("a bit of the sum, the least significant first,")
    )


def describe(inputs: np.ndarray) -> str:
    """The text form of one example, inputs (n, 4), the most significant bit of a number first.

    >>> describe(encode("53+27")[0])
    '110101+011011'
    """
    numbers, _ = _numbers(np.asarray(inputs)[None])
    return _NUMBERS.describe(numbers[0])


def decode(outputs: np.ndarray) -> str:
    """The sum as text, from probabilities (m, 2).

    Bits up to the End Of Output, the most significant first; `... ` goes before them where it is
    missing.

    >>> decode(answers(encode("53+27"))[0])
    '1010000'
    """
    bits, finished = cut_at_end(outputs)
    result = "".join(str(int(bit)) for bit in bits[::-1, 0])
    return result if finished else f"... {result}"


def _numbers(inputs):
    """The symbols (batch, n) of the two numbers and the +, and lengths with the =."""
    inputs, lengths = validate_inputs(inputs)
    check_width(inputs, inputs.shape[-1] == EQUALS, f"{EQUALS} elements")
    real = sequence_mask(lengths, inputs.shape[1])
    counts = inputs.sum(-1)
    if (counts[real] != 1).any():
        raise ValueError(
            "a vector of `inputs` must be one-hot, for 0, 1, + or =. "
            f"Received: {inputs[real][counts[real] != 1][0]}"
        )
    symbols = np.where(real, inputs.argmax(-1) + 1, NO_SYMBOL)
    last = np.arange(inputs.shape[1]) == lengths[:, None] - 1
    valid = ((symbols == EQUALS) == last).all(1) & ((symbols == BASE + 1).sum(1) == 1)
    valid &= (lengths >= LEAST) & (lengths % 2 == 0)
    valid &= symbols[np.arange(len(symbols)), lengths // 2 - 1] == BASE + 1
    if not valid.all():
        invalid = symbols[np.argmin(valid)]
        text = "".join("01+="[symbol - 1] for symbol in invalid[invalid != NO_SYMBOL])
        raise ValueError(
            "an example of `inputs` must be two numbers of the same length with + between them "
            f"and = at the end. Received: {text!r}"
        )
    return np.where(last, NO_SYMBOL, symbols)[:, : max(lengths.max() - 1, 1)], lengths
