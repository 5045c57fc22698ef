"""What the tasks on sequences of symbols share: lengths, digits that are drawn, features."""

import functools
from collections.abc import Mapping

import numpy as np

from ..arguments import check_between, check_counts, check_integers

# No symbol: it marks positions outside an example. A blank is a symbol, inside.
PADDING = -1
BLANK = 0
# The number of pools of `examples_per_length` rows that are cached, one for each length.
POOLS = 128


def draw_lengths(
    rng: np.random.Generator,
    batch_size: int,
    smallest: int,
    min_length: int,
    max_length: int,
    short_share: float,
    same_length: bool,
) -> np.ndarray:
    """Lengths, uniform from `min_length` to `max_length`, int64 (batch,).

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of lengths.
        smallest: the smallest possible length.
        min_length: the smallest length of examples that are not short.
        max_length: the largest length.
        short_share: share of the examples (with `same_length`: of the batches) whose length is
            drawn from `smallest` to `max_length`.
        same_length: draw one length for all.
    """
    draws = 1 if same_length else batch_size
    lengths = rng.integers(min_length, max_length + 1, draws)
    if short_share:
        short = rng.random(draws) < short_share
        lengths = np.where(short, rng.integers(smallest, max_length + 1, draws), lengths)
    return np.broadcast_to(lengths, (batch_size,))


def draw_digits(
    rng: np.random.Generator, widths: np.ndarray, base: int, examples_per_length: int | None = None
) -> np.ndarray:
    """Uniform digits, 0 after the width of a row, int8 (batch, largest width).

    Args:
        rng: a `numpy.random.Generator`.
        widths: number of digits in each row, (batch,).
        base: digits are below it.
        examples_per_length: the number of different rows for each width, the same for every
            `rng`; None for no limit.
    """
    max_length = int(widths.max())
    if examples_per_length is None:
        digits = rng.integers(0, base, (len(widths), max_length), dtype=np.int8)
        return digits * (np.arange(max_length) < widths[:, None])
    digits = np.zeros((len(widths), max_length), np.int8)
    chosen = rng.integers(0, examples_per_length, len(widths))
    for width in np.unique(widths):
        rows = np.flatnonzero(widths == width)
        digits[rows, :width] = _pool(int(width), base, examples_per_length)[chosen[rows]]
    return digits


@functools.lru_cache(maxsize=POOLS)
def _pool(width, base, size):
    rng = np.random.default_rng([width, base])
    return rng.integers(0, base, (size, width), dtype=np.int8)


def repeat_in_runs(rng: np.random.Generator, digits: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Digits (batch, width), some of which repeat the one before.

    Each row draws the probability of a repetition, uniform between 0 and 1.

    Args:
        rng: a `numpy.random.Generator`.
        digits: (batch, width).
        where: bool (batch, width), which digits may change.
    """
    position = np.arange(digits.shape[1])
    repeats = where & (position > 0) & (rng.random(digits.shape) < rng.random((len(digits), 1)))
    begins = np.maximum.accumulate(np.where(repeats, 0, position), axis=1)
    return np.take_along_axis(digits, begins, axis=1)


def longest_runs(digits: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The length of the longest run of equal digits in each number, (batch,).

    Args:
        digits: (batch, width).
        lengths: (batch,), the numbers of digits that count.

    >>> longest_runs(np.array([[1, 0, 0, 0, 1], [1, 1, 0, 0, 0]]), np.array([5, 3])).tolist()
    [3, 2]
    """
    position = np.arange(digits.shape[1])
    changes = np.diff(digits, axis=1, prepend=digits[:, :1] - 1) != 0
    begins = np.maximum.accumulate(np.where(changes, position, 0), axis=1)
    return ((position - begins + 1) * (position < lengths[:, None])).max(axis=1)


def make_batch(
    inputs: np.ndarray, targets: np.ndarray, difficulty: np.ndarray
) -> dict[str, np.ndarray]:
    """The features of a batch.

    Args:
        inputs: int32 (batch, n), `PADDING` after each example.
        targets: int32 (batch, n).
        difficulty: of each example, (batch,).

    Returns:
        A dict of `inputs`, `targets`, `weights` float32 (batch, n), 1 inside the examples, and
        `difficulty` int32 (batch, n), 0 at the padding.
    """
    real = inputs != PADDING
    return {
        "inputs": inputs,
        "targets": targets,
        "weights": real.astype(np.float32),
        "difficulty": (difficulty[:, None] * real).astype(np.int32),
    }


def validate_inputs(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`inputs` as an integer array (batch, n) of examples with padding only at the end.

    Returns:
        The array, and the length of each example (batch,).

    Raises:
        ValueError: it is not such an array, or an example is empty.
    """
    inputs = np.asarray(inputs)
    if inputs.ndim != 2 or not len(inputs) or not np.issubdtype(inputs.dtype, np.integer):
        raise ValueError(
            "`inputs` must be integers (batch, n). "
            f"Received: {inputs.dtype.name} of shape {inputs.shape}"
        )
    real = inputs != PADDING
    lengths = real.sum(1)
    if not lengths.all() or (real != (np.arange(inputs.shape[1]) < lengths[:, None])).any():
        raise ValueError(
            f"each example of `inputs` must be symbols and then padding ({PADDING}). "
            f"Received: {inputs!r}"
        )
    return inputs, lengths


def format_symbols(symbols: np.ndarray) -> str:
    """Digits as a text, `_` for a blank among them; blanks at the end are left out.

    >>> format_symbols([2, 1, 0, 2, 0, 0])
    '10_1'
    """
    return "".join("_" if x == BLANK else str(x - 1) for x in symbols).rstrip("_")


def check_draws(
    short_share: float,
    examples_per_length: int | None,
    changes: Mapping[str, float],
    **lengths: int,
) -> None:
    """The parameters that the tasks on symbols share.

    Args:
        short_share: as in `sample`, like all others.
        examples_per_length: the same.
        changes: shares of examples whose symbols are not uniform, by the names of their parameters.
        **lengths: the smallest length and the largest.

    Raises:
        ValueError: one is out of its range, or two exclude each other.
    """
    check_counts(**lengths)
    check_between(0, 1, short_share=short_share, **changes)
    if examples_per_length is None:
        return
    check_integers(1, examples_per_length=examples_per_length)
    for name, share in changes.items():
        if share:
            raise ValueError(
                f"`{name}` and `examples_per_length` exclude each other. Received: "
                f"{name}={share!r}, examples_per_length={examples_per_length!r}"
            )
