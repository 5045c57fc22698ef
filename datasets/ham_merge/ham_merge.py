"""The merge task: two sequences sorted by priorities become one, of their values."""

from typing import Any

import numpy as np

from ..arguments import check_between
from ..numerals import parse_number
from ..vectors import (
    PADDING,
    add_end_symbol,
    check_bits,
    check_width,
    draw_bits,
    draw_lengths,
    ending,
    format_outputs,
    format_vectors,
    gather,
    make_batch,
    pad_vectors,
    parse_vectors,
    sequence_mask,
    validate_inputs,
)

__all__ = [
    "EXAMPLE",
    "PADDING",
    "PRIORITIES",
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
EXAMPLE = "12/300:7 0.5:3 | 30/300:9"
# Priorities are 1/300 to 300/300, and no two of an example are equal.
PRIORITIES = 300


def sizes(value_bits: int = 5, **_: Any) -> dict[str, int]:
    """Width of the input, and number of simultaneous outputs: the value and the end."""
    check_bits(value_bits=value_bits)
    return {"width": 1 + value_bits, "outputs": value_bits + 1, "classes": 2}


def output_length(length: int) -> int:
    """Number of outputs for n inputs, the End Of Output symbol included: n + 1."""
    return length + 1


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 32,
    min_length: int = 1,
    same_length: bool = False,
    short_share: float = 0.0,
    hard_share: float = 0.0,
    value_bits: int = 5,
) -> dict[str, np.ndarray]:
    """Draws two sequences sorted by priorities, one after the other, and the values in order.

    The first sequence has 1 to n - 1 pairs, all numbers equally likely, and the second the rest;
    only with n = 1 there is no second. Priorities rise within each; values are uniform bits.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of pairs in both sequences, at most 300.
        min_length: smallest n; n is uniform between the two.
        same_length: draw one n for all examples, and do not pad.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from 1 to `length`.
        hard_share: share of the examples whose priorities all lie among 2n neighbours, so that many
            of them are 1/300 apart, as they are where n is 128.
        value_bits: width of a value.

    Returns:
        A dict of `inputs` float32 (batch, n, 1 + value_bits), padded with -1 (`PADDING`) at
        the end, `targets` int32 (batch, n + 1, value_bits + 1), 0 after the End Of Output symbol,
        `weights` float32 (batch, n + 1), 1 up to that symbol and 0 after it, and `difficulty` int32
        (batch, n), n inside the example and 0 at the padding.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, length=4)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 4, 6), (2, 5, 6))

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.2 (Merge).
    """
    check_bits(value_bits=value_bits)
    lengths, positions = draw_lengths(rng, batch_size, length, min_length, same_length, short_share)
    check_between(1, PRIORITIES, length=length)
    check_between(0, 1, hard_share=hard_share)
    firsts = rng.integers(1, np.maximum(lengths, 2))
    numbers = _different(rng, lengths, positions, hard_share)
    # The second sequence comes after the first, and the padding after both.
    numbers += np.where(sequence_mask(firsts, positions), 0, 2 * PRIORITIES)
    numbers[~sequence_mask(lengths, positions)] = 4 * PRIORITIES
    numbers = np.sort(numbers, axis=1) % (2 * PRIORITIES)
    priorities = (numbers / PRIORITIES).astype(np.float32)[..., None]
    values = draw_bits(rng, batch_size, positions, value_bits)
    inputs = pad_vectors(np.concatenate([priorities, values], axis=-1), lengths)
    weights = sequence_mask(output_length(lengths), output_length(positions))
    return make_batch(inputs, lengths, answers(inputs), weights)


def _different(rng, lengths, count, hard_share):
    """`count` different numbers from 1 to 300 in random order; close in hard rows."""
    batch_size = len(lengths)
    result = np.tile(np.arange(1, PRIORITIES + 1), (batch_size, 1))
    rows = np.arange(batch_size)
    # The first steps of a shuffle.
    for place in range(count):
        other = rng.integers(place, PRIORITIES, batch_size)
        taken = result[rows, other]
        result[rows, other] = result[:, place]
        result[:, place] = taken
    result = result[:, :count].copy()
    if hard_share:
        hard = rng.random(batch_size) < hard_share
        result[hard] = _neighbours(rng, lengths[hard], count)
    return result


def _neighbours(rng, lengths, count):
    """Different numbers (batch, count); the first n of a row of n pairs lie among 2n neighbours."""
    wide = np.minimum(2 * lengths, PRIORITIES)[:, None]
    order = rng.random((len(lengths), PRIORITIES)) + (np.arange(PRIORITIES) >= wide)
    # A window that would reach beyond the ends is moved inside: else few are near them.
    lowest = rng.integers(1 - wide // 2, PRIORITIES - wide + 2 + wide // 2)
    return order.argsort(axis=1)[:, :count] + np.clip(lowest, 1, PRIORITIES - wide + 1)


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs` (batch, n, 1 + value_bits), int32 (batch, n + 1, value_bits + 1).

    Raises:
        ValueError: `inputs` are not two sequences with rising priorities, all different, between 0
            and 1, and values of bits.
    """
    inputs, lengths = _checked(inputs)
    real = sequence_mask(lengths, inputs.shape[1])
    order = np.argsort(np.where(real, inputs[..., 0], np.inf), axis=1)
    return add_end_symbol(gather(inputs[..., 1:], order), lengths)


def encode(text: str, *, value_bits: int = 5, **_: Any) -> np.ndarray:
    """An input from its text form: two sequences of pairs, a bar between them.

    A pair is a priority between 0 and 1, a fraction or a decimal number, a colon, and a value. With
    one sequence there is no bar.

    Args:
        text: for instance `"12/300:7 0.5:3 | 30/300:9"`. The most significant bit of a value comes
            first.
        value_bits: width of a value.

    Returns:
        Inputs float32 (1, n, 1 + value_bits).

    Raises:
        ValueError: `text` is not of that form, priorities fall in a sequence, or two are equal.

    Example:

    >>> encode("1/4:2 | 0.5:1", value_bits=2).tolist()
    [[[0.25, 1.0, 0.0], [0.5, 0.0, 1.0]]]
    """
    check_bits(value_bits=value_bits)
    sequences = [part.split() for part in str(text).split("|")]
    words = [word.split(":") for words in sequences for word in words]
    try:
        if len(sequences) > 2 or not all(sequences):
            raise ValueError("one or two sequences")
        numbers = [[_priority(number) for number, _ in words]]
        values = parse_vectors([value for _, value in words], value_bits)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(
            "an input is two sequences of pairs, of a priority between 0 and 1, a colon and a "
            f"value below {2**value_bits}, with | between them, for instance "
            f"'12/300:7 0.5:3 | 30/300:9'. Received: {text!r}"
        ) from error
    inputs = np.concatenate([np.array(numbers, np.float32).T, values], axis=-1)[None]
    for part in np.split(inputs[0, :, 0], [len(sequences[0])]):
        if (np.diff(part) < 0).any():
            raise ValueError(f"the priorities of a sequence must rise. Received: {text!r}")
    _checked(inputs)
    return inputs


def _priority(text):
    """The number that a decimal number or a fraction stands for."""
    above, slash, below = text.partition("/")
    return parse_number(above) / (parse_number(below) if slash else 1)


def layout(value_bits: int = 5, **_: Any) -> str:
    """What the vectors of inputs and outputs stand for, in words."""
    value = f"the {value_bits} bits of a value, the most significant first"
    return (
        f"A vector is a priority, a number between 0 and 1, and {value}. One sequence comes after "
        f"the other, and priorities rise in each. {ending(f'{value},')}"
    )


def describe(inputs: np.ndarray) -> str:
    """The text form of one example, inputs (n, 1 + value_bits).

    Where the priorities fall, the second sequence begins. If they do not, where it begins makes no
    difference, and no bar is written.

    >>> describe(encode("12/300:7 0.5:3 | 30/300:9")[0])
    '12/300:7 150/300:3 | 30/300:9'
    """
    inputs, lengths = _checked(np.asarray(inputs)[None])
    example = inputs[0, : lengths[0]]
    values = format_vectors(example[:, 1:], example.shape[1] - 1)
    words = [f"{_fraction(number)}:{value}" for number, value in zip(example[:, 0], values)]
    for fall in np.flatnonzero(np.diff(example[:, 0]) < 0):
        words.insert(fall + 1, "|")
    return " ".join(words)


def _fraction(priority):
    """As a number of 300ths if it is one, else the shortest decimal number that identifies it."""
    number = round(float(priority) * PRIORITIES)
    if np.float32(number / PRIORITIES) == priority:
        return f"{number}/{PRIORITIES}"
    return str(priority)


def decode(outputs: np.ndarray) -> str:
    """The values as text, from probabilities (m, value_bits + 1).

    Values up to the End Of Output; ` ...` follows if it is missing.

    >>> decode(answers(encode("12/300:7 0.5:3 | 30/300:9"))[0])
    '7 9 3'
    """
    return format_outputs(outputs, np.shape(outputs)[-1] - 1)


def _checked(inputs):
    """`inputs` and lengths, of two sequences with rising priorities, all different."""
    inputs, lengths = validate_inputs(inputs, reals=1)
    width = inputs.shape[-1]
    check_width(inputs, width > 1, "a priority and a value, 2 elements or more")
    real = sequence_mask(lengths, inputs.shape[1])
    priorities = inputs[..., 0]
    invalid = real & ~((priorities >= 0) & (priorities <= 1))
    if invalid.any():
        raise ValueError(
            "the priorities of `inputs` must lie between 0 and 1. "
            f"Received: {priorities[invalid][0]}"
        )
    falls = (np.diff(priorities, axis=1) < 0) & real[:, 1:]
    ordered = np.sort(np.where(real, priorities, np.inf), axis=1)
    equal = (ordered[:, 1:] == ordered[:, :-1]) & real[:, 1:]
    valid = (falls.sum(1) < 2) & ~equal.any(1)
    if not valid.all():
        raise ValueError(
            "the priorities of `inputs` must be different, and rise in each of two sequences. "
            f"Received: {priorities[np.argmin(valid)]}"
        )
    return inputs, lengths
