"""The tree of a hierarchical attentive memory at each access, as the paper draws it."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .figure import new_figure, write_figure

PATH, OTHER, MARKED = "#D55E00", "lightgrey", "deeppink"
_HALF = 0.42  # Of a node's width, where leaves are 1 apart.


def accesses(
    path: str | Path,
    nodes: Any,
    turns: Any,
    read: Sequence[str],
    written: Sequence[str] | None = None,
    marked: int | None = None,
    title: str | None = None,
    most: int = 8,
) -> Path:
    """Draws each access to the memory of one example: tree, values, path, and order of the leaves.

    Each panel shows the tree before an access. The cells of a node are its values, white for zero.
    The path of the access, and the frame of the leaf that it reads and writes, are orange-red.
    Below the leaves are the inputs, and the numbers of the accesses that attended them so far.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        nodes: `(accesses + 1, 2n, d)`, as in `HAM` with `return_nodes`, of one example.
        turns: `(accesses, log2 n)`, its `path` as in `HAM` with `return_path`.
        read: the inputs as texts, at most n.
        written: the output of each access as a text (`""` for none), shown above its panel.
        marked: a coordinate, from 0 on, that is pink instead of black at inner nodes; see
            `ham.probe`.
        title: above the picture.
        most: the number of accesses at most, from the first on.

    Returns:
        The path.

    Raises:
        ValueError: arguments that do not fit, or another kind of file.

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, Figure 6.
    """
    nodes, turns = _numbers("nodes", nodes), _numbers("turns", turns)
    most = arguments.integer("most", most, least=1)
    _check(nodes, turns, read, written, marked)
    leaves = [int("".join(str(int(turn)) for turn in access), 2) for access in turns]
    count, shown = nodes.shape[1] // 2, min(most, len(turns))
    columns = min(1 if count > 16 else 2 if count > 4 else 4, shown)
    lines = -(-shown // columns)
    width = min(1 + 0.62 * count, 20)
    height = 1.1 + 0.62 * turns.shape[1]
    figure, panels = new_figure(path, width * columns, height * lines, lines, columns)
    panels = panels.ravel()
    highest = np.max(np.abs(nodes[: shown + 1])) or 1.0
    for access, panel in enumerate(panels[:shown]):
        _tree(panel, nodes[access], turns[access], marked, highest)
        _below(panel, read, leaves[: access + 1], count)
        output = written[access] if written is not None else ""
        text = f"access {access + 1}: leaf {leaves[access]}"
        panel.set_title(f"{text}, then {output}" if output else text, fontsize="small")
    for panel in panels[shown:]:
        panel.set_axis_off()
    return write_figure(figure, path, title)


def _tree(panel, values, turns, marked, highest):
    """All nodes of a tree, and the way down."""
    count, levels = len(values) // 2, len(turns)
    on_path = [1]
    for turn in turns:
        on_path.append(2 * on_path[-1] + int(turn))
    for node in range(2, 2 * count):
        (x, y), (above_x, above_y) = _place(node, levels), _place(node // 2, levels)
        is_on_path = node in on_path
        style = {"color": PATH, "linewidth": 2} if is_on_path else {"color": OTHER, "linewidth": 1}
        panel.plot([x, above_x], [y, above_y], zorder=1 + is_on_path, **style)
    for node in range(1, 2 * count):
        x, y = _place(node, levels)
        extent = (x - _HALF, x + _HALF, y - 0.3, y + 0.3)
        is_inner = node < count
        cells = _cells(values[node], marked if is_inner else None, highest)
        panel.imshow(cells, extent=extent, zorder=4, interpolation="nearest", aspect="auto")
        left, right, bottom, top = extent
        is_leaf_of_path = node == on_path[-1]
        panel.plot(
            [left, right, right, left, left],
            [bottom, bottom, top, top, bottom],
            color=PATH if is_leaf_of_path else "black",
            linewidth=2 if is_leaf_of_path else 0.6,
            zorder=5,
        )
    panel.set_xlim(-0.7, count - 0.3)
    panel.set_ylim(-1.25, levels + 0.5)
    panel.set_axis_off()


def _place(node, levels):
    """Where a node stands: leaves at 0, 1, …, each other node above the middle of its leaves."""
    depth = node.bit_length() - 1
    span = 2 ** (levels - depth)
    return (node - 2**depth) * span + (span - 1) / 2, levels - depth


def _cells(value, marked, highest):
    """A node's values as a picture of two lines, of the colours red, green and blue."""
    columns = -(-len(value) // 2)
    shades = np.full((2 * columns, 3), 1.0)
    share = np.abs(value) / highest
    shades[: len(value)] = 1.0 - np.sqrt(share)[:, None]  # The root shows small values too.
    if marked is not None:
        pink = math.sqrt(share[marked])
        shades[marked] = 1.0 - pink * (1.0 - np.array([1.0, 0.08, 0.58]))
    return shades.reshape(2, columns, 3)


def _below(panel, read, attended, count):
    """The inputs, and when each leaf was attended."""
    for leaf in range(count):
        if leaf < len(read):
            panel.text(leaf, -0.62, read[leaf], ha="center", va="center", fontsize="x-small")
        order = [str(access + 1) for access, place in enumerate(attended) if place == leaf]
        text = panel.text(
            leaf, -1.02, " ".join(order), ha="center", va="center", fontsize="x-small"
        )
        text.set_color(PATH)


def _check(nodes, turns, read, written, marked):
    fits = nodes.ndim == 3 and turns.ndim == 2 and nodes.shape[0] == len(turns) + 1
    fits = fits and nodes.shape[1] == 2 ** (turns.shape[1] + 1) and len(turns) > 0
    if not fits:
        raise ValueError(
            "Arguments `nodes` and `turns` must have the shapes (accesses + 1, 2n, d) and "
            f"(accesses, log2 n). Received: shapes {nodes.shape} and {turns.shape}"
        )
    if not np.iterable(read) or len(read) > nodes.shape[1] // 2:
        arguments.refuse("read", read, f"at most {nodes.shape[1] // 2} texts, one for each leaf")
    if written is not None and (not np.iterable(written) or len(written) != len(turns)):
        arguments.refuse("written", written, f"a text for each of {len(turns)} accesses")
    arguments.integer("marked", marked, 0, nodes.shape[2] - 1, none=True)


def _numbers(name, values):
    return arguments.interpreted(
        name, values, lambda x: np.asarray(x, dtype="float64"), "an array of numbers"
    )
