"""WikiText-2: what is the next word of an article of Wikipedia?

The text is not part of this package. `SOURCE` says where to get it, and `find` looks for it. Its
words are numbered as they are counted in the training part. The list of them is part of this
package, so that a trained network can be used without the text.

Source: Merity et al., "Pointer Sentinel Mixture Models" (2016), arXiv:1609.07843.
"""

import collections
import functools
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import check_integers
from ..text import check_length, cut_windows, rows_in_order

__all__ = [
    "by_frequency",
    "consecutive",
    "decode",
    "describe",
    "encode",
    "find",
    "read",
    "sample",
    "sizes",
    "unknown",
    "windows",
    "words",
    "write_words",
]

# The files of the splits.
FILES = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}
SPLITS = tuple(FILES)
VOCABULARY = 33_278
# The different words of the training part, one a line.
WORDS = Path(__file__).with_name("words.txt")
UNKNOWN, END = "<unk>", "<eos>"
# With fewer, the two above are not among them.
FEWEST = 10
# Where groups of words by their frequency end.
RANKS = (100, 1000, 10_000, VOCABULARY)
URL = "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-2-v1.zip"
# The environment variable that names the folder of the three files, or its parent.
VARIABLE = "WIKITEXT2"
# Where TensorFlow Datasets looks for what users bring themselves.
MANUAL = Path("~", "tensorflow_datasets", "downloads", "manual")
FOLDER = "wikitext-2"
SOURCE = (
    f"Get WikiText-2, word level ({URL} or a copy: the files {', '.join(FILES.values())}), put its "
    f"folder {FOLDER} into {MANUAL}, or let the environment variable {VARIABLE} name that folder "
    "or its parent."
)
# Hyphens, and the commas and points of numbers, which WikiText writes as @-@, @,@ and @.@.
JOINTS = re.compile(r"(?<=\w)-(?=\w)|(?<=\d)[,.](?=\d)")
# Those, words, also after an apostrophe, and all other signs, each alone.
PIECES = re.compile(r"<\w+>|@[-,.]@|'\w+|\w+|[^\w\s]")


def sizes(vocabulary: int = VOCABULARY, **_: Any) -> dict[str, int]:
    """Number of different inputs, of simultaneous outputs, and classes of each: words."""
    return {"symbols": vocabulary, "outputs": 1, "classes": vocabulary}


def find(folder: str | Path | None = None) -> Path:
    """The folder with the three files.

    Args:
        folder: that folder or its parent; by default what the environment variable `WIKITEXT2`
            says, or else TensorFlow Datasets' folder for manual downloads.

    Raises:
        FileNotFoundError: a file is not there; the message says what to put where.
    """
    place = Path(os.path.expanduser(folder or os.environ.get(VARIABLE) or MANUAL))
    path = place if (place / FILES["train"]).is_file() else place / FOLDER
    for file in FILES.values():
        if not (path / file).is_file():
            missing = f"{path} has no file {file}" if path.is_dir() else f"there is no {path}"
            raise FileNotFoundError(f"the text of wikitext2 is not there: {missing}. {SOURCE}")
    return path


def words() -> tuple[str, ...]:
    """The words of the training part, the most frequent first.

    >>> words()[:5], len(words())
    (('the', ',', '.', 'of', '<unk>'), 33278)
    """
    return tuple(numbers_of_words())


def numbers_of_words() -> Mapping[str, int]:
    """From each of `words` to its number."""
    return _numbers(WORDS)


@functools.lru_cache(maxsize=2)
def _numbers(path):
    listed = path.read_text(encoding="utf-8").split()
    return {word: number for number, word in enumerate(listed)}


def write_words() -> None:
    """Writes the list of words of this package anew, from the text that `find` finds.

    Of those that are equally frequent, the first in the text comes first.

    Raises:
        FileNotFoundError: as `find`.
        ValueError: the file is not that of WikiText-2.
    """
    counts = collections.Counter(_words_in(find() / FILES["train"]))
    lines = "".join(f"{word}\n" for word, _ in counts.most_common())
    part = WORDS.with_suffix(".part")
    part.write_text(lines, encoding="utf-8")
    part.replace(WORDS)
    _numbers.cache_clear()


def _words_in(path: Path) -> Iterator[str]:
    """The words of a file, with `<eos>` at the end of each line."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != checksums()[path.name]:
        raise ValueError(f"{path} is not that of WikiText-2: its checksum differs. {SOURCE}")
    # What follows the last line end is no line.
    for line in data.decode("utf-8").split("\n")[:-1]:
        yield from line.split()
        yield END


def read(
    split: str, vocabulary: int = VOCABULARY, folder: str | Path | None = None
) -> np.ndarray:
    """The words of a split as their numbers, with `<eos>` at the end of each line.

    Args:
        split: `"train"`, `"validation"` or `"test"`.
        vocabulary: how many of the most frequent words are known; the others are `<unk>`.
        folder: as in `find`.

    Returns:
        A read-only array, int32 (n,).

    Raises:
        FileNotFoundError: as `find`.
        ValueError: a file is not that of WikiText-2; an unknown split.

    >>> read("test").shape # doctest: +SKIP
    (245569,)
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    check_vocabulary(vocabulary)
    path = find(folder) / FILES[split]
    return _read(path, path.stat().st_mtime_ns, vocabulary)


def check_vocabulary(vocabulary: int) -> None:
    """Raises a ValueError unless it is a possible number of words."""
    check_integers(FEWEST, vocabulary=vocabulary)
    if vocabulary > VOCABULARY:
        raise ValueError(
            f"`vocabulary` must be an integer from {FEWEST} to {VOCABULARY:,}, the words of "
            f"WikiText-2. Received: {vocabulary!r}"
        )


@functools.lru_cache(maxsize=6)
def _read(path, changed, vocabulary):
    known = numbers_of_words()
    numbers = np.fromiter((known.get(word, known[UNKNOWN]) for word in _words_in(path)), np.int32)
    numbers[numbers >= vocabulary] = known[UNKNOWN]
    numbers.flags.writeable = False
    return numbers


def checksums() -> dict[str, str]:
    """The SHA-256 of each file, by its name."""
    rows = Path(__file__).with_name("checksums.tsv").read_text(encoding="utf-8").splitlines()
    return {name: digest for _, _, digest, name in (row.split("\t") for row in rows)}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    split: str = "train",
    length: int = 35,
    vocabulary: int = VOCABULARY,
) -> dict[str, np.ndarray]:
    """Draws windows of consecutive words at random places of a split.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of windows.
        split: `"train"`, `"validation"` or `"test"`.
        length: inputs of a window; there is one word more in it, the last target.
        vocabulary: how many of the most frequent words are known; the others are `<unk>`.

    Returns:
        A dict of `inputs` int32 (batch, length), numbers of words; `targets` int32 (batch, length),
        the words that follow; and `weights` float32 (batch, length), all ones.

    Raises:
        FileNotFoundError: the text is not there; the message says what to get.
        ValueError: a parameter is out of its range, or a file is not that of WikiText-2.
    """
    text = read(split, vocabulary)
    starts = rng.integers(0, len(text) - check_length(length, text, "words"), batch_size)
    return cut_windows(text, starts, length)


def consecutive(
    index: int,
    batch_size: int,
    *,
    split: str = "train",
    length: int = 35,
    vocabulary: int = VOCABULARY,
) -> dict[str, np.ndarray]:
    """Batch number `index` of the text in its order, for networks that carry their state on.

    The text is cut into `batch_size` rows, and each row of a batch goes on where that of the batch
    before ended. After the last batch of the rows the first one follows.

    Args:
        index: number of the batch, from 0.
        batch_size, split, length, vocabulary: as in `sample`.

    Returns:
        A dict as in `sample`.

    Raises:
        FileNotFoundError, ValueError: as `sample`; also if a row is shorter than a window.
    """
    text = read(split, vocabulary)
    check_length(length, text, "words")
    return cut_windows(text, rows_in_order(len(text), index, batch_size, length), length)


def windows(
    split: str = "test", *, length: int = 35, vocabulary: int = VOCABULARY
) -> dict[str, np.ndarray]:
    """All windows of a split, one after the other; the words left over at its end are left out.

    Args:
        split, length, vocabulary: as in `sample`.

    Returns:
        A dict as in `sample`.

    Raises:
        FileNotFoundError, ValueError: as `sample`.
    """
    text = read(split, vocabulary)
    starts = np.arange(0, len(text) - check_length(length, text, "words"), length)
    return cut_windows(text, starts, length)


def encode(text: str, *, vocabulary: int = VOCABULARY, **_: Any) -> np.ndarray:
    """A text as inputs, int32 (1, words): its words, after the end of a line.

    What white space separates is a word if WikiText-2 has it. If not, punctuation is split off, and
    words that are not known are `<unk>`.

    >>> describe(encode("The cat's whiskerest, really.")[0])
    ['<eos>', 'The', 'cat', "'s", '<unk>', ',', 'really', '.']

    Raises:
        ValueError: `text` has no word; `vocabulary` is out of its range.
    """
    check_vocabulary(vocabulary)
    known = numbers_of_words()
    other = known[UNKNOWN]
    numbers = [known.get(word, other) for word in split_words(text)]
    numbers = [number if number < vocabulary else other for number in numbers]
    return np.array([[known[END], *numbers]], np.int32)


def split_words(text: str) -> list[str]:
    """The words of a text, known or not.

    Raises:
        ValueError: it has none.
    """
    if not text.split():
        raise ValueError(f"a text of at least one word is needed. Received: {text!r}")
    known = numbers_of_words()
    pieces: list[str] = []
    for word in text.split():
        joined = JOINTS.sub(r" @\g<0>@ ", word)
        pieces += [word] if word in known else PIECES.findall(joined)
    return pieces


def unknown(text: str, *, vocabulary: int = VOCABULARY, **_: Any) -> list[str]:
    """The words of a text that are not known, each once.

    >>> unknown("The cat's whiskerest, really.")
    ['whiskerest']
    """
    known = numbers_of_words()
    pieces = dict.fromkeys(split_words(text))
    return [piece for piece in pieces if known.get(piece, vocabulary) >= vocabulary]


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of numbers of words (time,), a list."""
    known = words()
    return [known[number] for number in np.asarray(inputs)]


def decode(outputs: np.ndarray) -> list[str]:
    """The most probable next word at each step, from probabilities (time, words)."""
    return describe(np.asarray(outputs).argmax(-1))


def by_frequency(inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Where words of a text are frequent or rare, apart from ends of lines and unknown words.

    Args:
        inputs: numbers of words, of any shape.

    Returns:
        A dict from names of groups to booleans of that shape; each word is in one group.

    >>> groups = by_frequency(encode("the cat zzyzx"))
    >>> [name for name, there in groups.items() if there.any()]
    ['ends of lines', 'unknown words', 'the 100 most frequent', '1,001 to 10,000']
    """
    inputs, known = np.asarray(inputs), numbers_of_words()
    end, other = inputs == known[END], inputs == known[UNKNOWN]
    groups, start = {"ends of lines": end, "unknown words": other}, 0
    for stop in RANKS:
        name = f"{start + 1:,} to {stop:,}" if start else f"the {stop} most frequent"
        groups[name] = (inputs >= start) & (inputs < stop) & ~end & ~other
        start = stop
    return groups
