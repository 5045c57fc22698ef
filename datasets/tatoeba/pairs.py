"""Pairs of sentences: how they are read, and split so that no sentence is in two parts."""

import functools
import hashlib
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# Sources of the parts that are held out; of a smaller file a tenth each.
HELD_OUT = {"test": 2000, "validation": 1000}
FEWEST = 30

Pairs = tuple[tuple[str, str], ...]


def read_pairs(path: Path) -> Pairs:
    """The pairs of a file: in each line a sentence, a tab, and its translation.

    What follows a second tab, as who wrote them, is not read. A pair counts once.

    Raises:
        ValueError: the file has another format; the message has the first line that is wrong.
    """
    try:
        # Sentences may contain other ends of lines that `splitlines` knows.
        text = path.read_text(encoding="utf-8-sig").rstrip("\n")
        lines = text.split("\n") if text else []
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8: {error}") from None
    pairs: dict[tuple[str, str], None] = {}
    for number, line in enumerate(lines, 1):
        parts = [normalized(part) for part in line.split("\t")]
        if len(parts) not in (2, 3) or not all(parts[:2]):
            raise ValueError(
                f"{path} is no file of sentence pairs: each line must have an English sentence, a "
                f"tab and a German one. Received: line {number}, {line[:60]!r}"
            )
        pairs[parts[0], parts[1]] = None
    sources = len({source for source, _ in pairs})
    if sources < FEWEST:
        raise ValueError(
            f"{path} must have at least {FEWEST} sentences. Received: {sources} different ones in "
            "English"
        )
    return tuple(pairs)


def normalized(text: str) -> str:
    """A text in the normal form NFC, with one blank for white space.

    >>> normalized(" two \t words ")
    'two words'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@functools.lru_cache(maxsize=2)
def parts(path: Path, changed: int) -> dict[str, Pairs]:
    """The pairs of a file in three parts, none of which has a sentence of another.

    Sentences that are translations of each other, directly or through others, stay together. A
    hash of these groups decides, and not their order in the file.

    Args:
        path: of the file.
        changed: when it was; another time is another file.

    Returns:
        A dict of `test`, `validation` and `train`; the former have `HELD_OUT` different sources.
    """
    pairs = read_pairs(path)
    groups = groups_of(pairs)
    sources: dict[int, set[str]] = {}
    for (source, _), group in zip(pairs, groups, strict=True):
        sources.setdefault(group, set()).add(source)
    order = sorted(sources, key=lambda group: _digest(min(sources[group])))
    total = sum(map(len, sources.values()))
    part_of = dict.fromkeys(sources, "train")
    for part, most in HELD_OUT.items():
        left = min(most, total // 10)
        for group in order:
            if part_of[group] == "train" and len(sources[group]) <= left:
                part_of[group] = part
                left -= len(sources[group])
    found: dict[str, list] = {part: [] for part in ("train", *HELD_OUT)}
    for pair, group in zip(pairs, groups, strict=True):
        found[part_of[group]].append(pair)
    for part, of_part in found.items():
        if not of_part:
            raise ValueError(
                f"{path} has no sentences for the part `{part}`: those that translate each other, "
                f"directly or through others, stay together, and make {len(sources)} groups"
            )
    return {part: tuple(of_part) for part, of_part in found.items()}


def groups_of(pairs: Sequence[tuple[str, str]]) -> list[int]:
    """The number of the group of each pair; pairs that share a sentence are in one group.

    >>> groups_of([("Hi.", "Hallo."), ("Run!", "Lauf!"), ("Hello.", "Hallo."), ("Hi.", "Hi.")])
    [0, 1, 0, 0]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = (
        np.unique(sentences, return_inverse=True)[1] for sentences in zip(*pairs, strict=True)
    )
    size = rows.max() + 1 + columns.max() + 1
    links = coo_array((np.ones(len(pairs)), (rows, rows.max() + 1 + columns)), shape=(size, size))
    _, labels = connected_components(links, directed=False)
    return labels[rows].tolist()


def _digest(text):
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
