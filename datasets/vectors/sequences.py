"""What the tasks on sequences of vectors share: bits, lengths, padding, the end of the output."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_between, check_counts, check_integers
from ..symbols import sequences as symbols

# In every element of a vector outside an example; no vector of an example is like that.
PADDING = -1.0
# Numbers of this many bits are exact in 64-bit arithmetic of either kind.
LARGEST_BITS = 32


def check_bits(minimum: int = 1, **bits: Any) -> None:
    """Checks numbers of bits: integers from `minimum` to 32.

    Raises:
        ValueError: one is not.

    >>> check_bits(value_bits=0)
    Traceback (most recent call last):
        ...
    ValueError: `value_bits` must be an integer of at least 1. Received: 0
    """
    check_integers(minimum, **bits)
    check_between(minimum, LARGEST_BITS, **bits)


def draw_lengths(
    rng: np.random.Generator,
    batch_size: int,
    length: int,
    min_length: int,
    same_length: bool,
    short_share: float,
    smallest: int = 1,
) -> tuple[np.ndarray, int]:
    """Lengths of the examples, uniform from `min_length` to `length`.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n.
        min_length: smallest n; where no example is that short, the smallest possible n.
        same_length: draw one n for all examples.
        short_share: share of the examples (with `same_length`: of the batches) whose n is drawn
            from `smallest` to `length`.
        smallest: the smallest possible n.

    Returns:
        n of each example, (batch,), and the number of positions of the array, int.

    Raises:
        ValueError: a parameter is out of its range.
    """
    check_counts(min_length=min_length, length=length)
    check_integers(smallest, length=length)
    check_between(0, 1, short_share=short_share)
    lengths = symbols.draw_lengths(
        rng, batch_size, smallest, max(smallest, min_length), length, short_share, same_length
    )
    return lengths, int(lengths[0]) if same_length else length


def draw_bits(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Uniform bits, float32 of that shape."""
    return rng.integers(0, 2, shape, dtype=np.int8).astype(np.float32)


def to_bits(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Numbers (…) as bits (…, bits), the most significant first, float32.

    >>> to_bits([3, 8], bits=4).tolist()
    [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]]
    """
    shifts = np.arange(bits)[::-1]
    return (np.asarray(numbers, np.int64)[..., None] >> shifts & 1).astype(np.float32)


def to_numbers(vectors: np.ndarray) -> np.ndarray:
    """Bits (…, bits), the most significant first, as numbers int64 (…).

    Numbers have the lexicographic order of their vectors.

    >>> to_numbers([[0, 0, 1, 1], [1, 0, 0, 0]]).tolist()
    [3, 8]
    """
    powers = 2.0 ** np.arange(np.shape(vectors)[-1])[::-1]
    return (np.asarray(vectors, np.float64) @ powers).astype(np.int64)


def sequence_mask(lengths: np.ndarray, positions: int) -> np.ndarray:
    """Which positions lie inside examples of these lengths, bool (batch, positions)."""
    return np.arange(positions) < np.asarray(lengths)[:, None]


def pad_vectors(vectors: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """`vectors` (batch, n, width) with padding after each example, float32."""
    real = sequence_mask(lengths, vectors.shape[1])
    return np.where(real[..., None], vectors, np.float32(PADDING))


def gather(vectors: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The vectors (batch, m, width) at `indices` (batch, m) of `vectors` (batch, n, width)."""
    return vectors[np.arange(len(vectors))[:, None], indices]


def ending(output: str) -> str:
    """A sentence on the outputs of a task with an End Of Output symbol, see `add_end_symbol`.

    Args:
        output: what the other elements of an output are.
    """
    return (
        f"An output is {output} and a last element, 0 before the end of the answer and 1 in the "
        "output after it, whose other elements are 0."
    )


def add_end_symbol(outputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Targets: the outputs of each example, and the End Of Output symbol after them.

    That symbol is a vector in which the last element is 1 and the others are 0. The last element of
    all other vectors is 0.

    Args:
        outputs: bits (batch, m, bits); anything after an example's own outputs is ignored.
        counts: number of outputs of each example, (batch,), at most m.

    Returns:
        Targets int32 (batch, m + 1, bits + 1), 0 after the symbol.

    >>> add_end_symbol(np.array([[[1, 1], [0, 1]]]), np.array([1])).tolist()
    [[[1, 1, 0], [0, 0, 1], [0, 0, 0]]]
    """
    batch_size, positions, bits = outputs.shape
    targets = np.zeros((batch_size, positions + 1, bits + 1), np.int32)
    targets[:, :positions, :bits] = outputs
    targets[:, :positions][~sequence_mask(counts, positions)] = 0
    targets[np.arange(batch_size), counts, bits] = 1
    return targets


def cut_at_end(outputs: np.ndarray) -> tuple[np.ndarray, bool]:
    """The outputs of a model before its End Of Output symbol.

    Args:
        outputs: probabilities (m, bits + 1), the last of each vector that of the symbol.

    Returns:
        Bits (outputs, bits), and whether the symbol occurred.

    >>> bits, finished = cut_at_end([[0.9, 0.8, 0.1], [0.2, 0.1, 0.7]])
    >>> bits.tolist(), finished
    ([[True, True]], True)
    """
    bits = np.asarray(outputs) > 0.5
    ends = np.flatnonzero(bits[:, -1])
    return bits[: ends[0] if len(ends) else None, :-1], len(ends) > 0


def make_batch(
    inputs: np.ndarray, lengths: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """The features of a batch.

    Args:
        inputs: float32 (batch, n, width), padded.
        lengths: n of each example, (batch,).
        targets: int32 (batch, m, outputs).
        weights: which targets count, (batch, m).

    Returns:
        A dict of the four features; `difficulty` is int32 (batch, n), an example's n inside it and
        0 at the padding.
    """
    real = sequence_mask(lengths, inputs.shape[1])
    return {
        "inputs": inputs,
        "targets": targets,
        "weights": weights.astype(np.float32),
        "difficulty": (np.asarray(lengths)[:, None] * real).astype(np.int32),
    }


def validate_inputs(inputs: np.ndarray, reals: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """`inputs` as an array of examples, vectors of bits with padding only at the end.

    Args:
        inputs: (batch, n, width).
        reals: the number of elements at the beginning of a vector that need not be bits.

    Returns:
        The array, float32, and the length of each example, (batch,).

    Raises:
        ValueError: it is not such an array, or an example is empty.
    """
    inputs = np.asarray(inputs)
    if inputs.ndim != 3 or not inputs.size or inputs.dtype.kind not in "fiub":
        raise ValueError(
            "`inputs` must be numbers (batch, n, width). "
            f"Received: {inputs.dtype.name} of shape {inputs.shape}"
        )
    inputs = inputs.astype(np.float32, copy=False)
    real = (inputs != PADDING).any(-1)
    lengths = real.sum(1)
    if not lengths.all() or (real != sequence_mask(lengths, inputs.shape[1])).any():
        raise ValueError(
            f"each example of `inputs` must be vectors and then padding, {PADDING} in every "
            f"element. Received: {inputs!r}"
        )
    bits = inputs[..., reals:]
    wrong = (bits != 0) & (bits != 1) & real[..., None]
    if wrong.any():
        raise ValueError(f"`inputs` must be bits, 0 or 1. Received: {bits[wrong][0]}")
    return inputs, lengths


def check_width(inputs: np.ndarray, valid: bool, rule: str) -> None:
    """Checks the width of `inputs`.

    Raises:
        ValueError: not `valid`; the message states the `rule`.
    """
    if not valid:
        raise ValueError(f"vectors of `inputs` must have {rule}. Received: {inputs.shape[-1]}")


def parse_vectors(words: Sequence[str], *bits: int) -> np.ndarray:
    """Vectors from words such as `"3:7"`: numbers, one for each part of a vector.

    Args:
        words: strings.
        *bits: how many bits each part has; a part of 0 bits is absent.

    Returns:
        Float32 (words, all bits), the most significant bit of each part first.

    Raises:
        ValueError: a word is not of that form, or a number too large.

    >>> parse_vectors(["3:1"], 2, 3).tolist()
    [[1.0, 1.0, 0.0, 0.0, 1.0]]
    """
    bits = tuple(count for count in bits if count)
    rows = [word.split(":") for word in words]
    for row in rows:
        if len(row) != len(bits) or not all(x.isascii() and x.isdigit() for x in row):
            raise ValueError(f"no vector: {':'.join(row)!r}")
        if any(int(number) >= 2**count for number, count in zip(row, bits)):
            raise ValueError(f"a number is too large: {':'.join(row)!r}")
    parts = [to_bits([int(row[i]) for row in rows], count) for i, count in enumerate(bits)]
    return np.concatenate(parts, axis=-1)


def format_vectors(vectors: np.ndarray, *bits: int) -> list[str]:
    """The words of `vectors` (n, all bits), the inverse of `parse_vectors`.

    >>> format_vectors(np.array([[1, 1, 0, 0, 1]]), 2, 3)
    ['3:1']
    """
    cuts = np.cumsum([count for count in bits if count])[:-1]
    parts = [to_numbers(part) for part in np.split(np.asarray(vectors), cuts, axis=-1)]
    return [":".join(map(str, row)) for row in zip(*parts)]


def format_outputs(outputs: np.ndarray, *bits: int) -> str:
    """A model's outputs as text, from probabilities (m, all bits + 1).

    Returns:
        The words up to the End Of Output; ` ...` follows where a model does not say that.

    >>> format_outputs(np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]), 3)
    '6 2'
    >>> format_outputs(np.array([[1, 1, 0, 0]]), 3)
    '6 ...'
    """
    result, ended = cut_at_end(outputs)
    return " ".join(format_vectors(result, *bits) + ([] if ended else ["..."]))
