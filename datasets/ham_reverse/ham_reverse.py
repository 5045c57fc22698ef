"""The reverse task: vectors of bits become the same vectors, the last one first."""

from typing import Any

import numpy as np

from ..vectors import (
    PADDING,
    add_end_symbol,
    check_bits,
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
EXAMPLE = "5 3 1023"


def sizes(bits: int = 10, **_: Any) -> dict[str, int]:
    """Width of the input, and number of simultaneous outputs: the bits and the end."""
    check_bits(bits=bits)
    return {"width": bits, "outputs": bits + 1, "classes": 2}


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
    bits: int = 10,
) -> dict[str, np.ndarray]:
    """Draws sequences of uniform vectors of bits, and the same backwards.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of vectors.
        min_length: smallest n; n is uniform between the two.
        same_length: draw one n for all examples, and do not pad.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from 1 to `length`.
        bits: width of a vector.

    Returns:
        A dict of `inputs` float32 (batch, n, bits), padded with -1 (`PADDING`) at the end,
        `targets` int32 (batch, n + 1, bits + 1), 0 after the End Of Output symbol, `weights`
        float32 (batch, n + 1), 1 up to that symbol and 0 after it, and `difficulty` int32
        (batch, n), n inside the example and 0 at the padding.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, length=4)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 4, 10), (2, 5, 11))

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.2 (Reverse).
    """
    check_bits(bits=bits)
    lengths, positions = draw_lengths(rng, batch_size, length, min_length, same_length, short_share)
    inputs = pad_vectors(draw_bits(rng, batch_size, positions, bits), lengths)
    weights = sequence_mask(output_length(lengths), output_length(positions))
    return make_batch(inputs, lengths, answers(inputs), weights)


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs` (batch, n, bits), int32 (batch, n + 1, bits + 1).

    Raises:
        ValueError: `inputs` are not vectors of bits.
    """
    inputs, lengths = validate_inputs(inputs)
    source = np.maximum(lengths[:, None] - 1 - np.arange(inputs.shape[1]), 0)
    return add_end_symbol(gather(inputs, source), lengths)


def encode(text: str, *, bits: int = 10, **_: Any) -> np.ndarray:
    """An input from its text form: each vector as a number, separated by spaces.

    Args:
        text: for instance `"5 17 1023"`. The most significant bit comes first in the vector.
        bits: width of a vector.

    Returns:
        Inputs float32 (1, n, bits).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("5 1", bits=3).tolist()
    [[[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]]
    """
    check_bits(bits=bits)
    words = str(text).split()
    try:
        return parse_vectors(words or [""], bits)[None]
    except ValueError as error:
        raise ValueError(
            f"an input is numbers below {2**bits} separated by spaces, for instance '5 3 1'. "
            f"Received: {text!r}"
        ) from error


def layout(bits: int = 10, **_: Any) -> str:
    """What the vectors of inputs and outputs stand for, in words."""
    number = f"the {bits} bits of a number, the most significant first"
    return f"A vector is {number}. {ending(f'{number},')}"


def describe(inputs: np.ndarray) -> str:
    """The text form of one example, inputs (n, bits).

    >>> describe(encode("5 17 1023")[0])
    '5 17 1023'
    """
    inputs, lengths = validate_inputs(np.asarray(inputs)[None])
    return " ".join(format_vectors(inputs[0, : lengths[0]], inputs.shape[-1]))


def decode(outputs: np.ndarray) -> str:
    """The output as text, from probabilities (m, bits + 1).

    Numbers up to the End Of Output; ` ...` follows if it is missing.

    >>> decode(answers(encode("5 17 1023"))[0])
    '1023 17 5'
    """
    return format_outputs(outputs, np.shape(outputs)[-1] - 1)
