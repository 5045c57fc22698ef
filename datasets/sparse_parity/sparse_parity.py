"""Parity of a vector with few non-zeros: is the number of ones odd?

As `act_parity`, but a vector has more places than non-zeros, whose number is the difficulty: a
network learns with few of them and is asked with many.

>>> batch = sample(np.random.default_rng(0), 3, length=4, bits=6)
>>> batch["inputs"].shape, bool(batch["difficulty"].max() <= 4)
((3, 1, 6), True)

Source: Banino et al. (2021), arXiv:2107.05407, section 3.1; Graves (2016), arXiv:1603.08983.
"""

from typing import Any

import numpy as np

from ..act_parity import act_parity
from ..act_parity.act_parity import PADDING, answers, decode, describe
from ..arguments import check_counts

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "sample", "sizes"]


def sizes(bits: int = 96, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes of each."""
    return act_parity.sizes(bits=bits)


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 48,
    min_length: int = 1,
    bits: int = 96,
    positions: int | None = None,
) -> dict[str, np.ndarray]:
    """Draws vectors and whether each has an odd number of ones.

    A number k of elements, uniform between `min_length` and `length`, at random places, is set to 1
    or -1 with equal chance; the rest is 0. The target is 1 if the number of ones is odd.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of vectors.
        length: largest k.
        min_length: least k.
        bits: length of a vector.
        positions: the non-zeros lie among this many first elements, and their number is at most
            this; all elements by default.

    Returns:
        A dict of `inputs` float32 (batch, 1, bits), `targets` int32 (batch, 1), `weights` float32
        (batch, 1), all ones, and `difficulty` int32 (batch, 1), the number k of non-zeros.

    Raises:
        ValueError: a parameter is out of its range.
    """
    positions = bits if positions is None else positions
    check_counts(min_length=min_length, length=length, bits=bits)
    check_counts(positions=positions, bits=bits)
    return act_parity.sample(
        rng,
        batch_size,
        bits=bits,
        positions=positions,
        min_nonzeros=min(min_length, positions),
        max_nonzeros=length if positions == bits else min(length, positions),
    )


def encode(text: str, *, bits: int = 96, **_: Any) -> np.ndarray:
    """A vector from its text form: one of `+`, `-`, `0` for each element, zeros at the end free.

    >>> encode("+-0+", bits=6).tolist()
    [[[1.0, -1.0, 0.0, 1.0, 0.0, 0.0]]]
    """
    return act_parity.encode(text, bits=bits)
