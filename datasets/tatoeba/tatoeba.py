"""Tatoeba: what is this English sentence in German?

The sentences are not part of this package. `SOURCE` says where to get them, and `find` looks for
them. The subwords of both languages are learned from the training part; the 4,000 of each that
networks are trained with by default are part of this package, so that these can be used without
the sentences.

Source: the sentences of https://tatoeba.org, paired by https://www.manythings.org/anki/.
"""

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import check_integers
from ..text.subwords import END, PADDING, Subwords
from .pairs import Pairs, normalized, parts

__all__ = [
    "PADDING",
    "consecutive",
    "decode",
    "describe",
    "encode",
    "find",
    "pieces",
    "read",
    "references",
    "sample",
    "sizes",
    "unknown",
    "windows",
]

SPLITS = ("train", "validation", "test")
VOCABULARY, LENGTH = 4000, 30
FILE, FOLDER = "deu.txt", "deu-eng"
URL = "https://www.manythings.org/anki/deu-eng.zip"
# The environment variable that names the file or a folder above it.
VARIABLE = "TATOEBA"
# The default subwords of each language.
SUBWORDS = [Path(__file__).with_name(f"{language}.model") for language in ("english", "german")]
# Where TensorFlow Datasets looks for what users bring themselves.
MANUAL = Path("~", "tensorflow_datasets", "downloads", "manual")
SOURCE = (
    f"Get the English and German sentences of Tatoeba ({URL} or a copy), put the file {FILE} into "
    f"{MANUAL}, or let the environment variable {VARIABLE} name that file or its folder."
)
# Training batches have one of these lengths, so that there is little padding, and few shapes.
LENGTHS = (8, 10, 12, 16, 22)


def sizes(vocabulary: int = VOCABULARY, **_: Any) -> dict[str, int]:
    """Number of different inputs, of simultaneous outputs, and classes of each: subwords."""
    return {"symbols": vocabulary, "outputs": 1, "classes": vocabulary}


def find(place: str | Path | None = None) -> Path:
    """The file with the sentences.

    Args:
        place: that file, its folder, or the folder above; by default what the environment variable
            `TATOEBA` says, or else TensorFlow Datasets' folder for manual downloads.

    Raises:
        FileNotFoundError: there is no file; the message says what to put where.
    """
    path = Path(os.path.expanduser(place or os.environ.get(VARIABLE) or MANUAL))
    for file in (path, path / FILE, path / FOLDER / FILE):
        if file.is_file():
            return file
    missing = f"{path} has no file {FILE}" if path.is_dir() else f"there is no {path}"
    raise FileNotFoundError(f"the sentences of tatoeba are not there: {missing}. {SOURCE}")


def read(split: str, place: str | Path | None = None) -> Pairs:
    """The pairs of a split, each an English sentence and a German one.

    Args:
        split: `"train"`, `"validation"` or `"test"`.
        place: as in `find`.

    Raises:
        FileNotFoundError: as `find`.
        ValueError: the file has another format; an unknown split.

    >>> read("test")[0] # doctest: +SKIP
    ('Hop in.', 'Mach mit!')
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    path = find(place)
    return parts(path, path.stat().st_mtime_ns)[split]


def references(split: str = "test", place: str | Path | None = None) -> dict[str, list[str]]:
    """All translations of each sentence of a split, in the order of `windows`.

    Args:
        split, place: as in `read`.
    """
    found: dict[str, list[str]] = {}
    for source, target in read(split, place):
        found.setdefault(source, []).append(target)
    return found


def subwords(language: int, vocabulary: int) -> Subwords:
    """The subwords of English, language 0, or German, 1.

    Raises:
        FileNotFoundError: the sentences are not there, and `vocabulary` is not the default.
        ImportError: SentencePiece is not installed.
        ValueError: `vocabulary` is too small.
    """
    check_integers(10, vocabulary=vocabulary)
    if vocabulary == VOCABULARY:
        return _packaged(language)
    path = find()
    return _subwords(path, path.stat().st_mtime_ns, language, vocabulary)


@functools.cache
def _packaged(language):
    return Subwords(SUBWORDS[language].read_bytes())


@functools.lru_cache(maxsize=4)
def _subwords(path, changed, language, vocabulary):
    return learned(language, vocabulary, parts(path, changed)["train"])


def learned(language: int, vocabulary: int, pairs: Pairs) -> Subwords:
    """The subwords of one language of some pairs."""
    return Subwords.learn(dict.fromkeys(pair[language] for pair in pairs), vocabulary)


def write_subwords() -> None:
    """Writes the subwords of this package anew, learned from the sentences that `find` finds."""
    for language, path in enumerate(SUBWORDS):
        learned(language, VOCABULARY, read("train")).save(path)


@functools.lru_cache(maxsize=4)
def _encoded(path, changed, split, vocabulary):
    """The subwords of all pairs of a split, those of targets with the end, and their lengths."""
    english, german = (subwords(language, vocabulary) for language in (0, 1))
    sources, targets = map(list, zip(*parts(path, changed)[split], strict=True))
    encoded = english.encode_all(sources), [[*x, END] for x in german.encode_all(targets)]
    lengths = np.array([max(map(len, pair)) for pair in zip(*encoded, strict=True)])
    return *encoded, lengths


def _pairs(split, vocabulary):
    read(split)
    check_integers(10, vocabulary=vocabulary)
    path = find()
    return _encoded(path, path.stat().st_mtime_ns, split, vocabulary)


def _batch(pairs, chosen, length=None):
    """The examples of some pairs, padded to a length, or to the longest of each language."""
    sources, targets = ([side[i] for i in chosen] for side in pairs[:2])
    inputs, targets = _padded(sources, length), _padded(targets, length)
    return {
        "inputs": inputs,
        "targets": targets,
        "weights": (targets != PADDING).astype(np.float32),
    }


def _padded(rows: Sequence[Sequence[int]], length: int | None) -> np.ndarray:
    result = np.full((len(rows), length or max(map(len, rows))), PADDING, np.int32)
    for place, row in enumerate(rows):
        result[place, : len(row)] = row
    return result


def _short_enough(lengths, length):
    check_integers(1, length=length)
    places = np.flatnonzero(lengths <= length)
    if not len(places):
        raise ValueError(f"`length` must be at least {lengths.min()}. Received: {length}")
    return places


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    split: str = "train",
    length: int = LENGTH,
    vocabulary: int = VOCABULARY,
) -> dict[str, np.ndarray]:
    """Draws random pairs of a split.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of pairs.
        split: `"train"`, `"validation"` or `"test"`.
        length: the most subwords of a sentence; the end of the German one is one.
        vocabulary: subwords of each language, at most.

    Returns:
        A dict of `inputs` int32 (batch, length), English subwords; `targets` int32 (batch, length),
        German ones, with 1 at the end; both 0 after it; and `weights` float32, 0 there.

    Raises:
        FileNotFoundError: the sentences are not there; the message says what to get.
        ImportError: SentencePiece is not installed.
        ValueError: a parameter is out of its range, or the file has another format.
    """
    pairs = _pairs(split, vocabulary)
    return _batch(pairs, rng.choice(_short_enough(pairs[2], length), batch_size), length)


def consecutive(
    index: int,
    batch_size: int,
    *,
    split: str = "train",
    length: int = LENGTH,
    vocabulary: int = VOCABULARY,
) -> dict[str, np.ndarray]:
    """Batch number `index` of epochs in random order, in which each pair comes once.

    The pairs of a batch are about equally long. Of each length some may be left over, others in
    each epoch.

    Args:
        index: number of the batch, from 0.
        batch_size, split, length, vocabulary: as in `sample`.

    Returns:
        A dict as in `sample`; the arrays are no longer than needed.

    Raises:
        FileNotFoundError, ImportError, ValueError: as `sample`; also if there are fewer pairs than
            in a batch.
    """
    check_integers(0, index=index)
    check_integers(1, batch_size=batch_size)
    pairs = _pairs(split, vocabulary)
    places = _short_enough(pairs[2], length)
    ends = [end for end in LENGTHS if end < length] + [length]
    of_place = np.digitize(pairs[2][places], ends, right=True)
    groups = [places[of_place == number] for number in range(len(ends))]
    counts = [len(group) // batch_size for group in groups]
    if not any(counts):
        raise ValueError(
            f"`batch_size` must be at most {max(map(len, groups))}, the most pairs of a length. "
            f"Received: {batch_size}"
        )
    epoch, number = divmod(index, sum(counts))
    rng = np.random.default_rng([epoch, batch_size])
    group = rng.permutation(np.repeat(np.arange(len(ends)), counts))
    order = [rng.permutation(members) for members in groups]
    here = group[number]
    start = int((group[:number] == here).sum()) * batch_size
    return _batch(pairs, order[here][start : start + batch_size], ends[here])


def windows(
    split: str = "test", *, length: int = LENGTH, vocabulary: int = VOCABULARY
) -> dict[str, np.ndarray]:
    """All English sentences of a split, each once, however long, with their first translation.

    Args:
        split, length, vocabulary: as in `sample`; `length` has no effect.

    Returns:
        A dict as in `sample`, and `references`, lists of all translations of each.

    Raises:
        FileNotFoundError, ImportError, ValueError: as `sample`.
    """
    pairs, known = _pairs(split, vocabulary), references(split)
    first: dict[str, int] = {}
    for place, (source, _) in enumerate(read(split)):
        first.setdefault(source, place)
    every = np.empty(len(known), object)
    every[:] = [known[source] for source in first]
    return {**_batch(pairs, [*first.values()]), "references": every}


def encode(text: str, *, vocabulary: int = VOCABULARY, **_: Any) -> np.ndarray:
    """An English sentence as inputs, int32 (1, subwords).

    >>> describe(encode("How old are you?")[0])  # doctest: +SKIP
    ['▁How', '▁old', '▁are', '▁you', '?']

    Raises:
        FileNotFoundError: the sentences are not there, and `vocabulary` is not the default.
        ImportError: SentencePiece is not installed.
        ValueError: `text` is empty.
    """
    text = normalized(text)
    if not text:
        raise ValueError(f"a sentence of at least one word is needed. Received: {text!r}")
    return np.array([subwords(0, vocabulary).encode(text)], np.int32)


def digest(*, vocabulary: int = VOCABULARY, **_: Any) -> list[str]:
    """SHA-256 of the subwords of each language, by which a training knows them again.

    Other sentences, or a SentencePiece that learns otherwise, give other subwords, whose numbers
    mean nothing to a network that was trained before.
    """
    return [subwords(language, vocabulary).digest for language in (0, 1)]


def unknown(text: str, *, vocabulary: int = VOCABULARY, **_: Any) -> list[str]:
    """The characters of an English text that the training part does not have, each once."""
    return subwords(0, vocabulary).unknown(normalized(text))


def describe(inputs: np.ndarray, *, vocabulary: int = VOCABULARY, **_: Any) -> list[str]:
    """The text form of English subwords (time,), a list."""
    return subwords(0, vocabulary).pieces(inputs)


def pieces(outputs: np.ndarray, *, vocabulary: int = VOCABULARY, **_: Any) -> list[str]:
    """The text form of German subwords (time,), a list, up to the end."""
    return subwords(1, vocabulary).pieces(outputs)


def decode(outputs: np.ndarray, *, vocabulary: int = VOCABULARY, **_: Any) -> str:
    """The sentence of German subwords (time,), up to the end."""
    return subwords(1, vocabulary).decode(outputs)
