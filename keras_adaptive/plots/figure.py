"""What all pictures share: the figure, its colours, intervals, and how it is written.

The only module that imports matplotlib. Its global state is left alone.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence, Sized
from pathlib import Path
from typing import Any

from .. import arguments
from ..checkpoints.files import errors_of_writing, target_of
from ..statistics import error_interval

FORMATS = (".png", ".svg", ".pdf")

# Colours that people with any colour vision tell apart: Okabe & Ito (2008), "Color Universal
# Design". Black comes last, because other things in a picture are black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

# An error rate axis that ends below this would make one error in 1,000 look like a failure.
LEAST_TOP_OF_ERRORS = 0.05


def check_format(
    path: str | Path, formats: Sequence[str] = FORMATS, name: str = "path"
) -> None:
    """Refuses a path that no picture can be written to.

    Args:
        path: the file to write.
        formats: the endings that are allowed.
        name: of the argument, for the message.

    Raises:
        ValueError: `path` does not end in one of `formats`.
    """
    if not isinstance(path, (str, Path)) or Path(path).suffix.lower() not in formats:
        allowed = ", ".join(formats)
        raise ValueError(
            f"Argument `{name}` must end in one of {allowed}. Received: {name}={str(path)!r}"
        )


def check_rows(name: str, rows: Any, keys: Iterable[str]) -> None:
    """Refuses anything but a list of dicts with these keys, or an empty one."""
    fits = isinstance(rows, (list, tuple)) and len(rows) > 0
    if not fits or not all(isinstance(row, dict) and row.keys() >= set(keys) for row in rows):
        raise ValueError(
            f"Argument `{name}` must be rows, at least one, each with {', '.join(keys)}. "
            f"Received: {name}={rows!r}"
        )


def check_numbers(name: str, rows: Any, keys: Iterable[str], **bounds: Any) -> None:
    """Refuses rows in which one of these numbers is not finite or out of bounds."""
    for key in keys:
        for row in rows:
            arguments.number(f'{name}["{key}"]', row[key], **bounds)


def check_finite(name: str, rows: Any, keys: Iterable[str], none: bool = False) -> None:
    """Refuses lists of numbers in rows if one is not finite; with `none`, None is no number."""
    for key in keys:
        for row in rows:
            values = row.get(key, ())
            if isinstance(values, str) or _count(values) < 0:
                arguments.refuse(f'{name}["{key}"]', values, "finite numbers")
            for value in values:
                arguments.number(f'{name}["{key}"]', value, none=none)


def check_errors(name: str, rows: Any) -> None:
    """Refuses rows whose `sequence_error` is no share, or whose `examples` are no count."""
    check_numbers(name, rows, ["sequence_error"], least=0, most=1)
    measured = [row for row in rows if "examples" in row]
    check_numbers(name, measured, ["examples"], least=0, none=True)


def check_each_input(name: str, rows: Any, keys: Iterable[str]) -> None:
    """Refuses rows whose lists are empty, or not as long as the first of them."""
    first, *others = keys
    for row in rows:
        if _count(row[first]) < 1:
            arguments.refuse(f'{name}["{first}"]', row[first], "at least one")
        for key in others:
            if key in row and _count(row[key]) != len(row[first]):
                allowed = f'as many as there are in "{first}", {len(row[first])}'
                arguments.refuse(f'{name}["{key}"]', row[key], allowed)


def _count(values):
    """How many there are; -1 if these are no values."""
    return len(values) if isinstance(values, Sized) else -1


def check_title(title: str | None) -> None:
    """Refuses a title that is neither a text nor None."""
    if not isinstance(title, (str, type(None))):
        raise ValueError(f"Argument `title` must be a text or None. Received: title={title!r}")


def new_figure(
    path: str | Path,
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    formats: Sequence[str] = FORMATS,
    **grid: Any,
) -> tuple[Any, Any]:
    """A figure for a file, with empty panels, apart from matplotlib's global state.

    Args:
        path: the file to write.
        width, height: of the figure, in inches.
        rows, columns: of panels.
        formats: the endings of files that are allowed.
        **grid: arguments of matplotlib's `Figure.subplots`.

    Returns:
        The figure, and an array (rows, columns) of its panels.
    """
    check_format(path, formats)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False, **grid)
    for panel in panels.flat:
        panel.set_prop_cycle(color=COLOURS)
    return figure, panels


def write_figure(figure: Any, path: str | Path, title: str | None) -> Path:
    """Writes a figure with an optional title, and returns its path; see `replace_picture`."""
    check_title(title)
    if title:
        figure.suptitle(title)
    _read_literally(figure)
    with replace_picture(path) as partial:
        figure.savefig(partial, dpi=110)
    return Path(path)


def _read_literally(figure):
    """Lets matplotlib read no formula in titles, labels and names; numbers at axes may be some."""
    from matplotlib.text import Text

    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    numbers = {label for axis in axes for label in axis.get_ticklabels(which="both")}
    for text in figure.findobj(Text):
        if text not in numbers:
            text.set_parse_math(False)


@contextlib.contextmanager
def replace_picture(path: str | Path) -> Iterator[Path]:
    """A temporary file that takes the place of `path` when the block ends without an error.

    Args:
        path: the picture to write; an old one is replaced, and missing folders are made. The new
            one has its permissions. A link stays, and what it points to is replaced.

    Yields:
        The path of the temporary file, with the same ending.

    Raises:
        OSError: what is there is no file, but a device, for example, or the file cannot be written.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.stem}.partial{Path(path).suffix}")
    try:
        with errors_of_writing(path):
            yield partial
            if target.exists():
                shutil.copymode(target, partial)
            os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def error_axis(panel: Any, highest: float = 0.0) -> None:
    """Scale the vertical axis of a panel for error rates, in percent, from 0.

    Args:
        panel: a matplotlib `Axes`.
        highest: the highest error rate that must be visible.
    """
    from matplotlib.ticker import PercentFormatter

    top = max(LEAST_TOP_OF_ERRORS, min(1.05 * max(highest, panel.dataLim.ymax), 1.02))
    panel.set_ylim(0, top)
    panel.yaxis.set_major_formatter(PercentFormatter(1.0))


def interval(error: float, examples: int) -> tuple[float, float]:
    """The 95 % confidence interval (Wilson) of an error rate.

    Args:
        error: the share of wrong examples.
        examples: how many were measured.

    Returns:
        A pair of floats.

    >>> [round(bound, 4) for bound in interval(0.0, 1000)]
    [0.0, 0.0038]
    """
    low, high = error_interval(round(error * examples), int(examples))
    return low, high
