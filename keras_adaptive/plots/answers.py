"""What a network would answer after each of its steps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import check_title, new_figure, write_figure


def answers_after_steps(
    path: str | Path, probabilities: Any, read: Sequence[str], title: str | None = None
) -> Path:
    """Draws the answer at each position against the steps that were taken.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        probabilities: `(steps, positions)`, how sure the network is of a 1 at each position after
            each step.
        read: the symbols of the input, a string or a list with one for each position.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: a wrong shape, a value that is not a probability, or another kind of file.
    """
    if not isinstance(read, (str, list, tuple)):
        arguments.refuse("read", read, "a string or a list of symbols")
    expected = f"numbers from 0 to 1 of shape (steps, {len(read)}), as `read` has positions"
    try:
        values = np.asarray(probabilities, float)
    except (TypeError, ValueError):
        arguments.refuse("probabilities", probabilities, expected)
    fits = values.ndim == 2 and values.size and values.shape[1] == len(read)
    if not fits or not np.all((values >= 0) & (values <= 1)):
        arguments.refuse("probabilities", probabilities, expected)
    check_title(title)
    steps, positions = values.shape
    width = float(np.clip(0.16 * positions, 4.0, 14.0))
    figure, [[panel]] = new_figure(path, width + 1.0, float(np.clip(0.09 * steps, 3.0, 8.0)))
    shown = panel.imshow(
        values,
        aspect="auto",
        cmap="cividis",
        vmin=0,
        vmax=1,
        interpolation="nearest",
        extent=(-0.5, positions - 0.5, steps + 0.5, 0.5),
    )
    if positions <= 80:
        panel.set_xticks(range(positions), list(read), fontsize=7)
    panel.set_xlabel("input")
    panel.set_ylabel("step")
    panel.yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(shown, ax=panel, label="probability of 1")
    return write_figure(figure, path, title)
