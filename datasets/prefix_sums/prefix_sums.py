"""The prefix sums of bits, modulo two: bit k of the answer is the parity of the first k bits.

>>> answers(encode("0110")).tolist()
[[1, 2, 1, 1]]
>>> decode(np.eye(3)[answers(encode("0110"))[0]])
'0100'
>>> sample(np.random.default_rng(0), 3, length=9)["inputs"].shape
(3, 9)

Source: Bansal et al. (2022), arXiv:2202.05826, section 4.1; Schwarzschild et al. (2021),
arXiv:2108.06011.
"""

import numpy as np

from ..arguments import check_integers
from ..symbols.bit_task import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "sample", "sizes"]


def _prefix_sums(symbols, counts):
    return np.cumsum(symbols == 2, axis=1) % 2 + 1


_TASK = BitTask(result=_prefix_sums)
sizes, answers = _TASK.sizes, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    length: int = 32,
    min_length: int | None = None,
    same_length: bool = False,
) -> dict[str, np.ndarray]:
    """Draws sequences of uniform bits, and their prefix sums.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of examples.
        length: largest n, the number of positions.
        min_length: least n; n is uniform between the two. By default all have `length`.
        same_length: draw one n for all examples, and do not pad.

    Returns:
        A dict of `inputs` int32 (batch, n), with -1 (`PADDING`) after an example, `targets` int32
        (batch, n), 0 there, `weights` float32 (batch, n), 1 inside the example and 0 after it,
        and `difficulty` int32 (batch, n), n inside the example and 0 after it.

    Raises:
        ValueError: a parameter is out of its range.
    """
    check_integers(1, length=length)
    least = length if min_length is None else min_length
    return _TASK.sample(rng, batch_size, length=length, min_length=least, same_length=same_length)
