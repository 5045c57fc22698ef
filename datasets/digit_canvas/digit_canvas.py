"""A handwritten digit of 8×8 pixels somewhere on a noisy canvas: which digit is it?

The place of the digit is known, so it can be measured whether a network looks there.

>>> batch = sample(np.random.default_rng(0), 3, side=20)
>>> batch["inputs"].shape, batch["box"].shape
((3, 20, 20, 1), (3, 2))

Source of the digits: the 1,797 test images of the UCI "Optical Recognition of Handwritten Digits"
data (Alpaydin & Kaynak 1998), as scikit-learn installs them.
"""

import functools
import gzip
import hashlib
import importlib.util
import io
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import check_between, check_counts, check_integers
from ..images import read_picture

__all__ = ["CLASSES", "DIGIT", "digits", "encode", "inside", "sample", "sizes"]

SPLITS = ("train", "validation", "test")
CLASSES = tuple("0123456789")
# Pixels of each side of a digit.
DIGIT = 8
# Of the 1,797 digits.
SHARES = (1257, 180, 360)
# The digits' order in which the splits follow each other is drawn with this seed.
ORDER = 17
# What its examples do not have, for model cards.
UNSEEN = (
    "A canvas may be of any size, but a digit must have about 8×8 pixels, as in training: of "
    "larger ones the network saw none, and it is often wrong about them with high confidence. "
    "Shrink the picture."
)
SHA256 = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"
FILE = ("datasets", "data", "digits.csv.gz")


def sizes(side: int = 32, **_: Any) -> dict[str, int]:
    """Side and channels of an image, number of outputs, and classes."""
    return {"side": side, "channels": 1, "outputs": 1, "classes": 10}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    split: str = "train",
    side: int = 32,
    noise: float = 0.2,
) -> dict[str, np.ndarray]:
    """Draws digits at random places of noisy canvases.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of canvases.
        split: `"train"`, `"validation"` or `"test"`; no digit is in two of them.
        side: height and width of a canvas in pixels, at least 8.
        noise: standard deviation of the noise in each pixel; a digit's pixels go from 0 to 1.

    Returns:
        A dict of `inputs` float32 (batch, side, side, 1), `targets` int32 (batch, 1), the digit,
        `weights` float32 (batch, 1), all ones, and `box` int32 (batch, 2), row and column of the
        top left pixel of the digit's 8×8.

    Raises:
        FileNotFoundError: scikit-learn, which brings the digits, is not installed.
        ValueError: a parameter is out of its range.
    """
    check_integers(1, side=side)
    check_counts(digit=DIGIT, side=side)
    check_between(0, 10, noise=noise)
    images, labels = digits(split)
    chosen = rng.integers(0, len(images), batch_size)
    box = rng.integers(0, side - DIGIT + 1, (batch_size, 2))
    inputs = rng.standard_normal((batch_size, side, side), np.float32) * np.float32(noise)
    pixels = np.arange(DIGIT)
    rows, columns = box[:, :1] + pixels, box[:, 1:] + pixels
    inputs[np.arange(batch_size)[:, None, None], rows[:, :, None], columns[:, None]] += images[
        chosen
    ]
    return {
        "inputs": inputs[..., None],
        "targets": labels[chosen, None],
        "weights": np.ones((batch_size, 1), np.float32),
        "box": box.astype(np.int32),
    }


def encode(text: str, **_: Any) -> np.ndarray:
    """A picture as a canvas, float32 (1, height, width, 1), as bright as the digits.

    A picture that is mostly bright, such as ink on paper, is inverted: a digit is bright.

    Args:
        text: the path of a picture of any size from 8×8 on; one with more than 1,024 pixels on a
            side is shrunk, with a warning.

    Raises:
        FileNotFoundError, ValueError: as `images.read_picture`.
    """
    canvas = read_picture(text, 1, least=DIGIT)
    return (1 - canvas if np.median(canvas) > 0.5 else canvas)[None]


def digits(split: str) -> tuple[np.ndarray, np.ndarray]:
    """The digits of a split: float32 (n, 8, 8) from 0 to 1, and int32 (n,).

    Raises:
        FileNotFoundError, ValueError: as `sample`.

    >>> [len(digits(split)[0]) for split in SPLITS]
    [1257, 180, 360]
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    place = SPLITS.index(split)
    chosen = np.random.default_rng(ORDER).permutation(sum(SHARES))
    chosen = chosen[sum(SHARES[:place]) : sum(SHARES[: place + 1])]
    images, labels = _read()
    return images[chosen], labels[chosen]


@functools.cache
def _read():
    """All digits, from the file that scikit-learn has, without importing it."""
    spec = importlib.util.find_spec("sklearn")
    path = Path(spec.origin).parent.joinpath(*FILE) if spec and spec.origin else None
    if path is None or not path.is_file():
        raise FileNotFoundError(
            "the digits are a file of scikit-learn, which is not installed: "
            "pip install scikit-learn"
        )
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise ValueError(f"{path} is not the file of digits: its SHA-256 is not {SHA256}")
    table = np.loadtxt(io.BytesIO(gzip.decompress(raw)), delimiter=",", dtype=np.float32)
    return table[:, :-1].reshape(-1, DIGIT, DIGIT) / 16, table[:, -1].astype(np.int32)


def inside(box: np.ndarray, side: int, shrunk: int = 1) -> np.ndarray:
    """Which positions of a feature map belong to the digit.

    Args:
        box: int (batch, 2), as in `sample`.
        side: of the canvas.
        shrunk: the side of a position of the map, in pixels.

    Returns:
        A boolean array (batch, side / shrunk, side / shrunk).

    >>> inside(np.array([[0, 2]]), 12)[0].sum(axis=0).tolist()
    [0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0]
    """
    at = np.arange(0, side, shrunk)
    fits = [(first[:, None] <= at) & (at < first[:, None] + DIGIT) for first in np.asarray(box).T]
    return fits[0][:, :, None] & fits[1][:, None]
