"""What networks answer right, and what that costs them."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from ..types import Rows
from .figure import check_numbers, check_rows, new_figure, write_figure

KEYS = ("kind", "accuracy", "flops_share", "time_share")
AXES = {"flops_share": "share of FLOPs", "time_share": "share of time"}


def accuracy_against_cost(path: str | Path, networks: Rows, title: str | None = None) -> Path:
    """Draws the accuracy of networks against their FLOPs, and against their time.

    Networks of a kind have one colour. Those with the same setting, which differ in their seeds
    alone, are averaged; a line joins the averages of a kind, from the cheapest to the dearest.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        networks: a list of dicts with `kind`, a text; `accuracy`, a share; `flops_share` and
            `time_share`, FLOPs and time as shares of those of one of the networks; and if a kind
            has several settings, `setting`, for instance τ.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no networks, a missing key, a number that is out of its range, or another kind
            of file.

    Source: Figurnov et al. (2017), arXiv:1612.02297, Figure 7.
    """
    check_rows("networks", networks, KEYS)
    check_numbers("networks", networks, ["accuracy"], least=0, most=1)
    check_numbers("networks", networks, AXES, least=0)
    for key in ("kind", "setting"):
        for network in networks:
            if not isinstance(network.get(key), Hashable):
                arguments.refuse(f'networks["{key}"]', network[key], "a text or a number")
    figure, [panels] = new_figure(path, 8.0, 3.4, columns=2, sharey=True)
    for panel, (key, label) in zip(panels, AXES.items(), strict=True):
        for kind in dict.fromkeys(network["kind"] for network in networks):
            groups: dict[Any, list] = {}
            for network in networks:
                if network["kind"] == kind:
                    point = 100 * network[key], 100 * network["accuracy"]
                    groups.setdefault(network.get("setting"), []).append(point)
            (line,) = panel.plot(*zip(*sorted(_mean(group) for group in groups.values())), lw=1.5)
            points = [point for group in groups.values() for point in group]
            panel.plot(*zip(*points), "o", color=line.get_color(), label=kind)
        panel.set_xlim(left=0)
        panel.set_xlabel(f"{label}, %")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("accuracy, %")
    panels[0].legend(loc="best")
    return write_figure(figure, path, title)


def _mean(points):
    return tuple(np.mean(points, axis=0))
