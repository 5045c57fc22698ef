"""Segmentation of a text by a language model of the zoo."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from .. import boundaries, datasets
from ..datasets.enwik8 import characters
from . import families
from .entries import store
from .families.language.segmentation import SIGNALS, TEXTS, signals
from .settings import check_option

# The model reads a text at once; one of this length takes 2 GB.
LONGEST = 200_000


def segment(
    name: str,
    text: str,
    by: str = "ponder",
    height: float | None = None,
    folder: str | Path | None = None,
) -> dict[str, Any]:
    """Propose boundaries in a text, where a model's ponder peaks.

    Args:
        name: of an entry that reads text byte by byte.
        text: the text.
        by: `"ponder"`, `"loss"` or `"entropy"`.
        height: the smallest height of a peak; by default the best one on validation data, for texts
            with or without white space.
        folder: where entries lie; those of the package by default.

    Returns:
        A dict: `model`, `by`, `height`, `side`, `pieces` (of the text, in order), and `boundaries`,
        the number of characters before each.

    Raises:
        ValueError: an unknown name or signal, a model that does not read bytes of text, or a text
            of more than 200,000 characters.
    """
    check_option("height", height)
    store.check_text(text)
    if len(text) > LONGEST:
        raise ValueError(f"text must have at most {LONGEST:,} characters. Received: {len(text):,}")
    recipe = store.recipe(name, folder)
    rows = store.segmentation(name, folder)
    if by not in SIGNALS:
        raise ValueError(f"by must be one of {', '.join(SIGNALS)}. Received: {by!r}")
    inputs = datasets.task(recipe.dataset).encode(text)
    like = TEXTS[0] if characters.is_space(inputs).any() else TEXTS[1]
    (row,) = (row for row in rows if (row["text"], row["signal"]) == (like, by))
    height = row["height"] if height is None else height
    family = families.of(recipe)
    probe = family.probe(store.load(name, folder=folder))
    peaks = boundaries.propose(signals(family, probe, inputs)[by], height, row["side"])[0]
    # A boundary lies after a character's last byte; the end of the text is not a boundary, and what
    # ends a line on Windows has none inside.
    ends = np.cumsum([len(character.encode()) for character in text]) - 1
    places = [place + 1 for place, end in enumerate(ends[:-1]) if peaks[end]]
    places = [place for place in places if text[place - 1 : place + 1] != "\r\n"]
    cuts = [0, *places, len(text)]
    return {
        "model": name,
        "by": by,
        "height": height,
        "side": row["side"],
        "pieces": [text[start:stop] for start, stop in itertools.pairwise(cuts)],
        "boundaries": places,
    }
