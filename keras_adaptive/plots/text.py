"""Pictures of what a network does while it reads a text, as Graves draws them."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import arguments
from ..types import Rows
from .figure import COLOURS, check_finite, check_rows, new_figure, write_figure

ROW = 90
MOST = 6 * ROW
# Words in a row of a picture, and in a picture.
WORDS = 30
MOST_WORDS = 6 * WORDS
PANELS = (("ponder", "ponder ρ"), ("bits", "loss (bits)"), ("entropy", "entropy (bits)"))


def ponder_under_text(
    path: str | Path, reading: Mapping[str, Any], title: str | None = None
) -> Path:
    """Draws ponder, prediction loss and prediction entropy above each character of a text.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        reading: a dict of lists with an element for each byte of the text: `inputs`, what to write
            below it, `ponder`, and `bits` and `entropy`, numbers, or None where there is none.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no text, a longer one than can be drawn, a number that is not finite, or
            another kind of file.

    Source: Graves (2016), arXiv:1603.08983, Figures 23 and 24.
    """
    return _ponder_under(path, reading, title, ("bytes", ROW, MOST), 0.145, 3.4)


def ponder_under_words(
    path: str | Path, reading: Mapping[str, Any], title: str | None = None
) -> Path:
    """Draws ponder, prediction loss and prediction entropy above each word of a text.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        reading: as in `ponder_under_text`, with an element for each word.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no text, a longer one than can be drawn, a number that is not finite, or
            another kind of file.
    """
    return _ponder_under(path, reading, title, ("words", WORDS, MOST_WORDS), 0.36, 5.2)


def _ponder_under(path, reading, title, sizes, width, height):
    """A picture of a text, whose rows are `height` inches high and each symbol `width` wide."""
    unit, row_size, most = sizes
    check_rows("reading", [reading], ("inputs", "ponder", "bits", "entropy"))
    check_finite("reading", [reading], ("ponder", "bits", "entropy"), none=True)
    count = len(reading["inputs"])
    if not 1 <= count <= most:
        raise ValueError(
            f"Argument `reading` must be of a text of 1 to {most} {unit}. Received: {count} {unit}"
        )
    rows = -(-count // row_size)
    # Rows have the same scales, the last one too when it is short.
    columns = min(count, row_size)
    size = max(1.2 + width * columns, 4), 0.6 + height * rows
    figure, panels = new_figure(path, *size, rows=len(PANELS) * rows)
    panels = panels[:, 0]
    highest = {key: _highest(reading[key]) for key, _ in PANELS}
    # Ponder differs little, so its bars do not begin at zero; the least has a bar too.
    least = min(reading["ponder"])
    lowest = {"ponder": least - 0.2 * max(highest["ponder"] - least, 0.1)}
    for row in range(rows):
        part = slice(row * row_size, (row + 1) * row_size)
        letters = reading["inputs"][part]
        for place, (key, name) in enumerate(PANELS):
            panel = panels[len(PANELS) * row + place]
            values = [0.0 if value is None else value for value in reading[key][part]]
            low = lowest.get(key, 0)
            panel.bar(range(len(values)), values, color="black", width=0.7)
            panel.set_xlim(-0.7, columns - 0.3)
            panel.set_ylim(low, low + 1.1 * max(highest[key] - low, 0.1))
            panel.set_ylabel(name, fontsize="small")
            panel.tick_params(axis="x", length=0)
            panel.set_xticks(range(len(letters)), [_visible(x) for x in letters])
            for label, letter in zip(panel.get_xticklabels(), letters, strict=True):
                if unit == "words":
                    label.set(rotation=60, ha="right", rotation_mode="anchor", fontsize=7)
                else:
                    label.set(fontfamily="monospace", fontsize=8 if len(letter) == 1 else 5)
    return write_figure(figure, path, title)


def _highest(values):
    return max((value for value in values if value is not None), default=0.0) or 1.0


def _visible(letter):
    # matplotlib would read a dollar sign as the beginning of a formula.
    return {" ": "␣"}.get(letter, letter.replace("$", r"\$"))


def bits_while_training(
    path: str | Path, histories: Mapping[str, Rows], title: str | None = None
) -> Path:
    """Draws bits per character on training and on validation data, and ponder, against the steps.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        histories: a dict from the name of a training to its rows, dicts with `step`,
            `bits_per_character` and `ponder`, and in some of them `validation_bits_per_character`.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no histories, or another kind of file.

    Source: Graves (2016), arXiv:1603.08983, Figure 22.
    """
    if not isinstance(histories, dict) or not histories:
        arguments.refuse("histories", histories, "a dict from the name of a training to its rows")
    for rows in histories.values():
        check_rows("histories", rows, ("step", "bits_per_character", "ponder"))
    figure, [[bits, ponder]] = new_figure(path, 9, 3.4, columns=2)
    for (name, history), color in zip(histories.items(), itertools.cycle(COLOURS)):
        validated = [row for row in history if row.get("validation_bits_per_character")]
        for rows, key, style, words in (
            (history, "bits_per_character", ":", "training"),
            (validated, "validation_bits_per_character", "-", "validation"),
        ):
            steps = [row["step"] for row in rows]
            values = [row[key] for row in rows]
            bits.plot(steps, values, style, color=color, label=f"{name}, {words}")
        steps = [row["step"] for row in history]
        ponder.plot(steps, [row["ponder"] for row in history], color=color, label=name)
    for panel, words in ((bits, "bits per character"), (ponder, "ponder ρ = N + R")):
        panel.set_xlabel("step")
        panel.set_ylabel(words)
        panel.grid(alpha=0.3)
    bits.legend(fontsize="small")
    ponder.set_ylim(bottom=0)
    return write_figure(figure, path, title)
