"""The sort task: pairs of a key and a value, in the order of their keys."""

from typing import Any

import numpy as np

from ..arguments import check_integers
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
    sequence_mask,
    to_numbers,
    validate_inputs,
)
from ..vectors.pairs import parse_pairs, resolve_key_bits

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
EXAMPLE = "3:7 1:4 3:2"


def sizes(key_bits: int = 5, value_bits: int = 5, **_: Any) -> dict[str, int]:
    """Width of the input, and number of simultaneous outputs: key, value, and the end."""
    check_bits(key_bits=key_bits)
    check_bits(0, value_bits=value_bits)
    width = key_bits + value_bits
    return {"width": width, "outputs": width + 1, "classes": 2}


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
    distinct_keys: int | None = None,
    key_bits: int = 5,
    value_bits: int = 5,
) -> dict[str, np.ndarray]:
    """Draws sequences of pairs of uniform bits, and the same pairs in the order of their keys.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of pairs.
        min_length: smallest n; n is uniform between the two.
        same_length: draw one n for all examples, and do not pad.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from 1 to `length`.
        distinct_keys: if given, keys are drawn from k random keys, where k is uniform from 1 to
            this for each example, so that more pairs have the same key.
        key_bits: width of a key.
        value_bits: width of a value; 0 for keys only.

    Returns:
        A dict of `inputs` float32 (batch, n, key_bits + value_bits), padded with -1 (`PADDING`)
        at the end, `targets` int32 (batch, n + 1, key_bits + value_bits + 1), 0 after the End Of
        Output symbol, `weights` float32 (batch, n + 1), 1 up to that symbol and 0 after it, and
        `difficulty` int32 (batch, n), n inside the example and 0 at the padding.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, length=4)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 4, 10), (2, 5, 11))

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.2 (Sort).
    """
    width = sizes(key_bits, value_bits)["width"]
    lengths, positions = draw_lengths(rng, batch_size, length, min_length, same_length, short_share)
    vectors = draw_bits(rng, batch_size, positions, width)
    if distinct_keys is not None:
        check_integers(1, distinct_keys=distinct_keys)
        few = draw_bits(rng, batch_size, distinct_keys, key_bits)
        count = rng.integers(1, distinct_keys, (batch_size, 1), endpoint=True)
        vectors[..., :key_bits] = gather(few, rng.integers(0, count, (batch_size, positions)))
    inputs = pad_vectors(vectors, lengths)
    weights = sequence_mask(output_length(lengths), output_length(positions))
    return make_batch(inputs, lengths, answers(inputs, key_bits=key_bits), weights)


def answers(inputs: np.ndarray, *, key_bits: int | None = None) -> np.ndarray:
    """The targets of `inputs` (batch, n, width), int32 (batch, n + 1, width + 1).

    Pairs with equal keys keep their order.

    Args:
        inputs: keys and values.
        key_bits: width of a key, by default half of the width of `inputs`.

    Raises:
        ValueError: `inputs` are not pairs of bits.
    """
    inputs, lengths = validate_inputs(inputs)
    key_bits = resolve_key_bits(inputs.shape[-1], key_bits)
    keys = to_numbers(inputs[..., :key_bits])
    keys[~sequence_mask(lengths, inputs.shape[1])] = 2**key_bits
    return add_end_symbol(gather(inputs, np.argsort(keys, axis=1, kind="stable")), lengths)


def encode(text: str, *, key_bits: int = 5, value_bits: int = 5, **_: Any) -> np.ndarray:
    """An input from its text form: pairs separated by spaces, each a key, a colon and a value.

    Args:
        text: for instance `"3:7 1:12 3:0"`; with `value_bits=0`, `"3 1 3"`. The most significant
            bit of a number comes first.
        key_bits: width of a key.
        value_bits: width of a value.

    Returns:
        Inputs float32 (1, n, key_bits + value_bits).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("3:1", key_bits=2, value_bits=2).tolist()
    [[[1.0, 1.0, 0.0, 1.0]]]
    """
    sizes(key_bits, value_bits)
    return parse_pairs(text, str(text).split(), key_bits, value_bits)[None]


def layout(key_bits: int = 5, value_bits: int = 5, **_: Any) -> str:
    """What the vectors of inputs and outputs stand for, in words."""
    pair = (
        f"the {key_bits} bits of a key and the {value_bits} bits of its value, the most "
        "significant of each first"
    )
    return f"A vector is {pair}. {ending('such a pair')}"


def describe(inputs: np.ndarray, *, key_bits: int | None = None) -> str:
    """The text form of one example, inputs (n, width); `key_bits` as in `answers`.

    >>> describe(encode("3:7 1:12 3:0")[0])
    '3:7 1:12 3:0'
    """
    inputs, lengths = validate_inputs(np.asarray(inputs)[None])
    key_bits = resolve_key_bits(inputs.shape[-1], key_bits)
    return " ".join(format_vectors(inputs[0, : lengths[0]], key_bits, inputs.shape[-1] - key_bits))


def decode(outputs: np.ndarray, *, key_bits: int | None = None) -> str:
    """The output as text, from probabilities (m, width + 1); `key_bits` as in `answers`.

    Pairs up to the End Of Output; ` ...` follows if it is missing.

    >>> decode(answers(encode("3:7 1:12 3:0"))[0])
    '1:12 3:7 3:0'
    """
    width = np.shape(outputs)[-1] - 1
    key_bits = resolve_key_bits(width, key_bits)
    return format_outputs(outputs, key_bits, width - key_bits)
