"""Reads a picture from a file, for a network of images."""

import warnings
from pathlib import Path

import numpy as np

# Pixels to each side; larger pictures are shrunk.
LARGEST = 1024


def read_picture(
    path: str | Path, channels: int, least: int = 1, square: int | None = None
) -> np.ndarray:
    """A picture, float32 (height, width, channels), from 0 to 1.

    It stands as its camera says. Transparent parts get the background from which the rest differs
    more, white or black. Levels of 16 bits go from 0 to 65535; other integers and floating-point
    numbers from 0 to the least of 1, 255, 65535 and the largest that holds them all. Floating-point
    numbers may be up to twice as large, with noise for instance, and are clipped. A picture with
    more than 1,024 pixels on a side is shrunk, with a warning.

    Args:
        path: of a file of any kind that Pillow reads, for instance `.png` or `.jpg`.
        channels: `1`: shades of grey, or `3`: red, green and blue.
        least: pixels that height and width must have.
        square: if it is not `None`, the largest square in the middle is resized to this many
            pixels on each side.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the path is not that of a file, or the file not a picture, or it is too small
            or too large to be read.
    """
    from PIL import ImageOps

    if not Path(path).exists():
        raise FileNotFoundError(f"there is no picture {str(path)!r}")
    if not Path(path).is_file():
        raise ValueError(f"a picture must be a file, not a folder or a pipe: {str(path)!r}")
    opaque = _opaque(path)
    read = opaque.convert("L") if channels == 1 else opaque
    width, height = read.size
    if square is not None:
        read = ImageOps.fit(read, (square, square))
    elif max(read.size) > LARGEST:
        read.thumbnail((LARGEST, LARGEST))
        warnings.warn(
            f"{str(path)!r} is shrunk from {height} × {width} to {read.height} × {read.width} "
            "pixels, and everything on it with it",
            stacklevel=3,
        )
    pixels = np.asarray(read, np.float32).reshape(read.height, read.width, channels) / 255
    if min(pixels.shape[:2]) < least:
        raise ValueError(
            f"a picture must have at least {least} × {least} pixels, also where it is shrunk to "
            f"{LARGEST} on the longer side. Received: {height} × {width} in {str(path)!r}"
        )
    return pixels


def _opaque(path):
    """The image in a file, upright, in colours, and without transparent parts."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures, and refuses larger ones.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                upright = ImageOps.exif_transpose(image)
                return _on_background(_with_8_bits(upright)).convert("RGB")
    except Image.DecompressionBombError as error:
        raise ValueError(
            f"a picture must have at most {2 * Image.MAX_IMAGE_PIXELS:,} pixels in all. Received: "
            f"more, in {str(path)!r}"
        ) from error
    # The readers of Pillow raise errors of any kind for a file that is damaged.
    except Exception as error:
        raise ValueError(f"{str(path)!r} is not a picture, such as a .png file: {error}") from error


def _with_8_bits(image):
    """An image whose levels are numbers of more bits, as shades of grey; others as they are."""
    from PIL import Image

    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image
    levels = np.nan_to_num(np.asarray(image, np.float32), posinf=0.0).clip(0)
    most = levels.max(initial=0)
    tops = (65535,) if image.mode.startswith("I;16") else (1, 255, 65535, most)
    above = 2 if image.mode == "F" else 1
    top = next(top for top in tops if most <= above * top)
    return Image.fromarray((255 * (levels / top).clip(0, 1)).round().astype(np.uint8))


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
