"""Pictures of ponder, as the papers draw them. The one file that knows matplotlib.

Every function writes a file and leaves matplotlib's global state alone.
"""

from pathlib import Path

FORMATS = (".png", ".svg", ".pdf")


def ponder_against_difficulty(path, curves, label="difficulty", title=None):
    """Draw error rate and ponder against difficulty, side by side.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        curves: a dict from the name of a model to its rows, a list of dicts with `difficulty`,
            `sequence_error` and `ponder` (Figure 6 of the paper has one curve a network).
        label: what difficulty is, for the axis.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no curves, or another kind of file.

    Source: Graves (2016), Figures 6, 10, 14 and 19.
    """
    if not curves or not all(curves.values()):
        raise ValueError(f"curves must name at least one model with rows. Received: {curves}")
    figure = _figure(path, width=9, height=3.4)
    panels = figure.subplots(1, 2)
    for name, rows in curves.items():
        difficulty = [row["difficulty"] for row in rows]
        for panel, key in zip(panels, ("sequence_error", "ponder"), strict=True):
            marker = "o" if len(rows) <= 20 else None
            values = [row[key] for row in rows]
            panel.plot(difficulty, values, label=name, marker=marker, markersize=4)
    for panel, name in zip(panels, ("sequence error rate", "ponder ρ = N + R"), strict=True):
        panel.set_xlabel(label)
        panel.set_ylabel(name)
        panel.grid(alpha=0.3)
    panels[0].set_ylim(bottom=0)
    panels[1].set_ylim(bottom=0)
    if len(curves) > 1:
        panels[0].legend()
    return _write(figure, path, title)


def ponder_along_sequence(path, sequences, title=None):
    """Draw the ponder at each input of some sequences, one above the other.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        sequences: a list of dicts with `inputs` and `answers`, a text for each input, and
            `ponder`, a number for each input. Optional: `floor`, numbers to draw in grey.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no sequences, or another kind of file.

    Source: Graves (2016), Figures 15 and 20.
    """
    if not sequences:
        raise ValueError("sequences must have at least one element. Received: none")
    width = max(4.5, 1.1 * max(len(sequence["inputs"]) for sequence in sequences))
    figure = _figure(path, width=min(width, 14), height=2.2 * len(sequences))
    panels = figure.subplots(len(sequences), 1, squeeze=False)[:, 0]
    highest = max(max(sequence["ponder"]) for sequence in sequences)
    for panel, sequence in zip(panels, sequences, strict=True):
        places = range(len(sequence["inputs"]))
        panel.bar(places, sequence["ponder"], color="black", width=0.5)
        if "floor" in sequence:
            panel.step(places, sequence["floor"], where="mid", color="grey")
        panel.set_xticks(places, sequence["inputs"])
        panel.set_ylim(0, 1.1 * highest)
        panel.set_ylabel("ponder ρ")
        above = panel.secondary_xaxis("top")
        above.set_xticks(places, sequence["answers"])
    return _write(figure, path, title)


def _figure(path, width, height):
    if Path(path).suffix not in FORMATS:
        raise ValueError(f"path must end in one of {', '.join(FORMATS)}. Received: {str(path)!r}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _write(figure, path, title):
    if title:
        figure.suptitle(title)
    figure.savefig(path, dpi=110)
    return Path(path)
