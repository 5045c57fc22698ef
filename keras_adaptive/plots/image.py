"""Pictures of the mental image of a Neural GPU."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import check_title, new_figure, replace_picture, write_figure


def mental_image_animation(
    path: str | Path,
    images: Any,
    read: Sequence[str],
    written: Sequence[Sequence[str]],
    title: str | None = None,
    seconds: float = 0.4,
) -> Path:
    """Writes the mental image of a Neural GPU step by step, as an animation.

    Args:
        path: the file to write, `.gif`.
        images: (steps + 1, n, width, maps), as in `NeuralGPU` with `return_images`.
        read: n characters, the input.
        written: for each image n characters, what would be answered now.
        title: above the picture.
        seconds: that an image is shown; the last one is shown three times as long.

    Returns:
        The path.

    Raises:
        ValueError: arguments that do not fit, or another kind of file.

    Source: the video of Kaiser & Sutskever (2016), arXiv:1511.08228, section 4.
    """
    _check_thoughts(images, read, written)
    seconds = arguments.number("seconds", seconds, above=0)
    check_title(title)
    length, rows = len(read), images.shape[2] * images.shape[3]
    width, height = min(max(4.0, 0.28 * length + 1), 14), min(max(3.0, 0.07 * rows + 1), 9)
    figure, [[panel]] = new_figure(path, width, height, formats=(".gif",))
    from matplotlib.animation import PillowWriter

    show = _thought(panel, images[0], read)
    writer = PillowWriter(fps=1 / seconds)
    with replace_picture(path) as partial, writer.saving(figure, str(partial), dpi=80):
        for step, (image, symbols) in enumerate(zip(images, written, strict=True)):
            show(image, symbols)
            text = f"step {step} of {len(images) - 1}"
            panel.set_title(f"{title}: {text}" if title else text, fontsize="medium")
            for _ in range(3 if step == len(images) - 1 else 1):
                writer.grab_frame()
    return Path(path)


def mental_image_stills(
    path: str | Path,
    images: Any,
    read: Sequence[str],
    written: Sequence[Sequence[str]],
    title: str | None = None,
    most: int = 12,
) -> Path:
    """Draws the mental image of a Neural GPU at some steps, on one sheet.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        images, read, written: as in `mental_image_animation`.
        title: above the picture.
        most: the number of images at most, spread evenly; the first and the last are among them.

    Returns:
        The path.

    Raises:
        ValueError: arguments that do not fit, or another kind of file.
    """
    _check_thoughts(images, read, written)
    most = arguments.integer("most", most, least=1)
    count = min(most, len(images))
    steps = [round(i * (len(images) - 1) / max(count - 1, 1)) for i in range(count)]
    columns = min(4, count)
    lines = -(-count // columns)
    side = min(max(2.6, 0.16 * len(read) + 0.6), 4.5)
    figure, panels = new_figure(path, side * columns, 2.8 * lines, lines, columns)
    panels = panels.ravel()
    for panel, step in zip(panels, steps, strict=False):
        _thought(panel, images[step], read)(images[step], written[step])
        panel.set_title(f"step {step}", fontsize="medium")
    for panel in panels[count:]:
        panel.set_axis_off()
    return write_figure(figure, path, title)


# With more positions their symbols could not be read.
_LEGIBLE = 48


def _thought(panel, image, read):
    """Prepares a panel for mental images (n, width, maps); returns what shows one."""
    places = range(len(read))
    legible = len(read) <= _LEGIBLE
    shown = panel.imshow(
        _upright(image), cmap="RdBu", vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
    )
    panel.set_yticks([])
    panel.set_ylabel("maps")
    panel.set_xticks(places if legible else [], list(read) if legible else [], fontsize="x-small")
    above = panel.secondary_xaxis("top")
    above.set_xticks([])

    def show(image, symbols):
        shown.set_data(_upright(image))
        if legible:
            above.set_xticks(places, list(symbols), fontsize="x-small")

    return show


def _upright(image):
    """A mental image (n, width, maps) as a matrix, positions from left to right."""
    return np.asarray(image).reshape(len(image), -1).T


def _check_thoughts(images, read, written):
    shape = tuple(getattr(images, "shape", ()))
    if len(shape) != 4:
        arguments.refuse("images", images, "an array (steps + 1, n, width, maps)")
    if not hasattr(read, "__len__") or len(read) != shape[1]:
        arguments.refuse("read", read, f"{shape[1]} characters, as many as `images` has positions")
    fits = hasattr(written, "__len__") and len(written) == shape[0]
    if not fits or any(not hasattr(x, "__len__") or len(x) != len(read) for x in written):
        allowed = f"{len(read)} characters for each of {shape[0]} images"
        arguments.refuse("written", written, allowed)
