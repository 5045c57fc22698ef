"""The parity task: is the number of ones in a vector of 1, -1 and 0 odd?"""

import re
from typing import Any

import numpy as np

from ..arguments import check_between, check_counts

PADDING = 0.0
# As a person writes it.
EXAMPLE = "+-0+"


def sizes(bits: int = 64, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes of each."""
    return {"width": bits, "outputs": 1, "classes": 2}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    bits: int = 64,
    placement: str = "random",
    positions: int | None = None,
    min_nonzeros: int = 1,
    max_nonzeros: int | None = None,
    hard_share: float = 0.0,
) -> dict[str, np.ndarray]:
    """Draws vectors and whether each has an odd number of ones.

    A number k of elements, uniform between `min_nonzeros` and `max_nonzeros`, is set to 1 or -1
    with equal chance; the rest is 0. The target is 1 if the number of +1s is odd.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of vectors.
        bits: length of a vector.
        placement: `"random"` puts the k non-zeros at random places, `"prefix"` at the first k.
        positions: the non-zeros lie among this many first elements; all of them by default.
        min_nonzeros: smallest k.
        max_nonzeros: largest k; `positions` by default.
        hard_share: share of the vectors whose k is drawn from those above half of `positions`.

    Returns:
        A dict of `inputs` float32 (batch, 1, bits), `targets` int32 (batch, 1), `weights` float32
        (batch, 1), all ones, and `difficulty` int32 (batch, 1), the number k of non-zeros.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 3, bits=4)
    >>> batch["inputs"].shape
    (3, 1, 4)

    Source: Graves (2016), arXiv:1603.08983, section 3.1.
    """
    positions = bits if positions is None else positions
    max_nonzeros = positions if max_nonzeros is None else max_nonzeros
    if placement not in ("random", "prefix"):
        raise ValueError(f'`placement` must be "random" or "prefix". Received: {placement!r}')
    check_counts(
        min_nonzeros=min_nonzeros, max_nonzeros=max_nonzeros, positions=positions, bits=bits
    )
    check_between(0, 1, hard_share=hard_share)
    count = rng.integers(min_nonzeros, max_nonzeros + 1, batch_size)
    if hard_share:
        hard = rng.random(batch_size) < hard_share
        least = max(min_nonzeros, positions // 2 + 1)
        if least <= max_nonzeros:
            count = np.where(hard, rng.integers(least, max_nonzeros + 1, batch_size), count)
    signs = (rng.integers(0, 2, (batch_size, positions), dtype=np.int8) * 2 - 1).astype(np.int8)
    chosen = np.arange(positions) < count[:, None]
    if placement == "random":
        # The k smallest of as many random keys lie at k random places. float32 keys are multiples
        # of 2^-24; the place makes them distinct, so that every processor sorts them alike.
        keys = rng.random((batch_size, positions), dtype=np.float32) * 2**24
        keys = keys.astype(np.int64) * positions + np.arange(positions)
        chosen = keys <= np.take_along_axis(np.sort(keys, axis=1), count[:, None] - 1, axis=1)
    inputs = np.zeros((batch_size, 1, bits), np.float32)
    inputs[:, 0, :positions] = signs * chosen
    return {
        "inputs": inputs,
        "targets": answers(inputs),
        "weights": np.ones((batch_size, 1), np.float32),
        "difficulty": count.astype(np.int32)[:, None],
    }


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs`: 1 where the number of ones is odd, int32 (batch, time)."""
    return ((np.asarray(inputs) == 1).sum(-1) % 2).astype(np.int32)


def encode(text: str, *, bits: int = 64, **_: Any) -> np.ndarray:
    """A vector from its text form: one of `+`, `-`, `0` for each element, zeros at the end free.

    `1` and `+1` may stand for `+`, and `-1` for `-`; blanks and commas are ignored.

    Args:
        text: for instance `"+-0+"`.
        bits: length of a vector.

    Returns:
        Inputs float32 (1, 1, bits).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("+-0+", bits=6).tolist()
    [[[1.0, -1.0, 0.0, 1.0, 0.0, 0.0]]]
    """
    # A 1 belongs to the sign right before it.
    marks = re.sub(r"([+-])1|[\s,]+", r"\1", str(text))
    values = {"+": 1.0, "1": 1.0, "-": -1.0, "0": 0.0}
    if not marks or len(marks) > bits or set(marks) - set(values) or not set(marks) - {"0"}:
        raise ValueError(
            f"a parity input is 1 to {bits} of the marks + - 0, not all 0, for instance '+-0+'. "
            f"Received: {text!r}"
        )
    inputs = np.zeros((1, 1, bits), np.float32)
    inputs[0, 0, : len(marks)] = [values[mark] for mark in marks]
    return inputs


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of each time step of one example, inputs (time, bits)."""
    marks = {1: "+", -1: "-", 0: "0"}
    return ["".join(marks[int(x)] for x in vector) for vector in np.asarray(inputs)]


def decode(outputs: np.ndarray) -> list[str]:
    """The answer at each time step, `"odd"` or `"even"`, from probabilities (time, 1)."""
    return ["odd" if probability >= 0.5 else "even" for probability in np.asarray(outputs)[:, 0]]
