"""How many floating-point operations residual units take, as far as they were computed."""

from collections.abc import Sequence

import numpy as np

from ..types import Tensor
from .unit import ResidualUnit


def convolution(positions: Tensor, size: int, before: int, filters: int) -> np.ndarray:
    """FLOPs of a convolution at some positions: 2 · positions · size² · channels before and after.

    >>> int(convolution(10, 3, 1, 2))
    360
    """
    return 2.0 * np.asarray(positions, "float64") * size**2 * before * filters


def block(
    units: Sequence[ResidualUnit],
    steps: Tensor,
    halting: str | None,
    size: Sequence[int],
    before: int,
    global_logit: bool = True,
) -> np.ndarray:
    """Of a `ResidualACT` of `ResidualUnit`s.

    A position that takes unit l needs the second convolution there, and the first also at its
    neighbours: the mask is dilated. The first unit is computed everywhere. Those of the halting
    units are counted where positions, or images, are running.

    Args:
        units: of the block.
        steps: N, `(batch,)`, or with `"sact"` `(batch, height, width)`.
        halting: `"sact"`, `"act"`, or `None` for units without halting units.
        size: height and width of the feature maps.
        before: channels of the block's input.
        global_logit: as in `ResidualACT`.

    Returns:
        Float64 `(batch,)`.

    Source: Figurnov et al. (2017), arXiv:1612.02297, section 4.1, and their code.
    """
    steps, area, spatial = np.asarray(steps), size[0] * size[1], halting == "sact"
    total = np.zeros(len(steps))
    for number, unit in enumerate(units, 1):
        active = steps >= number if number > 1 else np.ones_like(steps, bool)
        first = _positions(_dilated(active) if spatial else active, area)
        second = _positions(active, area)
        total += convolution(first, 3, before, unit.filters)
        total += convolution(second, 3, unit.filters, unit.filters)
        if unit.projection is not None:
            total += convolution(second, 1, before, unit.filters)
        if halting is not None and number < len(units):
            total += convolution(second > 0, 1, unit.filters, 1) if global_logit else 0
            total += convolution(second, 3, unit.filters, 1) if spatial else 0
        before = unit.filters
    return total


def _positions(active, area):
    """How many positions of each image are active."""
    return active.sum(axis=(1, 2)) if active.ndim == 3 else active * area


def _dilated(active):
    """The positions that have an active one among their 3×3.

    >>> _dilated(np.eye(5, dtype=bool)[None, :1])[0].sum()
    np.int64(2)
    """
    padded = np.pad(active, ((0, 0), (1, 1), (1, 1)))
    height, width = active.shape[1:]
    needed = np.zeros_like(active)
    for row in range(3):
        for column in range(3):
            needed |= padded[:, row : row + height, column : column + width]
    return needed
