"""Boundaries in a sequence at the peaks of a signal, such as ponder, prediction loss or entropy.

Graves (2016), section 3.5, observes that a network ponders longer at spaces and at other marks of a
boundary, and suggests ponder as a detector of boundaries; loss and entropy are the usual ones.
"""

import numpy as np

from . import arguments
from .types import Tensor

# A network may notice a boundary at the element before it, or at the first one after it.
SIDES = ("after", "before")
# Heights of peaks that `choose` tries.
TRIED = 200


def peaks(values: Tensor, least: float = -np.inf) -> np.ndarray:
    """Where a signal is higher than before, not lower than after, and at least `least`.

    Args:
        values: `(batch, time)`; NaN is not a peak.
        least: the least height. Defaults to no limit.

    Returns:
        Boolean `(batch, time)`.

    >>> peaks(np.array([[1.0, 3.0, 2.0, 2.5, 2.5, 0.0]])).astype(int)
    array([[0, 1, 0, 1, 0, 0]])
    """
    padded = np.pad(np.asarray(values, float), ((0, 0), (1, 1)), constant_values=-np.inf)
    padded = np.where(np.isnan(padded), -np.inf, padded)
    middle = padded[:, 1:-1]
    return (middle > padded[:, :-2]) & (middle >= padded[:, 2:]) & (middle >= least)


def propose(values: Tensor, height: float, side: str = "after") -> np.ndarray:
    """Where boundaries are proposed: after the element of a peak, or before it.

    Args:
        values: a signal `(batch, time)`.
        height: the least height of a peak.
        side: `"after"` or `"before"`. Defaults to `"after"`.

    Returns:
        Boolean `(batch, time)`: whether there is a boundary after each element.

    >>> propose(np.array([[1.0, 3.0, 2.0]]), 0, "before").astype(int)
    array([[1, 0, 0]])
    """
    arguments.choice("side", side, SIDES)
    boundaries = peaks(values, height)
    if side == "before":
        boundaries = np.concatenate([boundaries[:, 1:], np.zeros_like(boundaries[:, :1])], axis=1)
    return boundaries


def score(proposed: Tensor, real: Tensor) -> dict[str, float]:
    """Precision, recall and their harmonic mean.

    Args:
        proposed: boolean, whether there is a boundary after each element.
        real: boolean of the same shape, the right answer.

    Returns:
        A dict: `precision`, `recall`, `f1`; 0 where there is nothing to divide by.

    >>> score(np.array([True, True, False]), np.array([True, False, False]))
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6667}
    """
    right = int((proposed & real).sum())
    precision = right / max(int(proposed.sum()), 1)
    recall = right / max(int(real.sum()), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    numbers = {"precision": precision, "recall": recall, "f1": f1}
    return {name: round(value, 4) for name, value in numbers.items()}


def choose(values: Tensor, real: Tensor) -> tuple[float, str]:
    """The least height of peaks, and the side, with the highest F1.

    Args:
        values: a signal `(batch, time)`.
        real: boolean of the same shape, where the boundaries are.

    Returns:
        A pair of `height` and `side`, as `propose` takes them.
    """
    heights = np.quantile(values[peaks(values)], np.linspace(0, 0.995, TRIED))
    tried = [(float(height), side) for side in SIDES for height in heights]
    return max(tried, key=lambda choice: score(propose(values, *choice), real)["f1"])
