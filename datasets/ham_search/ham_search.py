"""The search task: pairs of a key and a value, sorted by keys, and the value of a key."""

from typing import Any

import numpy as np

from ..arguments import check_between
from ..vectors import (
    PADDING,
    check_bits,
    cut_at_end,
    draw_bits,
    draw_lengths,
    format_vectors,
    gather,
    make_batch,
    pad_vectors,
    sequence_mask,
    to_bits,
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
EXAMPLE = "1:7 4:9 6:2 ? 4"
# A pair and the query.
LEAST = 2


def sizes(key_bits: int = 5, value_bits: int = 5, **_: Any) -> dict[str, int]:
    """Width of the input, and number of simultaneous outputs: the value and the end."""
    check_bits(key_bits=key_bits, value_bits=value_bits)
    return {"width": key_bits + value_bits, "outputs": value_bits + 1, "classes": 2}


def output_length(length: int) -> int:
    """Number of outputs for n inputs: 1."""
    return 1


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 32,
    min_length: int = 1,
    same_length: bool = False,
    short_share: float = 0.0,
    hard_share: float = 0.0,
    key_bits: int = 5,
    value_bits: int = 5,
) -> dict[str, np.ndarray]:
    """Draws pairs sorted by their keys and the key of one of them, and the value of that key.

    Keys are uniform, so some occur more than once; the value is that of the first. The query is the
    key of a pair that is drawn with equal probabilities. It comes last, with zeros for a value.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of pairs and the query.
        min_length: smallest n; n is uniform between the two. No example has n = 1.
        same_length: draw one n for all examples, and do not pad.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from 2 to `length`.
        hard_share: share of the examples whose keys all lie among 2n neighbours, so that they are
            close also where n is small.
        key_bits: width of a key.
        value_bits: width of a value.

    Returns:
        A dict of `inputs` float32 (batch, n, key_bits + value_bits), padded with -1 (`PADDING`)
        at the end, `targets` int32 (batch, 1, value_bits + 1), the value and the end, which comes
        with it, `weights` float32 (batch, 1), 1, and `difficulty` int32 (batch, n), n inside the
        example and 0 after it.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, length=4)
    >>> batch["inputs"].shape, batch["targets"].shape
    ((2, 4, 10), (2, 1, 6))

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.2 (Search).
    """
    check_bits(key_bits=key_bits, value_bits=value_bits)
    check_between(0, 1, hard_share=hard_share)
    lengths, positions = draw_lengths(
        rng, batch_size, length, min_length, same_length, short_share, LEAST
    )
    pairs = sequence_mask(lengths - 1, positions)
    keys = _keys(rng, lengths, positions, 2**key_bits, hard_share)
    values = draw_bits(rng, batch_size, positions, value_bits) * pairs[..., None]
    inputs = pad_vectors(np.concatenate([to_bits(keys, key_bits), values], axis=-1), lengths)
    targets = answers(inputs, key_bits=key_bits)
    return make_batch(inputs, lengths, targets, np.ones((batch_size, 1)))


def _keys(rng, lengths, positions, count, hard_share):
    """Sorted keys below `count`, and after them the query: `(batch, positions)`."""
    rows = np.arange(len(lengths))
    keys = rng.integers(0, count, (len(lengths), positions))
    if hard_share:
        hard = rng.random(len(lengths)) < hard_share
        width = np.minimum(2 * lengths, count)[:, None]
        least = rng.integers(0, count - width + 1)
        keys = np.where(hard[:, None], least + rng.integers(0, width, keys.shape), keys)
    keys = np.sort(np.where(sequence_mask(lengths - 1, positions), keys, count), axis=1)
    keys[rows, lengths - 1] = keys[rows, rng.integers(0, lengths - 1)]
    return keys


def answers(inputs: np.ndarray, *, key_bits: int | None = None) -> np.ndarray:
    """The targets of `inputs` (batch, n, width), int32 (batch, 1, value_bits + 1).

    Args:
        inputs: keys and values, and the query.
        key_bits: width of a key, by default half of the width of `inputs`.

    Raises:
        ValueError: `inputs` are not sorted pairs of bits and the key of one of them.
    """
    inputs, lengths, key_bits = _checked(inputs, key_bits)
    keys = to_numbers(inputs[..., :key_bits])
    last = lengths[:, None] - 1
    pairs = sequence_mask(lengths - 1, inputs.shape[1])
    falls = ((np.diff(keys, axis=1) < 0) & pairs[:, 1:]).any(axis=1)
    if falls.any():
        raise ValueError(
            f"the keys of the pairs must not fall. Received: {', '.join(map(str, keys[falls][0]))}"
        )
    query = np.take_along_axis(keys, last, axis=1)
    result = (keys == query) & pairs
    if not result.any(1).all():
        missing = query[np.argmin(result.any(1)), 0]
        raise ValueError(
            f"the last vector of `inputs` must have the key of a pair. Received: {missing}"
        )
    values = gather(inputs, result.argmax(1)[:, None])[..., key_bits:]
    return np.concatenate([values, np.ones_like(values[..., :1])], axis=-1).astype(np.int32)


def encode(text: str, *, key_bits: int = 5, value_bits: int = 5, **_: Any) -> np.ndarray:
    """An input from its text form: pairs sorted by keys, a question mark, and a key.

    Args:
        text: for instance `"1:7 3:9 3:4 ? 3"`. The most significant bit of a number comes first.
        key_bits: width of a key.
        value_bits: width of a value.

    Returns:
        Inputs float32 (1, n, key_bits + value_bits).

    Raises:
        ValueError: `text` is not of that form, or the key does not belong to a pair.

    Example:

    >>> encode("2:1 ? 2", key_bits=2, value_bits=2).tolist()
    [[[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]]
    """
    check_bits(key_bits=key_bits, value_bits=value_bits)
    pairs, _mark, query = str(text).partition("?")
    words = [*pairs.split(), f"{query.strip()}:0"] if pairs.split() else []
    inputs = parse_pairs(text, words, key_bits, value_bits, "1:7 3:9 3:4 ? 3")[None]
    answers(inputs, key_bits=key_bits)
    return inputs


def layout(key_bits: int = 5, value_bits: int = 5, **_: Any) -> str:
    """What the vectors of inputs and outputs stand for, in words."""
    return (
        f"A vector is the {key_bits} bits of a key and the {value_bits} bits of its value, the "
        "most significant of each first. Keys do not fall, and the last vector is the key that is "
        f"asked for, with zeros for a value. The only output is the {value_bits} bits of its value "
        "and a 1."
    )


def describe(inputs: np.ndarray, *, key_bits: int | None = None) -> str:
    """The text form of one example, inputs (n, width); `key_bits` as in `answers`.

    >>> describe(encode("1:7 3:9 3:4 ? 3")[0])
    '1:7 3:9 3:4 ? 3'
    """
    inputs, lengths, key_bits = _checked(np.asarray(inputs)[None], key_bits)
    words = format_vectors(inputs[0, : lengths[0]], key_bits, inputs.shape[-1] - key_bits)
    return " ".join([*words[:-1], "?", words[-1].split(":")[0]])


def decode(outputs: np.ndarray) -> str:
    """The value as text, from probabilities (1, value_bits + 1).

    ` ...` follows if the end is missing.

    >>> decode(answers(encode("1:7 3:9 3:4 ? 3"))[0])
    '9'
    """
    outputs = np.asarray(outputs)
    _, ended = cut_at_end(outputs)
    (value,) = format_vectors(outputs[:1, :-1] > 0.5, outputs.shape[-1] - 1)
    return value if ended else f"{value} ..."


def _checked(inputs, key_bits):
    """`inputs`, lengths, and width of a key, of pairs and a query that has no value."""
    inputs, lengths = validate_inputs(inputs)
    key_bits = resolve_key_bits(inputs.shape[-1], key_bits)
    if lengths.min() < LEAST:
        raise ValueError(
            f"each example of `inputs` must have a pair and the query. Received: {inputs!r}"
        )
    if gather(inputs, lengths[:, None] - 1)[..., key_bits:].any():
        raise ValueError(
            "the last vector of `inputs`, the query, must have zeros for a value. "
            f"Received: {inputs!r}"
        )
    return inputs, lengths, key_bits
