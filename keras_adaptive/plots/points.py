"""Answers about points of the plane, and where a network pondered about them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import check_title, new_figure, write_figure

# From a point to the middle of its label, in points of the text.
DISTANCE = 8


def answers_over_points(
    path: str | Path,
    points: Sequence[Any],
    answers: Sequence[Any],
    ponder: Sequence[Any],
    title: str | None = None,
    columns: int = 4,
) -> Path:
    """Draws sets of points, each with a line through the points of an answer.

    Each point is labelled with its index, in bold where the answer begins, at the side away from
    the nearest other point. The colour of a point of the answer is the ponder before the network
    chose it; the scale of colours is one step wide at least. The last output, which chooses the
    first point again, has no colour.

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
    spare = max(1 - np.ptp(every), 0) / 2
    ends = {"vmin": every.min() - spare, "vmax": every.max() + spare}
    colours = {"cmap": "cividis", "edgecolors": "black", **ends}
    shown = None
    for panel, (places, indices, values) in zip(panels.flat, examples):
        shown = _draw(panel, places, indices, values, colours)
    figure.colorbar(shown, ax=panels, label="ponder", shrink=0.8)
    return write_figure(figure, path, title)


def _draw(panel, places, indices, values, colours):
    """One example; returns its coloured points."""
    from matplotlib.patheffects import withStroke

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
    outline = [withStroke(linewidth=2, foreground="white")]
    middle = {"ha": "center", "va": "center", "textcoords": "offset points"}
    for number, place in enumerate(places, 1):
        offset = DISTANCE * _away(place, np.delete(places, number - 1, axis=0))
        weight = "bold" if number == indices[0] else "normal"
        text = panel.annotate(str(number), place, offset, fontsize=7, zorder=4, **middle)
        text.set(fontweight=weight, path_effects=outline)
    panel.margins(0.12)
    return shown


def _away(place, others):
    """The direction from the nearest other point that is not at the same place."""
    gaps = place - others
    distances = np.hypot(*gaps.T)
    if not distances.any():
        return np.array([0.0, 1.0])
    nearest = np.where(distances > 0, distances, np.inf).argmin()
    return gaps[nearest] / distances[nearest]


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
