"""How long a network thinks where a word's first byte is predicted, beside inside words."""

from ....datasets.enwik8 import characters
from ....statistics import quotient_of_means

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
        found = quotient_of_means(results[source], spaces, inside)
        numbers[name], numbers[f"{name}_interval"] = found
    return numbers
