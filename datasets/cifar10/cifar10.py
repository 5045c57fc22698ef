"""CIFAR-10: what is on a photograph of 32×32 pixels?

The images are not part of this package. `SOURCE` says where to get them, and `find` looks for them.

Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images" (2009).
"""

import functools
import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..images import read_picture

__all__ = ["CLASSES", "encode", "find", "read", "sample", "sizes", "windows"]

SPLITS = ("train", "validation", "test")
SIDE, CHANNELS = 32, 3
CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)
# The last of the 50,000 training images are for validation.
VALIDATION = 5_000
# Pixels that a training image is padded by at each side before it is cropped.
MARGIN = 4
URL = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
# The environment variable that names the folder of the batches, or its parent.
VARIABLE = "CIFAR10"
# Where TensorFlow Datasets looks for what users bring themselves.
MANUAL = Path("~", "tensorflow_datasets", "downloads", "manual")
FOLDER = "cifar-10-batches-bin"
# SHA-256 of the binary batches.
CHECKSUMS = {
    "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
    "data_batch_2.bin": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
    "data_batch_3.bin": "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
    "data_batch_4.bin": "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
    "data_batch_5.bin": "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
    "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
}
SOURCE = (
    f"Download {URL}, unpack it into {MANUAL}, or let the environment variable {VARIABLE} name the "
    f"folder {FOLDER} or its parent. What `tfds.builder('cifar10').download_and_prepare()` has "
    "prepared is read as well."
)


def sizes(**_: Any) -> dict[str, int]:
    """Side and channels of an image, number of outputs, and classes."""
    return {"side": SIDE, "channels": CHANNELS, "outputs": 1, "classes": len(CLASSES)}


def find(folder: str | Path | None = None) -> Path:
    """The folder with the six binary batches.

    Args:
        folder: that folder or its parent; by default what the environment variable `CIFAR10` says,
            or else TensorFlow Datasets' folder for manual downloads.

    Raises:
        FileNotFoundError: a batch is not there; the message says what to put where.
    """
    place = Path(os.path.expanduser(folder or os.environ.get(VARIABLE) or MANUAL))
    for path in (place, place / FOLDER):
        missing = [name for name in CHECKSUMS if not (path / name).is_file()]
        if not missing:
            return path
        if len(missing) < len(CHECKSUMS):
            raise FileNotFoundError(f"{path} has no file {missing[0]}. {SOURCE}")
    raise FileNotFoundError(f"the images of CIFAR-10 are not in {place}. {SOURCE}")


def read(split: str, folder: str | Path | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The images of a split and their classes, in the order of the official files.

    Args:
        split: `"train"` (45,000), `"validation"` (the last 5,000 of the training batches) or
            `"test"` (10,000).
        folder: as in `find`.

    Returns:
        Read-only arrays: uint8 (n, 32, 32, 3) and int32 (n,).

    Raises:
        FileNotFoundError: as `find`, and TensorFlow Datasets has not prepared its `cifar10`.
        ValueError: a batch is damaged: its checksum differs; an unknown split.
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}. Received: {split!r}")
    part = "test" if split == "test" else "train"
    try:
        images, labels = _read(find(folder), part)
    except FileNotFoundError:
        if folder or os.environ.get(VARIABLE) or not _is_prepared():
            raise
        images, labels = _read_prepared(part)
    last = len(images) - VALIDATION
    chosen = {"train": slice(last), "validation": slice(last, None), "test": slice(None)}[split]
    return images[chosen], labels[chosen]


@functools.lru_cache(maxsize=4)
def _read(folder, part):
    """Images and classes of the training batches or the test batch."""
    names = [name for name in CHECKSUMS if name.startswith("test") == (part == "test")]
    rows = []
    for name in names:
        raw = (folder / name).read_bytes()
        if hashlib.sha256(raw).hexdigest() != CHECKSUMS[name]:
            raise ValueError(
                f"{folder / name} is damaged, or no batch of CIFAR-10: its checksum differs. "
                f"{SOURCE}"
            )
        rows.append(np.frombuffer(raw, np.uint8).reshape(-1, 1 + CHANNELS * SIDE * SIDE))
    records = np.concatenate(rows)
    images = records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE).transpose(0, 2, 3, 1)
    return _read_only(images), _read_only(records[:, 0].astype(np.int32))


def _is_prepared():
    # Without importing TensorFlow Datasets, which takes seconds.
    place = os.environ.get("TFDS_DATA_DIR") or Path("~", "tensorflow_datasets")
    return any(Path(os.path.expanduser(place), "cifar10").glob("*/dataset_info.json"))


@functools.lru_cache(maxsize=2)
def _read_prepared(part):
    """The same as `_read`, from what TensorFlow Datasets has prepared, which is shuffled."""
    import tensorflow_datasets as tfds

    data = tfds.as_numpy(tfds.builder("cifar10").as_dataset(split=part, batch_size=-1))
    # Ids are `train_00000`, `train_00001`, …: the place in the official files.
    order = np.argsort(data["id"])
    return _read_only(data["image"][order]), _read_only(data["label"][order].astype(np.int32))


def _read_only(values):
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values


def sample(
    rng: np.random.Generator, batch_size: int, *, split: str = "train"
) -> dict[str, np.ndarray]:
    """Draws images; those of a batch of at most a whole split differ from each other.

    Training images are augmented: padded by 4 pixels to each side, cropped at random, and flipped
    from left to right with probability 1/2. Each image is standardized: its mean is 0 and its
    standard deviation 1.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of images.
        split: `"train"`, `"validation"` or `"test"`.

    Returns:
        A dict of `inputs` float32 (batch, 32, 32, 3), `targets` int32 (batch, 1), indices into
        `CLASSES`, and `weights` float32 (batch, 1), all ones.

    Raises:
        FileNotFoundError, ValueError: as `read`.

    Source: He et al. (2016), arXiv:1603.05027, for the augmentation.
    """
    images, labels = read(split)
    rounds = max(1, -(-batch_size // len(images)))
    chosen = np.concatenate([rng.permutation(len(images)) for _ in range(rounds)])[:batch_size]
    pixels = images[chosen]
    if split == "train":
        pixels = augmented(rng, pixels)
    return _examples(pixels, labels[chosen])


def windows(split: str = "test", **_: Any) -> dict[str, np.ndarray]:
    """All images of a split, each once and none augmented, in the order of the official files.

    Args:
        split: as in `sample`.

    Returns:
        A dict as in `sample`.

    Raises:
        FileNotFoundError, ValueError: as `read`.
    """
    return _examples(*read(split))


def _examples(images, labels):
    return {
        "inputs": standardized(images),
        "targets": labels[:, None],
        "weights": np.ones((len(labels), 1), np.float32),
    }


def augmented(rng: np.random.Generator, images: np.ndarray) -> np.ndarray:
    """Images (n, height, width, channels), padded, cropped at random, and half of them flipped."""
    count, height, width = images.shape[:3]
    margins = [(0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)]
    rows, columns = rng.integers(0, 2 * MARGIN + 1, (2, count, 1))
    rows = rows + np.arange(height)
    columns = columns + np.arange(width)
    columns = np.where(rng.random((count, 1)) < 0.5, columns[:, ::-1], columns)
    index = np.arange(count)[:, None, None]
    return np.pad(images, margins)[index, rows[:, :, None], columns[:, None]]


def standardized(images: np.ndarray) -> np.ndarray:
    """Images as float32, each with mean 0 and standard deviation 1.

    As TensorFlow's `per_image_standardization`, a deviation below that of one bright value in an
    image of zeros is taken as that, so that an image of one color is all zeros.

    >>> standardized(np.full((1, 2, 2, 3), 7, np.uint8)).any()
    np.False_
    """
    values = images.astype(np.float32)
    axes = tuple(range(1, values.ndim))
    least = np.float32(1 / np.sqrt(np.prod(values.shape[1:])))
    deviation = np.maximum(values.std(axis=axes, keepdims=True), least)
    return (values - values.mean(axis=axes, keepdims=True)) / deviation


def encode(text: str, **_: Any) -> np.ndarray:
    """A picture as the network reads it, float32 (1, 32, 32, 3).

    The largest square in its middle is resized to 32×32.

    Args:
        text: the path of a picture.

    Raises:
        FileNotFoundError, ValueError: as `images.read_picture`.
    """
    return standardized(255 * read_picture(text, CHANNELS, square=SIDE)[None])
