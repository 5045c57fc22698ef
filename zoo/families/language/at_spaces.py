"""How long a network ponders where a word's first byte is predicted, beside inside words."""

import math

import numpy as np

from ....datasets.enwik8 import characters
from ....statistics import mean_interval


def space_ratio(results):
    """The mean ponder at spaces, divided by that inside words.

    Args:
        results: of `Language.measure`: `inputs` and `ponder` (windows, time).

    Returns:
        A dict: `space_ratio`, and `space_ratio_interval`, its 95 % confidence interval, as if
        windows were independent; empty if there are no spaces or no words.
    """
    kinds = characters.kinds(results["inputs"])
    logarithm, spread, windows = 0.0, 0.0, len(kinds)
    for name, sign in (("spaces", 1), ("inside words", -1)):
        those = kinds == characters.KINDS.index(name)
        totals, counts = (results["ponder"] * those).sum(axis=1), those.sum(axis=1)
        if not counts.any():
            return {}
        mean = totals.sum() / counts.sum()
        logarithm += sign * math.log(mean)
        # What each window adds to the logarithm of the mean, to the first order.
        spread = spread + sign * (totals - mean * counts) / totals.mean()
    interval = mean_interval(logarithm, float(np.std(spread, ddof=1)), windows, 6)
    return {
        "space_ratio": round(math.exp(logarithm), 4),
        "space_ratio_interval": [round(math.exp(bound), 4) for bound in interval],
    }
