"""The first 10⁸ bytes of a dump of the English Wikipedia: what is the next byte?

The text is not part of this package. `SOURCE` says where to get it, and `find` looks for it.
"""

import functools
import hashlib
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import check_integers
from ..text import check_length, cut_windows, decode, describe, encode

__all__ = [
    "bounds",
    "decode",
    "describe",
    "encode",
    "find",
    "read",
    "sample",
    "sizes",
    "windows",
]

SIZE = 100_000_000
SPLITS = ("train", "validation", "test")
# The field's 90, 5 and 5 million bytes, in percent.
SHARES = (90, 5, 5)
URL = "http://mattmahoney.net/dc/enwik8.zip"
# The environment variable that names the text, or the folder that it lies in.
VARIABLE = "ENWIK8"
# Where TensorFlow Datasets looks for what users bring themselves.
MANUAL = Path("~", "tensorflow_datasets", "downloads", "manual")
NAMES = ("enwik8", "enwik8.zip")
SOURCE = (
    f"Download {URL} (36,445,475 bytes), and put it, or the file enwik8 of 100,000,000 bytes that "
    f"is in it, into {MANUAL}, or let the environment variable {VARIABLE} name it or its folder."
)
# How a zip file begins.
ZIPPED = b"PK\x03\x04"
# SHA-256 by size and split: of the whole text, and of the parts of its first megabyte.
CHECKSUMS = {
    (SIZE, None): "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8",
    (1_066_628, "train"): "bc1f867ab86f360955307fd6ef5d860f2b1ca259583a74ee93d21e52ed473667",
    (1_066_628, "validation"): "c60c742a3aba3e748118aa75a77f146209559e6d8cf8603b83a1d97f1851f432",
    (1_066_628, "test"): "184bbb7fc2d8df9c17aaaf3219921bab6cd45e646b4a18dcae137863ee479bfa",
}


def sizes(**_: Any) -> dict[str, int]:
    """Number of different inputs, of simultaneous outputs, and classes of each: bytes."""
    return {"symbols": 256, "outputs": 1, "classes": 256}


def find(folder: str | Path | None = None) -> Path:
    """The file with the text.

    Args:
        folder: where it lies, or the file itself; by default what the environment variable
            `ENWIK8` says, or else TensorFlow Datasets' folder for manual downloads.

    Returns:
        A path, of the text or of `enwik8.zip`.

    Raises:
        FileNotFoundError: there is no such file; the message says which file to put where.
    """
    place = Path(os.path.expanduser(folder or os.environ.get(VARIABLE) or MANUAL))
    for path in (place, *(place / name for name in NAMES)):
        if path.is_file():
            return path
    raise FileNotFoundError(f"the text of enwik8 is not in {place}. {SOURCE}")


def read(split: str, size: int = SIZE, folder: str | Path | None = None) -> np.ndarray:
    """The bytes of a split, checked where their checksum is known.

    The splits lie one after the other in the first `size` bytes of the text: 90 % of it for
    training, 5 % for validation, the rest for tests, as the field has it for all of the text.

    Args:
        split: `"train"`, `"validation"` or `"test"`.
        size: the number of bytes of the text that are used, from its beginning.
        folder: as in `find`.

    Returns:
        A read-only array, uint8 (n,).

    Raises:
        FileNotFoundError: as `find`.
        ValueError: the file is shorter, or not that text; an unknown split.
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    check_integers(100, size=size)
    path = find(folder)
    return _read(path, path.stat().st_mtime_ns, split, size)


@functools.lru_cache(maxsize=8)
def _read(path, changed, split, size):
    start, stop = bounds(split, size)
    is_whole = (size, None) in CHECKSUMS
    data = first_bytes(path, size if is_whole else stop)
    if len(data) < stop:
        raise ValueError(f"{path} has {len(data):,} bytes, fewer than {stop:,}. {SOURCE}")
    expected = CHECKSUMS.get((size, None if is_whole else split))
    part = data if is_whole else data[start:stop]
    if expected and hashlib.sha256(part).hexdigest() != expected:
        raise ValueError(f"{path} is not the text of enwik8: its checksum differs. {SOURCE}")
    return np.frombuffer(data[start:stop], np.uint8)


def bounds(split: str, size: int = SIZE) -> tuple[int, int]:
    """Where a split begins and ends in a text.

    >>> [bounds(split) for split in SPLITS]
    [(0, 90000000), (90000000, 95000000), (95000000, 100000000)]
    """
    place = SPLITS.index(split)
    start, stop = (size * sum(SHARES[:end]) // 100 for end in (place, place + 1))
    return start, stop


def first_bytes(path: Path, count: int) -> bytes:
    """At most `count` bytes from the beginning of the text, in a file of its own or zipped.

    Raises:
        ValueError: a zip file that is damaged, or without the text.
    """
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            data = file.read(count)
    else:
        try:
            with zipfile.ZipFile(path) as archive:
                if "enwik8" not in archive.namelist():
                    raise ValueError(f"{path} has no file `enwik8` in it. {SOURCE}")
                with archive.open("enwik8") as file:
                    data = file.read(count)
        except (zlib.error, zipfile.BadZipFile, EOFError, RuntimeError) as error:
            raise ValueError(f"{path} is damaged: {error}. {SOURCE}") from None
    if data.startswith(ZIPPED):
        raise ValueError(f"{path} is a damaged zip file. {SOURCE}")
    return data


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    split: str = "train",
    length: int = 500,
    size: int = SIZE,
) -> dict[str, np.ndarray]:
    """Draws windows of consecutive bytes at random places of a split.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of windows.
        split: `"train"`, `"validation"` or `"test"`.
        length: inputs of a window; there is one byte more in it, the last target.
        size: the number of bytes of the text that are used, from its beginning.

    Returns:
        A dict of `inputs` int32 (batch, length), bytes; `targets` int32 (batch, length), the bytes
        that follow; and `weights` float32 (batch, length), all ones.

    Raises:
        FileNotFoundError: the text is not there; the message says which file to put where.
        ValueError: a parameter is out of its range, or the file is not that text.

    Source: Graves (2016), arXiv:1603.08983, section 3.5.
    """
    text = read(split, size)
    starts = rng.integers(0, len(text) - check_length(length, text), batch_size)
    return cut_windows(text, starts, length)


def windows(split: str = "test", *, length: int = 500, size: int = SIZE) -> dict[str, np.ndarray]:
    """All windows of a split, one after the other; the bytes left over at its end are left out.

    Args:
        split, length, size: as in `sample`.

    Returns:
        A dict as in `sample`.

    Raises:
        FileNotFoundError, ValueError: as `sample`.
    """
    text = read(split, size)
    return cut_windows(text, np.arange(0, len(text) - check_length(length, text), length), length)
