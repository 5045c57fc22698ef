"""How long a network thinks where a word's first byte is predicted, beside inside words."""

import math

import numpy as np

from ....datasets.enwik8 import characters
from ....statistics import mean_interval

# What is divided, and the names of the quotients.
RATIOS = {"ponder": "space_ratio", "ponder_steps": "space_steps_ratio"}


def space_ratios(results):
    """The mean ponder ρ and steps N at spaces, divided by those inside words.

    Args:
        results: of `Language.measure`: `inputs`, `ponder` and `ponder_steps` (windows, time).

    Returns:
        A dict of the quotients, `space_ratio` and `space_steps_ratio`, and with `_interval` after
        the name the 95 % confidence interval of each, as if windows were independent; empty if
        there are no spaces, no words, or a single window.
    """
    kinds = characters.kinds(results["inputs"])
    spaces, inside = (kinds == characters.KINDS.index(name) for name in ("spaces", "inside words"))
    if len(kinds) < 2 or not spaces.any() or not inside.any():
        return {}
    numbers = {}
    for source, name in RATIOS.items():
        (above, above_spread), (below, below_spread) = (
            _log_mean(results[source], those) for those in (spaces, inside)
        )
        spread = float(np.std(above_spread - below_spread, ddof=1))
        interval = mean_interval(above - below, spread, len(kinds), 6)
        numbers[name] = round(math.exp(above - below), 4)
        numbers[f"{name}_interval"] = [round(math.exp(bound), 4) for bound in interval]
    return numbers


def _log_mean(values, those):
    """The logarithm of a mean, and what each window adds to it, to the first order."""
    totals, counts = (values * those).sum(axis=1, dtype="float64"), those.sum(axis=1)
    mean = totals.sum() / counts.sum()
    return math.log(mean), (totals - mean * counts) / totals.mean()
