"""Reads a picture from a file, for a network of images."""

import warnings
from pathlib import Path

import numpy as np

# Pixels to each side; larger pictures are shrunk.
LARGEST = 512


def read_picture(
    path: str | Path, channels: int, least: int = 1, square: int | None = None
) -> np.ndarray:
    """A picture, float32 (height, width, channels), from 0 to 1.

    It stands as its camera says. Transparent parts get the background from which the rest differs
    more, white or black. Levels of 16 bits go from 0 to 65535; other integers and floating-point
    numbers from 0 to the least of 1, 255, 65535 and the largest that holds them all.

    Args:
        path: of a file of any kind that Pillow reads, for instance `.png` or `.jpg`.
        channels: `1`: shades of grey, or `3`: red, green and blue.
        least: pixels that height and width must have.
        square: if it is not `None`, the largest square in the middle is resized to this many
            pixels on each side.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the path is not that of a file, or the file not a picture, or it is too small.
    """
    from PIL import Image, ImageOps

    if not Path(path).exists():
        raise FileNotFoundError(f"there is no picture {str(path)!r}")
    if not Path(path).is_file():
        raise ValueError(f"a picture must be a file, not a folder or a pipe: {str(path)!r}")
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures, and refuses larger ones.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                upright = ImageOps.exif_transpose(image)
                opaque = _on_background(_with_8_bits(upright)).convert("RGB")
            read = opaque.convert("L") if channels == 1 else opaque
    # The readers of Pillow raise errors of any kind for a file that is damaged.
    except Exception as error:
        raise ValueError(f"{str(path)!r} is not a picture, such as a .png file: {error}") from error
    width, height = read.size
    if square is not None:
        read = ImageOps.fit(read, (square, square))
    elif max(read.size) > LARGEST:
        read.thumbnail((LARGEST, LARGEST))
    pixels = np.asarray(read, np.float32).reshape(read.height, read.width, channels) / 255
    if min(pixels.shape[:2]) < least:
        raise ValueError(
            f"a picture must have at least {least} × {least} pixels, also where it is shrunk to "
            f"{LARGEST} on the longer side. Received: {height} × {width} in {str(path)!r}"
        )
    return pixels


def _with_8_bits(image):
    """An image whose levels are numbers of more bits, as shades of grey; others as they are."""
    from PIL import Image

    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image
    levels = np.nan_to_num(np.asarray(image, np.float32), posinf=0.0).clip(0)
    most = levels.max(initial=0)
    tops = (65535,) if image.mode.startswith("I;16") else (1, 255, 65535, most)
    top = next(top for top in tops if most <= top)
    return Image.fromarray((255 * levels / top).round().astype(np.uint8))


def _on_background(image):
    """An image without transparent parts."""
    from PIL import Image

    if image.mode not in ("LA", "PA", "RGBA") and "transparency" not in image.info:
        return image
    image = image.convert("RGBA")
    seen = np.asarray(image.getchannel("A"), float) + 1e-9
    is_bright = np.average(np.asarray(image.convert("L")), weights=seen) > 127
    background = Image.new("RGBA", image.size, "black" if is_bright else "white")
    return Image.alpha_composite(background, image)
