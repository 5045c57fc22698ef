"""Answers about points of the plane, and where a network pondered about them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import check_title, new_figure, write_figure


def answers_over_points(
    path: str | Path,
    points: Sequence[Any],
    answers: Sequence[Any],
    ponder: Sequence[Any],
    title: str | None = None,
    columns: int = 4,
) -> Path:
    """Draws sets of points, each with a line through the points of an answer.

    Each point is labelled with its index, in bold where the answer begins. The colour of a point of
    the answer is the ponder before the network chose it. The last output, which chooses the first
    point again, has no colour.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        points: the points of each example, `(n, 2)`.
        answers: the indices of each answer, in order, from 1.
        ponder: of each example ρ of each index of the answer.
        title: above all.
        columns: examples in a row.

    Returns:
        The path.

    Raises:
        ValueError: a wrong shape, an index that no point has, or another kind of file.
    """
    check_title(title)
    for name, values in (("points", points), ("answers", answers), ("ponder", ponder)):
        if not isinstance(values, (list, tuple)) or not len(values) == len(points) > 0:
            arguments.refuse(
                name, values, "a list of one example or more, as many as of the others"
            )
    examples = [_example(*one) for one in zip(points, answers, ponder)]
    columns = min(arguments.integer("columns", columns, least=1), len(examples))
    rows = -(-len(examples) // columns)
    figure, panels = new_figure(path, 2.6 * columns + 0.9, 2.6 * rows + 0.3, rows, columns)
    for panel in panels.flat:
        panel.set_axis_off()
    every = np.concatenate([values for _, _, values in examples])
    most = every.min() + max(np.ptp(every), 1e-6)
    colours = {"cmap": "cividis", "vmin": every.min(), "vmax": most, "edgecolors": "black"}
    shown = None
    for panel, (places, indices, values) in zip(panels.flat, examples):
        shown = _draw(panel, places, indices, values, colours)
    figure.colorbar(shown, ax=panels, label="ponder", shrink=0.8)
    return write_figure(figure, path, title)


def _draw(panel, places, indices, values, colours):
    """One example; returns its coloured points."""
    panel.set_axis_on()
    panel.set_aspect("equal")
    panel.set_xticks([])
    panel.set_yticks([])
    line = places[indices - 1]
    panel.plot(*line.T, color="#888888", linewidth=1, zorder=1)
    panel.scatter(*places.T, s=14, color="#888888", zorder=2)
    # The first one is chosen again at the end.
    last = len(indices) - (len(indices) > 1 and indices[-1] == indices[0])
    shown = panel.scatter(*line[:last].T, s=46, c=values[:last], zorder=3, **colours)
    for number, place in enumerate(places, 1):
        offset = {"xytext": (4, 4), "textcoords": "offset points"}
        weight = "bold" if number == indices[0] else "normal"
        panel.annotate(str(number), place, fontsize=7, fontweight=weight, zorder=4, **offset)
    panel.margins(0.12)
    return shown


def _example(points, answer, ponder):
    places = _numbers("points", points, "numbers of shape (n, 2) of each example")
    if places.ndim != 2 or places.shape[1] != 2 or not len(places):
        arguments.refuse("points", points, "numbers of shape (n, 2) of each example")
    allowed = f"whole numbers from 1 to {len(places)} of each example, one or more"
    indices = _numbers("answers", answer, allowed)
    fits = indices.ndim == 1 and indices.size and (indices == indices.round()).all()
    if not fits or indices.min() < 1 or indices.max() > len(places):
        arguments.refuse("answers", answer, allowed)
    allowed = f"{len(indices)} finite numbers, as the answer has indices"
    values = _numbers("ponder", ponder, allowed)
    if values.shape != indices.shape or not np.isfinite(values).all():
        arguments.refuse("ponder", ponder, allowed)
    return places, indices.astype(int), values


def _numbers(name, values, allowed):
    return arguments.interpreted(name, values, lambda x: np.asarray(x, float), allowed)
