"""Reads a picture from a file, for a network of images."""

from pathlib import Path

import numpy as np

# Pixels to each side; larger pictures are shrunk.
LARGEST = 512


def read_picture(
    path: str | Path, channels: int, least: int = 1, square: int | None = None
) -> np.ndarray:
    """A picture, float32 (height, width, channels), from 0 to 1.

    Args:
        path: of a file of any kind that Pillow reads, for instance `.png` or `.jpg`.
        channels: `1`: shades of grey, or `3`: red, green and blue.
        least: pixels that height and width must have.
        square: if it is not `None`, the largest square in the middle is resized to this many
            pixels on each side.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not a picture, or it is too small.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no picture {str(path)!r}")
    try:
        with Image.open(path) as image:
            read = image.convert("L" if channels == 1 else "RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"{str(path)!r} is not a picture, such as a .png file: {error}") from error
    if square is not None:
        read = ImageOps.fit(read, (square, square))
    elif max(read.size) > LARGEST:
        read.thumbnail((LARGEST, LARGEST))
    pixels = np.asarray(read, np.float32).reshape(read.height, read.width, channels) / 255
    if min(pixels.shape[:2]) < least:
        raise ValueError(
            f"a picture must have at least {least} × {least} pixels. "
            f"Received: {pixels.shape[0]} × {pixels.shape[1]} in {str(path)!r}"
        )
    return pixels
