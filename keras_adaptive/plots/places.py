"""Where in its pictures a network pondered."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import check_title, new_figure, write_figure


def ponder_over_pictures(
    path: str | Path,
    pictures: Any,
    maps: Any,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    columns: int = 4,
) -> Path:
    """Draws pictures, each beside the map of its ponder.

    A map with the same ponder everywhere, as of ACT, has it as a number too.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        pictures: `(count, height, width, channels)`, with 1 or 3 channels.
        maps: `(count, height, width)`, ρ of each pixel, of all blocks together.
        labels: a text above each picture; none by default.
        title: above all.
        columns: pictures in a row.

    Returns:
        The path.

    Raises:
        ValueError: a wrong shape, numbers that are not finite, another number of labels, or another
            kind of file.
    """
    allowed = "numbers of shape (count, height, width, 1 or 3)"
    pictures = _numbers("pictures", pictures, allowed)
    if pictures.ndim != 4 or pictures.shape[-1] not in (1, 3) or not len(pictures):
        arguments.refuse("pictures", pictures, allowed)
    allowed = f"numbers of shape {pictures.shape[:3]}, as `pictures` has pixels"
    maps = _numbers("maps", maps, allowed)
    if maps.shape != pictures.shape[:3]:
        arguments.refuse("maps", maps, allowed)
    labels = [""] * len(pictures) if labels is None else labels
    if not isinstance(labels, (list, tuple)) or len(labels) != len(pictures):
        arguments.refuse("labels", labels, f"a list of {len(pictures)} texts")
    check_title(title)
    columns = min(arguments.integer("columns", columns, least=1), len(pictures))
    rows = -(-len(pictures) // columns)
    figure, panels = new_figure(path, 2.9 * columns + 0.8, 1.6 * rows + 0.3, rows, 2 * columns)
    least, most = maps.min(), max(maps.max(), maps.min() + 1e-6)
    for panel in panels.flat:
        panel.set_axis_off()
    shown = None
    for number, (picture, ponder, label) in enumerate(zip(pictures, maps, labels)):
        left, right = panels[number // columns, 2 * (number % columns) :][:2]
        spread = max(np.ptp(picture), 1e-6)
        picture = (picture - picture.min()) / spread
        picture = picture[..., 0] if picture.ndim == 3 and picture.shape[-1] == 1 else picture
        left.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        left.set_title(label, fontsize=8)
        shown = right.imshow(ponder, cmap="cividis", vmin=least, vmax=most, interpolation="nearest")
        if not np.ptp(ponder):
            box = {"boxstyle": "round", "facecolor": "white", "linewidth": 0}
            middle = {"transform": right.transAxes, "ha": "center", "va": "center"}
            right.text(0.5, 0.5, f"{ponder.flat[0]:.2f}", fontsize=8, bbox=box, **middle)
    figure.colorbar(shown, ax=panels, label="ponder", shrink=0.8)
    return write_figure(figure, path, title)


def _numbers(name, values, allowed):
    numbers = arguments.interpreted(name, values, lambda x: np.asarray(x, float), allowed)
    if not np.isfinite(numbers).all():
        arguments.refuse(name, values, "finite numbers")
    return numbers
