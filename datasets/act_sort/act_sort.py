"""The sort task: the indices of real numbers in ascending order."""

from typing import Any

import numpy as np

from ..arguments import check_between, check_counts
from ..numerals import parse_number

# A vector of an example has a flag of 0 or 1, and zero vectors are real inputs.
PADDING = -1.0
# As a person writes it.
EXAMPLE = "0.3 -1.2 0.8"
# Two of 15 normal numbers are as close in one sequence of 17.
RARE_GAP = 0.001
# What its examples do not have, for model cards.
UNSEEN = (
    "It saw no equal numbers, seldom numbers closer than 0.001, and seldom numbers beyond -3 and 3."
)


def sizes(max_numbers: int = 15, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes of each."""
    return {"width": 2, "outputs": 1, "classes": max_numbers}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    numbers: int = 15,
    min_numbers: int = 2,
    max_numbers: int = 15,
    min_separation: float = 0.0,
    hard_share: float = 0.0,
    same_length: bool = False,
) -> dict[str, np.ndarray]:
    """Draws sequences of real numbers and the order of their indices.

    The numbers come one at a time, from a standard normal distribution, with a flag that is 1 at
    the last of them. As many zero vectors follow, at which the indices (from 0) of the numbers in
    ascending order are the targets.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of sequences.
        numbers: largest number of numbers.
        min_numbers: smallest number of numbers.
        max_numbers: fixes the number of classes, and the length 2 `max_numbers` that sequences are
            padded to, unless `same_length`.
        min_separation: smallest distance between two numbers of a sequence; the paper suggests one
            and uses none. Other sequences are drawn again, so it is at most
            `largest_separation(numbers)`.
        hard_share: share of the sequences that have `numbers` numbers (with `same_length`: of the
            batches).
        same_length: draw one length for all sequences, and do not pad.

    Returns:
        A dict of `inputs` float32 (batch, time, 2), `targets` int32 (batch, time), `weights`
        float32 (batch, time), one at the outputs, and `difficulty` int32 (batch, time), how many
        numbers the sequence has (0 at padding).

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2, numbers=3, max_numbers=3)
    >>> batch["inputs"].shape
    (2, 6, 2)

    Source: Graves (2016), arXiv:1603.08983, section 3.4.
    """
    check_counts(min_numbers=min_numbers, numbers=numbers, max_numbers=max_numbers)
    check_between(0, 1, hard_share=hard_share)
    check_between(0, largest_separation(numbers), min_separation=min_separation)
    draws = 1 if same_length else batch_size
    length = rng.integers(min_numbers, numbers + 1, draws)
    if hard_share:
        length = np.where(rng.random(draws) < hard_share, numbers, length)
    length = np.broadcast_to(length, (batch_size,))
    max_count = int(length[0]) if same_length else max_numbers
    values = _separated(rng, length, max_count, min_separation)

    time = np.arange(2 * max_count)
    given = time < length[:, None]
    asked = (time >= length[:, None]) & (time < 2 * length[:, None])
    inputs = np.full((batch_size, 2 * max_count, 2), PADDING, np.float32)
    inputs[given | asked] = 0.0
    inputs[..., 0][given] = values[np.arange(max_count) < length[:, None]]
    inputs[np.arange(batch_size), length - 1, 1] = 1.0
    return {
        "inputs": inputs,
        "targets": answers(inputs),
        "weights": asked.astype(np.float32),
        "difficulty": (length[:, None] * (given | asked)).astype(np.int32),
    }


def largest_separation(numbers: int) -> float:
    """The largest `min_separation` at which rejection sampling ends soon.

    A sequence of n numbers from a standard normal distribution has about n (n - 1) δ / (2 √π) pairs
    that are closer than δ. With at most 4 of them, one sequence in about 50 has none.

    >>> round(float(largest_separation(15)), 4)
    0.0667
    """
    return min(1 / numbers, 8 * np.sqrt(np.pi) / max(numbers * (numbers - 1), 1))


def _separated(rng, length, max_count, min_separation):
    """Normal numbers (batch, most); those of a sequence lie `min_separation` apart."""
    values = rng.standard_normal((len(length), max_count), dtype=np.float32)
    close = np.full(len(length), min_separation > 0)
    while close.any():
        inside = np.arange(max_count) < length[close, None]
        ordered = np.sort(np.where(inside, values[close], np.inf), axis=1)
        with np.errstate(invalid="ignore"):
            gaps = np.diff(ordered, axis=1)
        still = (gaps < min_separation).any(axis=1)
        close[close] = still
        values[close] = rng.standard_normal((close.sum(), max_count), dtype=np.float32)
    return values


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs` (batch, time, 2), int32 (batch, time); 0 where there is none."""
    inputs = np.asarray(inputs)
    steps = inputs.shape[1]
    length = inputs[..., 1].argmax(1) + 1
    given = np.arange(steps) < length[:, None]
    order = np.argsort(np.where(given, inputs[..., 0], np.inf), axis=1, kind="stable")
    # The k-th smallest is asked for at time length + k.
    rank = np.arange(steps) - length[:, None]
    asked = (rank >= 0) & (rank < length[:, None])
    targets = np.take_along_axis(order, np.maximum(rank, 0), axis=1)
    return np.where(asked, targets, 0).astype(np.int32)


def encode(text: str, *, max_numbers: int = 15, **_: Any) -> np.ndarray:
    """A sequence from its text form: numbers separated by spaces or commas.

    Args:
        text: for instance `"0.3 -1.2 0.8"`.
        max_numbers: largest number of numbers.

    Returns:
        Inputs float32 (1, time, 2), zero vectors for the answers included.

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("0.3 -1.2 0.8").shape
    (1, 6, 2)
    """
    text = str(text)
    try:
        values = [parse_number(word) for word in text.replace(",", " ").split()]
    except ValueError:
        values = []
    largest = float(np.finfo(np.float32).max)
    if not 2 <= len(values) <= max_numbers or not all(abs(x) <= largest for x in values):
        raise ValueError(
            f"a sort input is 2 to {max_numbers} numbers separated by spaces or commas, for "
            f"instance '0.3 -1.2 0.8'. Received: {text!r}"
        )
    inputs = np.zeros((1, 2 * len(values), 2), np.float32)
    inputs[0, : len(values), 0] = values
    inputs[0, len(values) - 1, 1] = 1.0
    return inputs


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of each time step of one example, inputs (time, 2); "" where no number is read.

    A number is written with just enough digits to identify the float32 value.

    >>> describe(encode("0.3 -1.25")[0])
    ['0.3', '-1.25', '', '']
    """
    inputs = np.asarray(inputs, np.float32)
    given = int(inputs[:, 1].argmax()) + 1
    return [str(x).removesuffix(".0") if i < given else "" for i, x in enumerate(inputs[:, 0])]


def asked(inputs: np.ndarray) -> list[bool]:
    """Whether there is a target at each time step of one example, inputs (time, 2).

    >>> asked(encode("0.3 -1.25")[0])
    [False, False, True, True]
    """
    return [not text for text in describe(inputs)]


def decode(outputs: np.ndarray) -> list[str]:
    """The index at each time step from probabilities (time, classes)."""
    return [str(index) for index in np.asarray(outputs).argmax(-1)]


def note(inputs: np.ndarray, answers: list[str], **_: Any) -> str | None:
    """What is wrong with the answers to one example, or unlike the training; None if nothing is.

    Args:
        inputs: the example (time, 2).
        answers: at all its time steps, in human form.

    >>> note(encode("0.3 -1.25")[0], ["", "", "1", "0"])
    >>> note(encode("1 1")[0], ["", "", "1", "1"])
    'not an order of the numbers; the training saw no equal numbers'
    """
    count = asked(inputs).index(True)
    numbers, order = inputs[:count, 0], answers[count : 2 * count]
    gap = np.diff(np.sort(numbers.astype(float))).min(initial=np.inf)
    found = {
        "not an order of the numbers": sorted(map(int, order)) != list(range(count)),
        "the training saw no equal numbers": gap == 0,
        f"the training seldom saw numbers closer than {RARE_GAP}": 0 < gap < RARE_GAP,
        "the training saw numbers around 0, seldom beyond -3 and 3": abs(numbers).max() > 3,
    }
    return "; ".join(text for text, holds in found.items() if holds) or None
