"""What a model does along a passage of the text, for the pictures of its card."""

import numpy as np

from .... import datasets
from ....datasets.enwik8 import characters
from .network import bits

# Bytes of a passage in a picture, and how many are read before it.
SHOWN = 160
BEFORE = 200
PASSAGES = {"prose": "sequence.png", "XML tags": "tags.png"}


def passage(kind, probe, recipe):
    """What the model does along a passage of the test part.

    Args:
        kind: `"prose"`, the passage with the most letters, spaces and punctuation; or
            `"XML tags"`, that with the most bytes in tags.
        probe: a `Probe`.
        recipe: the model's `Recipe`.

    Returns:
        A dict as in `Language.predict` without answers, for `SHOWN` bytes, and `start`, the place
        of the first in the test part. `BEFORE` bytes are read before them, from a state of zeros.
    """
    parameters = {**recipe.parameters, "length": BEFORE + SHOWN}
    task = datasets.task(recipe.dataset)
    windows = task.windows("test", **parameters)
    kinds = characters.kinds(windows["inputs"])[:, BEFORE:]
    prose = ("spaces", "punctuation", "word starts", "inside words")
    names = ("XML tags",) if kind == "XML tags" else prose
    wanted = np.isin(kinds, [characters.KINDS.index(name) for name in names])
    best = int(wanted.sum(axis=1).argmax())
    inputs, targets = (windows[name][best : best + 1] for name in ("inputs", "targets"))
    results = probe(inputs)
    results["bits"] = bits(results["outputs"], targets)
    return {
        "start": best * (BEFORE + SHOWN) + BEFORE,
        "inputs": task.describe(inputs[0, BEFORE:]),
        **{
            name: [round(float(value), 3) for value in results[name][0, BEFORE:]]
            for name in ("ponder", "bits", "entropy")
        },
    }
