"""Where a text falls into pieces: at the peaks of ponder, or of prediction loss or entropy.

A boundary between two words is where white space is, or was before it was removed: without it,
reading that a byte is a space is no help.
"""

import math

import numpy as np

from .... import boundaries, datasets
from ....datasets.enwik8 import characters
from .network import bits

# The names that users say, and what a family measures.
SIGNALS = {"ponder": "ponder", "loss": "bits", "entropy": "entropy"}
NUMBERS = ("precision", "recall", "f1")
TEXTS = ("with spaces", "without spaces")
# The most windows of a split that are measured: all of those of the first megabyte.
MOST_WINDOWS = 400


def signals(family, probe, inputs):
    """Ponder, loss and entropy at each byte of windows (windows, time), by the names of `SIGNALS`.

    The loss at the last byte of a window is not known, and no peak.
    """
    size = family.evaluation_batch_size(family.recipe.parameters)
    parts = []
    for start in range(0, len(inputs), size):
        rows = inputs[start : start + size]
        results = probe(rows)
        losses = np.full(rows.shape, np.nan)
        losses[:, :-1] = bits(results["outputs"][:, :-1], rows[:, 1:])
        parts.append({"ponder": results["ponder"], "loss": losses, "entropy": results["entropy"]})
    return {name: np.concatenate([part[name] for part in parts]) for name in SIGNALS}


def texts(recipe, split):
    """Inputs (windows, time) and where the boundaries are, for each of `TEXTS`.

    With spaces a boundary is at the white space before a byte that is none. Of a long text, every
    tenth window is taken, say, see `MOST_WINDOWS`.
    """
    windows = datasets.task(recipe.dataset).windows(split, **recipe.parameters)
    every = math.ceil(len(windows["inputs"]) / MOST_WINDOWS)
    windows = {name: values[::every] for name, values in windows.items()}
    real = characters.before_words(windows)
    return {TEXTS[0]: (windows["inputs"], real), TEXTS[1]: characters.without_spaces(windows)}


def boundary_f1(results, chosen):
    """How well peaks of ponder find the boundaries between words, in a text with spaces.

    Args:
        results: what was measured of each byte, of `Language.measure`.
        chosen: the same on the data by which the peaks' least height and the side are chosen.
    """
    choice = boundaries.choose(chosen["ponder"], characters.before_words(chosen))
    proposed = boundaries.propose(results["ponder"], *choice)
    return boundaries.score(proposed, characters.before_words(results))["f1"]


def measure(family, probe):
    """How well the peaks of each signal find the boundaries of words.

    The least height of a peak, and whether the boundary is after its byte or before it, are chosen
    on validation data, for each signal and text alone.

    Args:
        family: the `Language` of the model's recipe.
        probe: of the model.

    Returns:
        A list of dicts: `text`, `signal`, `height`, `side`, `boundaries` (their share of all
        bytes), and on test data `precision`, `recall` and `f1`, and `every_byte`, the last of these
        if each byte was proposed.
    """
    chosen, rows = choices(family, probe), []
    for text, (inputs, real) in texts(family.recipe, "test").items():
        for name, values in signals(family, probe, inputs).items():
            height, side = chosen[text, name]
            rows.append(
                {
                    "text": text,
                    "signal": name,
                    "height": round(height, 4),
                    "side": side,
                    "boundaries": round(float(real.mean()), 4),
                    **boundaries.score(boundaries.propose(values, height, side), real),
                    "every_byte": boundaries.score(np.ones_like(real), real)["f1"],
                }
            )
    return rows


def choices(family, probe):
    """The best height and side on validation data for each text and signal.

    Returns:
        A dict from pairs of one of `TEXTS` and one of `SIGNALS` to pairs of height and side.
    """
    return {
        (text, name): boundaries.choose(values, real)
        for text, (inputs, real) in texts(family.recipe, "validation").items()
        for name, values in signals(family, probe, inputs).items()
    }
