"""Errors of models that may take few steps only."""

from collections.abc import Mapping
from pathlib import Path

from .. import arguments
from .figure import (
    check_errors,
    check_numbers,
    check_rows,
    error_axis,
    interval,
    new_figure,
    write_figure,
)

# What the errors of models that read text are called.
OF_TEXTS = {"bits_per_character": "bits per byte", "perplexity": "perplexity"}


def error_against_limit(path: str | Path, curves: Mapping, title: str | None = None) -> str | Path:
    """Draws the error against the largest number of steps that was allowed.

    The band around an error rate is its 95 % confidence interval.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        curves: a dict from the name of a model to its rows, a list of dicts with `max_ponder`, and
            `sequence_error`, `bits_per_character` or `perplexity`. Optional: `examples`, how many
            were measured; without it there is no band.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no curves, a number that is out of its range, or another kind of file.
    """
    if not isinstance(curves, Mapping) or not curves:
        arguments.refuse("curves", curves, "a dict from the name of a model to its rows")
    kinds = []
    for rows in curves.values():
        check_rows("curves", rows, ("max_ponder",))
        kinds.append(next((kind for kind in OF_TEXTS if kind in rows[0]), "sequence_error"))
        check_rows("curves", rows, (kinds[-1],))
        check_numbers("curves", rows, ["max_ponder"], least=1)
        check_numbers("curves", rows, [kinds[-1]], least=0)
        if kinds[-1] == "sequence_error":
            check_errors("curves", rows)
    if len(set(kinds)) > 1:
        arguments.refuse("curves", curves, "models with the same kind of error")
    figure, [[panel]] = new_figure(path, 5.5, 3.4)
    for name, rows in curves.items():
        steps, errors = zip(*((row["max_ponder"], row[kinds[0]]) for row in rows), strict=True)
        panel.plot(steps, errors, marker="o", markersize=4, label=name)
        if kinds[0] == "sequence_error" and all(row.get("examples") for row in rows):
            bounds = [interval(row["sequence_error"], row["examples"]) for row in rows]
            colour = panel.lines[-1].get_color()
            panel.fill_between(steps, *zip(*bounds), color=colour, alpha=0.2, lw=0)
    panel.set_xscale("log")
    ticks = sorted({row["max_ponder"] for rows in curves.values() for row in rows})
    panel.set_xticks(ticks, list(map(str, ticks)), minor=False)
    panel.minorticks_off()
    panel.set_xlabel("step limit")
    panel.grid(alpha=0.3)
    if kinds[0] == "sequence_error":
        panel.set_ylabel("sequence error rate")
        error_axis(panel)
    else:
        panel.set_ylabel(OF_TEXTS[kinds[0]])
    if len(curves) > 1:
        panel.legend()
    return write_figure(figure, path, title)
