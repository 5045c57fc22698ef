"""Ponder against difficulty and along sequences, and learning curves."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from .. import arguments
from ..types import Rows
from .figure import (
    check_each_input,
    check_errors,
    check_finite,
    check_numbers,
    check_rows,
    error_axis,
    interval,
    new_figure,
    write_figure,
)

# The quantities of the second panel, and what its axis says.
COSTS = {"ponder": "ponder ρ = N + R", "ponder_steps": "mean steps N"}
WIDEST = 14  # inches
# How many characters of a label fit into an inch, and how high a line of it is.
CHARACTERS_PER_INCH, LINE_HEIGHT = 13, 0.14


def ponder_against_difficulty(
    path: str | Path,
    curves: Mapping[str, Rows],
    label: str = "difficulty",
    title: str | None = None,
    cost: str = "ponder",
) -> Path:
    """Draws error rate and ponder against difficulty, side by side.

    The band around an error rate is its 95 % confidence interval.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        curves: a dict from the name of a model to its rows, a list of dicts with `difficulty`,
            `sequence_error` and `ponder` (Figure 6 of the paper has one curve a network).
            Optional: `examples`, how many were measured; without it there is no band.
        label: what difficulty is, for the axis.
        title: above the picture.
        cost: the key of the second panel, `"ponder"`, or `"ponder_steps"` where there is no
            remainder.

    Returns:
        The path.

    Raises:
        ValueError: no curves, a number that is out of its range, another cost, or another kind of
            file.

    Source: Graves (2016), Figures 6, 10, 14 and 19.
    """
    arguments.choice("cost", cost, tuple(COSTS))
    if not isinstance(curves, Mapping) or not curves:
        arguments.refuse("curves", curves, "a dict from the name of a model to its rows")
    for rows in curves.values():
        keys = ("difficulty", "sequence_error", cost)
        check_rows("curves", rows, keys)
        check_numbers("curves", rows, keys)
        check_errors("curves", rows)
    arguments.text("label", label)
    figure, [[errors, ponder]] = new_figure(path, 9, 3.4, columns=2)
    for name, rows in curves.items():
        difficulty = [row["difficulty"] for row in rows]
        style = {"label": name, "marker": "o" if len(rows) <= 20 else None, "markersize": 4}
        errors.plot(difficulty, [row["sequence_error"] for row in rows], **style)
        if all(row.get("examples") for row in rows):
            bounds = [interval(row["sequence_error"], row["examples"]) for row in rows]
            errors.fill_between(
                difficulty, *zip(*bounds), color=errors.lines[-1].get_color(), alpha=0.2, lw=0
            )
        ponder.plot(difficulty, [row[cost] for row in rows], **style)
    for panel, name in ((errors, "sequence error rate"), (ponder, COSTS[cost])):
        panel.set_xlabel(label)
        panel.set_ylabel(name)
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.grid(alpha=0.3)
    error_axis(errors)
    ponder.set_ylim(0, 1.08 * ponder.dataLim.ymax)
    if len(curves) > 1:
        errors.legend()
    return write_figure(figure, path, title)


def ponder_along_sequence(path: str | Path, sequences: Rows, title: str | None = None) -> Path:
    """Draws the ponder at each input of some sequences, one above the other.

    Long labels are wrapped, and decimal fractions rounded, so that neighbours do not overlap.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        sequences: a list of dicts with `inputs` and `answers`, a text or number for each input, and
            `ponder`, a number for each input. Optional: `floor`, numbers to draw in grey.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no sequences, one without inputs or without something for each, a number that is
            not finite, or another kind of file.

    Source: Graves (2016), Figures 15 and 20.
    """
    check_rows("sequences", sequences, ("inputs", "answers", "ponder"))
    check_each_input("sequences", sequences, ("inputs", "answers", "ponder", "floor"))
    check_finite("sequences", sequences, ("ponder", "floor"))
    most = max(len(sequence["inputs"]) for sequence in sequences)
    width = min(max(4.5, 1.1 * most), WIDEST)
    labels = [
        [
            _wrapped(sequence[key], width / len(sequence["inputs"]))
            for key in ("inputs", "answers")
        ]
        for sequence in sequences
    ]
    lines = [sum(max(text.count("\n") for text in texts) for texts in pair) for pair in labels]
    heights = [2.0 + LINE_HEIGHT * (2 + count) for count in lines]
    figure, panels = new_figure(
        path, width, sum(heights), rows=len(sequences), height_ratios=heights
    )
    highest = max(max(sequence["ponder"]) for sequence in sequences)
    for panel, sequence, (inputs, answers) in zip(panels.flat, sequences, labels, strict=True):
        places = range(len(inputs))
        panel.bar(places, sequence["ponder"], width=0.5)
        if "floor" in sequence:
            panel.step(places, sequence["floor"], where="mid", color="grey")
        panel.set_xticks(places, inputs, fontsize="small", linespacing=1.0)
        panel.set_xlim(-0.5, len(inputs) - 0.5)
        panel.set_ylim(0, 1.1 * highest or 1)
        panel.set_ylabel("ponder ρ")
        above = panel.secondary_xaxis("top")
        above.set_xticks(places, answers, fontsize="small")
    return write_figure(figure, path, title)


def _wrapped(labels, inches):
    """Labels broken into lines, each of which has `inches` of room."""
    characters = max(1, int(CHARACTERS_PER_INCH * inches) - 1)
    # matplotlib would read a dollar sign as the beginning of a formula.
    return [
        "\n".join(textwrap.wrap(_rounded(str(label)), characters, break_on_hyphens=False)).replace(
            "$", r"\$"
        )
        for label in labels
    ]


def _rounded(label):
    """A label; decimal fractions are rounded to two digits.

    >>> _rounded("0.81252426"), _rounded("12"), _rounded("1 0 XOR")
    ('0.81', '12', '1 0 XOR')
    """
    return f"{float(label):.2f}" if re.fullmatch(r"-?\d+\.\d+", label) else label


def learning_curve(
    path: str | Path, history: Rows, curves: Mapping[str, str], title: str | None = None
) -> Path:
    """Draws the loss and some error rates against the steps of a training.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        history: a list of dicts with `step`, `loss`, and error rates in some of them.
        curves: a dict from the key of an error rate to its name.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no history, a number that is not finite, or another kind of file.
    """
    check_rows("history", history, ("step", "loss"))
    allowed = "a dict from the key of an error rate to its name"
    arguments.instance("curves", curves, Mapping, allowed)
    check_numbers("history", history, ["step"], least=0)
    check_numbers("history", history, ["loss"], none=True)
    for key in curves:
        check_numbers("history", [row for row in history if key in row], [key], none=True)
    figure, [[loss, errors]] = new_figure(path, 9, 3.4, columns=2)
    losses = [row["loss"] for row in history]
    loss.plot([row["step"] for row in history], losses, color="black")
    if any(value is not None and value > 0 for value in losses):
        loss.set_yscale("log")
    loss.set_ylabel("loss")
    for key, name in curves.items():
        rows = [row for row in history if row.get(key) is not None]
        errors.plot([row["step"] for row in rows], [row[key] for row in rows], label=name)
    errors.set_ylabel("error rate")
    error_axis(errors, highest=1.0)
    if curves:
        errors.legend(fontsize="small")
    for panel in (loss, errors):
        panel.set_xlabel("step")
        panel.locator_params(axis="x", nbins=7)  # Longer numbers would touch.
        panel.grid(alpha=0.3)
    return write_figure(figure, path, title)
