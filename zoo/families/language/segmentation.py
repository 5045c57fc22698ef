"""Where a text falls into pieces: at the peaks of ponder, or of prediction loss or entropy.

Graves (2016), section 3.5, finds that a network ponders longer at spaces and at other marks of
a boundary, and suggests ponder as a detector of boundaries; loss and entropy are the usual ones.
A boundary between two words is where white space is, or was before it was removed: without it,
reading that a byte is a space is no help.
"""

import numpy as np

from .... import datasets
from ....datasets.enwik8 import characters
from .network import bits

# The names that users say, and what a family measures.
SIGNALS = {"ponder": "ponder", "loss": "bits", "entropy": "entropy"}
TEXTS = ("with spaces", "without spaces")
# A network may notice a boundary at the byte before it, or at the first one behind it.
SIDES = ("after", "before")
# Heights of peaks that are tried as the least height of a boundary, on validation data.
TRIED = 200


def peaks(values, least=-np.inf):
    """Where a signal is higher than before, not lower than after, and at least `least`.

    Args:
        values: (windows, time); NaN is no peak.
        least: the least height.

    Returns:
        Boolean (windows, time).

    >>> peaks(np.array([[1.0, 3.0, 2.0, 2.5, 2.5, 0.0]])).astype(int)
    array([[0, 1, 0, 1, 0, 0]])
    """
    padded = np.pad(values, ((0, 0), (1, 1)), constant_values=-np.inf)
    padded = np.where(np.isnan(padded), -np.inf, padded)
    middle = padded[:, 1:-1]
    return (middle > padded[:, :-2]) & (middle >= padded[:, 2:]) & (middle >= least)


def score(proposed, real):
    """Precision, recall and their harmonic mean.

    Args:
        proposed, real: boolean, of the same shape.

    Returns:
        A dict: `precision`, `recall`, `f1`; 0 where there is nothing to divide by.
    """
    right = int((proposed & real).sum())
    precision = right / max(int(proposed.sum()), 1)
    recall = right / max(int(real.sum()), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    return {name: round(value, 4) for name, value in zip(NUMBERS, (precision, recall, f1))}


NUMBERS = ("precision", "recall", "f1")


def proposed(values, height, side):
    """Where boundaries are proposed: after the byte of a peak, or before it.

    Args:
        values: a signal (windows, time).
        height: the least height of a peak.
        side: one of `SIDES`.

    Returns:
        Boolean (windows, time): whether there is a boundary behind each byte.

    >>> proposed(np.array([[1.0, 3.0, 2.0]]), 0, "before").astype(int)
    array([[1, 0, 0]])
    """
    boundaries = peaks(values, height)
    if side == "before":
        boundaries = np.concatenate([boundaries[:, 1:], np.zeros_like(boundaries[:, :1])], axis=1)
    return boundaries


def best_choice(values, real):
    """The least height of peaks, and the side, with the best mean of precision and recall (F1)."""
    heights = np.quantile(values[peaks(values)], np.linspace(0, 0.995, TRIED))
    tried = [(float(height), side) for side in SIDES for height in heights]
    return max(tried, key=lambda choice: score(proposed(values, *choice), real)["f1"])


def without_spaces(windows):
    """Windows of a text without its white space, and where it was.

    Args:
        windows: as of a task's `windows`.

    Returns:
        Inputs (windows, time), with as many bytes in each as there were, from the text joined;
        and booleans: whether white space followed each byte.
    """
    text = windows["inputs"].ravel()
    kept = ~characters.is_space(text)
    # At each place whether the next byte was white space.
    follows = np.append(~kept[1:], False)[kept]
    length = windows["inputs"].shape[1]
    count = kept.sum() // length * length
    return text[kept][:count].reshape(-1, length), follows[:count].reshape(-1, length)


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

    With spaces a boundary is at the white space before a byte that is none.
    """
    windows = datasets.task(recipe.dataset).windows(split, **recipe.parameters)
    spaces = characters.is_space(windows["inputs"]) & ~characters.is_space(windows["targets"])
    return {TEXTS[0]: (windows["inputs"], spaces), TEXTS[1]: without_spaces(windows)}


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
                    **score(proposed(values, height, side), real),
                    "every_byte": score(np.ones_like(real), real)["f1"],
                }
            )
    return rows


def choices(family, probe):
    """The best height and side on validation data for each text and signal.

    Returns:
        A dict from pairs of one of `TEXTS` and one of `SIGNALS` to pairs of height and side.
    """
    return {
        (text, name): best_choice(values, real)
        for text, (inputs, real) in texts(family.recipe, "validation").items()
        for name, values in signals(family, probe, inputs).items()
    }
