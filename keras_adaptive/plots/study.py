"""The figures of a study with many networks, as Graves (2016) draws them.

All functions take `groups`, a list of dicts, one for each setting that is compared: `name`; `kind`
(`"tau"` for a fixed time penalty, `"targets"` for an adapted one, anything else for a baseline);
`value`, the time penalty or the wanted number of steps; and `runs`, a dict for each network:
`error` and `ponder_steps` at the end, `time_penalty` at the end, `curve` (dicts of `step`, `error`
and `ponder_steps`), and `difficulty` (dicts of `difficulty`, `error` and `ponder_steps`). Steps are
the mean number N of steps per input.
"""

import math
from pathlib import Path

import numpy as np

from .. import arguments
from ..statistics import standard_error
from ..types import Rows
from .figure import check_rows, error_axis, new_figure, write_figure

# From low to high time penalties.
SHADES = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (230, 190, 20))
BASELINES = ("black", "dimgrey", "darkgrey", "silver")
ADAPTED = ("#D55E00", "#CC79A7", "#E69F00", "#8C4A00")
OTHERS = ("#0072B2", "#56B4E9", "#4B4BC3", "#00305C")
LABEL_STEPS = "steps per input, N"
LABEL_ERROR = "sequence error rate"


def error_bars(path: str | Path, groups: Rows, title: str | None = None) -> Path:
    """Draws the mean error of each group, with its standard error.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        groups: see the module.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no groups, a group without runs, or another kind of file.

    Source: Graves (2016), Figures 4, 8, 12, 17 and 21.
    """
    colours = _colours(groups)
    figure, [[panel]] = new_figure(path, min(max(5.0, 0.75 * len(groups) + 1), 16), 3.8)
    for place, (group, colour) in enumerate(zip(groups, colours, strict=True)):
        errors = [run["error"] for run in group["runs"]]
        panel.bar(place, np.mean(errors), color=colour, alpha=0.75, width=0.7)
        panel.errorbar(place, np.mean(errors), standard_error(errors), color="black", capsize=3)
        panel.plot([place] * len(errors), errors, "o", color="black", markersize=2.5, alpha=0.6)
    names = [group["name"] for group in groups]
    panel.set_xticks(range(len(groups)), names, rotation=40, ha="right", fontsize="small")
    panel.set_ylabel(LABEL_ERROR)
    error_axis(panel)
    panel.grid(axis="y", alpha=0.3)
    return write_figure(figure, path, title)


def learning_and_ponder(path: str | Path, groups: Rows, title: str | None = None) -> Path:
    """Draws error against training steps, and error against ponder at the end.

    On the left every network is a faint line, and the mean of a group a bold one. On the right a
    network is a small circle, the mean of a group a large one, in an ellipse whose half axes are
    the standard errors; the dotted line is the mean error of the first group with one step for
    each input.

    Args:
        path, groups, title: as in `error_bars`.

    Returns:
        The path.

    Raises:
        ValueError: as in `error_bars`.

    Source: Graves (2016), Figures 5, 9, 13, 18 and 22.
    """
    colours = _colours(groups)
    figure, [[left, right]] = new_figure(path, 11, 4, columns=2, sharey=True)
    for group, colour in zip(groups, colours, strict=True):
        curves = [run["curve"] for run in group["runs"] if run["curve"]]
        lines = [[[point[key] for point in curve] for key in ("step", "error")] for curve in curves]
        _lines(left, lines, colour, group["name"])
        _cloud(right, group["runs"], colour, group["name"])
        if all(run["ponder_steps"] == 1 for run in group["runs"]):
            mean = np.mean([run["error"] for run in group["runs"]])
            right.axhline(mean, color="black", linestyle=":", linewidth=1)
    left.set_xlabel("training step")
    left.set_ylabel(LABEL_ERROR)
    error_axis(left)
    right.set_xlabel(LABEL_STEPS)
    _finish((left, right), right, len(groups))
    return write_figure(figure, path, title)


def against_difficulty(
    path: str | Path, groups: Rows, label: str = "difficulty", title: str | None = None
) -> Path:
    """Draws error and ponder against the difficulty of the inputs.

    Every network is a faint line, and the mean of a group a bold one.

    Args:
        path, groups, title: as in `error_bars`.
        label: what difficulty is, for the axis.

    Returns:
        The path.

    Raises:
        ValueError: as in `error_bars`.

    Source: Graves (2016), Figures 6, 10, 14 and 19.
    """
    arguments.text("label", label)
    colours = _colours(groups)
    figure, [panels] = new_figure(path, 11, 4, columns=2)
    shown = (("error", LABEL_ERROR), ("ponder_steps", LABEL_STEPS))
    for panel, (key, name) in zip(panels, shown, strict=True):
        for group, colour in zip(groups, colours, strict=True):
            rows = [run["difficulty"] for run in group["runs"]]
            lines = [[[row[k] for row in run] for k in ("difficulty", key)] for run in rows]
            _lines(panel, lines, colour, group["name"])
        panel.set_xlabel(label)
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.set_ylabel(name)
        panel.set_ylim(bottom=0)
    error_axis(panels[0])
    _finish(panels, panels[1], len(groups))
    return write_figure(figure, path, title)


def time_penalties(path: str | Path, groups: Rows, title: str | None = None) -> Path:
    """Draws what an adapted time penalty reaches beside fixed ones.

    On the left error against ponder: networks with a fixed τ are circles, with a line through the
    means of the groups; those with an adapted τ are squares, and a dotted line marks the number of
    steps that was wanted. On the right the τ of each network at the end against its ponder.

    Args:
        path, groups, title: as in `error_bars`.

    Returns:
        The path.

    Raises:
        ValueError: as in `error_bars`, or there is no group of the kind `"tau"` or of the kind
            `"targets"`.
    """
    colours = _colours(groups)
    colours = dict(zip(map(id, groups), colours, strict=True))
    fixed = [group for group in groups if group["kind"] == "tau"]
    adapted = [group for group in groups if group["kind"] == "targets"]
    if not fixed or not adapted:
        kinds = sorted({group["kind"] for group in groups})
        raise ValueError(
            f"Argument `groups` must have both kinds, tau and targets. Received: {kinds}"
        )
    figure, [[left, right]] = new_figure(path, 11, 4, columns=2, sharex=True)
    means = [
        [np.mean([run[key] for run in group["runs"]]) for key in ("ponder_steps", "error")]
        for group in fixed
    ]
    left.plot(*zip(*sorted(means), strict=True), color="grey", linewidth=1, zorder=1)
    for group in (*fixed, *adapted):
        colour, runs = colours[id(group)], group["runs"]
        marker = "o" if group["kind"] == "tau" else "s"
        _cloud(left, runs, colour, group["name"], marker)
        known = [run for run in runs if run["time_penalty"] is not None]
        steps = [run["ponder_steps"] for run in known]
        penalties = [run["time_penalty"] for run in known]
        right.plot(steps, penalties, marker, color=colour, label=group["name"], alpha=0.8)
    for group in adapted:
        for panel in (left, right):
            panel.axvline(group["value"], color=colours[id(group)], linestyle=":", linewidth=1)
    left.set_ylabel(LABEL_ERROR)
    error_axis(left)
    # An adapted τ may be negative.
    lowest, highest = right.dataLim.intervaly
    if lowest > 0:
        right.set_yscale("log")
    else:
        right.set_yscale("symlog", linthresh=1e-4)
        # A symlog axis has no margin of its own.
        right.set_ylim(min(2 * lowest, -1e-4), max(2 * highest, 1e-4))
    right.set_ylabel("time penalty τ at the end")
    for panel in (left, right):
        panel.set_xlabel(LABEL_STEPS)
    _finish((left, right), right, len(fixed) + len(adapted))
    return write_figure(figure, path, title)


def _colours(groups):
    """A colour for each group: shades for time penalties, others for all else."""
    check_rows("groups", groups, ("name", "kind", "runs"))
    for group in groups:
        check_rows("groups", group["runs"], ("error", "ponder_steps"))
    penalties = sorted(group["value"] for group in groups if group["kind"] == "tau")
    palettes = {"targets": iter(ADAPTED * len(groups)), "sampled": iter(OTHERS * len(groups))}
    baselines = iter(BASELINES * len(groups))
    colours = []
    for group in groups:
        if group["kind"] == "tau":
            share = penalties.index(group["value"]) / max(len(penalties) - 1, 1)
            colours.append(_shade(share))
        else:
            colours.append(next(palettes.get(group["kind"], baselines)))
    return colours


def _shade(share):
    """A colour of `SHADES`, of which `share` in [0, 1] lies below."""
    place = share * (len(SHADES) - 1)
    low = min(int(place), len(SHADES) - 2)
    pairs = zip(SHADES[low], SHADES[low + 1], strict=True)
    return tuple((a + (b - a) * (place - low)) / 255 for a, b in pairs)


def _lines(panel, lines, colour, name):
    """Faint lines (x, y), and a bold one, their mean where all of them are."""
    for x, y in lines:
        panel.plot(x, y, color=colour, alpha=0.2, linewidth=0.8)
    if not lines:
        return
    first, last = max(x[0] for x, _ in lines), min(x[-1] for x, _ in lines)
    places = np.unique(np.concatenate([x for x, _ in lines]))
    places = places[(places >= first) & (places <= last)]
    mean = np.mean([np.interp(places, x, y) for x, y in lines], axis=0)
    panel.plot(places, mean, color=colour, linewidth=1.8, label=name)


def _cloud(panel, runs, colour, name, marker="o"):
    """Networks as small markers, and their mean as a large one in an ellipse."""
    steps, errors = ([run[key] for run in runs] for key in ("ponder_steps", "error"))
    panel.plot(steps, errors, marker, color=colour, markersize=3.5, alpha=0.6)
    panel.plot(np.mean(steps), np.mean(errors), marker, color=colour, markersize=8, label=name)
    angles = np.linspace(0, 2 * math.pi, 60)
    panel.fill(
        np.mean(steps) + standard_error(steps) * np.cos(angles),
        np.mean(errors) + standard_error(errors) * np.sin(angles),
        color=colour,
        alpha=0.2,
    )


def _finish(panels, last, count):
    """Grids, and one legend at the right of the last panel."""
    for panel in panels:
        panel.grid(alpha=0.3)
    last.legend(
        fontsize="x-small",
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        ncols=1 + count // 22,
    )
