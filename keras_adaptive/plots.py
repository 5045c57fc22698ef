"""Pictures of ponder and of thoughts, as the papers draw them. The one file that knows matplotlib.

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
    figure = new_figure(path, width=9, height=3.4)
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
    return write_figure(figure, path, title)


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
    figure = new_figure(path, width=min(width, 14), height=2.2 * len(sequences))
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
    return write_figure(figure, path, title)


def learning_curve(path, history, curves, title=None):
    """Draw the loss and some error rates against the steps of a training.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        history: a list of dicts with `step`, `loss`, and error rates in some of them.
        curves: a dict from the key of an error rate to its name.
        title: above the picture.

    Returns:
        The path.

    Raises:
        ValueError: no history, or another kind of file.
    """
    if not history:
        raise ValueError("history must have at least one row. Received: none")
    figure = new_figure(path, width=9, height=3.4)
    loss, errors = figure.subplots(1, 2)
    loss.plot([row["step"] for row in history], [row["loss"] for row in history], color="black")
    loss.set_yscale("log")
    loss.set_ylabel("loss")
    for key, name in curves.items():
        rows = [row for row in history if row.get(key) is not None]
        errors.plot([row["step"] for row in rows], [row[key] for row in rows], label=name)
    errors.set_ylabel("error rate")
    errors.set_ylim(-0.02, 1.02)
    errors.legend(fontsize="small")
    for panel in (loss, errors):
        panel.set_xlabel("step")
        panel.grid(alpha=0.3)
    return write_figure(figure, path, title)


def mental_image_animation(path, images, read, written, title=None, seconds=0.4):
    """Write the mental image of a Neural GPU step by step, as an animation.

    Args:
        path: the file to write, `.gif`.
        images: (steps + 1, n, width, maps), as of `NeuralGPU` with `return_images`.
        read: n characters, the input.
        written: for each image n characters, what would be answered now.
        title: above the picture.
        seconds: that an image is shown; the last one is shown three times as long.

    Returns:
        The path.

    Raises:
        ValueError: arguments that do not fit, or another kind of file.

    Source: the video of Kaiser & Sutskever (2016), arXiv:1511.08228, section 1.
    """
    _check_thoughts(images, read, written)
    length, rows = len(read), images.shape[2] * images.shape[3]
    width, height = min(max(4.0, 0.28 * length + 1), 14), min(max(3.0, 0.07 * rows + 1), 9)
    figure = new_figure(path, width, height, formats=(".gif",))
    from matplotlib.animation import PillowWriter

    panel = figure.subplots()
    show = _thought(panel, images[0], read)
    writer = PillowWriter(fps=1 / seconds)
    with writer.saving(figure, str(path), dpi=80):
        for step, (image, symbols) in enumerate(zip(images, written, strict=True)):
            show(image, symbols)
            text = f"step {step} of {len(images) - 1}"
            panel.set_title(f"{title}: {text}" if title else text, fontsize="medium")
            for _ in range(3 if step == len(images) - 1 else 1):
                writer.grab_frame()
    return Path(path)


def mental_image_stills(path, images, read, written, title=None, most=12):
    """Draw the mental image of a Neural GPU at some steps, on one sheet.

    Args:
        path: the file to write, `.png`, `.svg` or `.pdf`.
        images, read, written: as of `mental_image_animation`.
        title: above the picture.
        most: the number of images at most, spread evenly; the first and the last are among them.

    Returns:
        The path.

    Raises:
        ValueError: arguments that do not fit, or another kind of file.
    """
    _check_thoughts(images, read, written)
    count = min(most, len(images))
    steps = [round(i * (len(images) - 1) / max(count - 1, 1)) for i in range(count)]
    columns = min(4, count)
    lines = -(-count // columns)
    side = min(max(2.6, 0.16 * len(read) + 0.6), 4.5)
    figure = new_figure(path, width=side * columns, height=2.8 * lines)
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for panel, step in zip(panels, steps, strict=False):
        _thought(panel, images[step], read)(images[step], written[step])
        panel.set_title(f"step {step}", fontsize="medium")
    for panel in panels[count:]:
        panel.set_axis_off()
    return write_figure(figure, path, title)


# With more positions their symbols could not be read.
_LEGIBLE = 48


def _thought(panel, image, read):
    """Prepare a panel for mental images (n, width, maps); returns what shows one."""
    places = range(len(read))
    legible = len(read) <= _LEGIBLE
    shown = panel.imshow(
        _upright(image), cmap="RdBu", vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
    )
    panel.set_yticks([])
    panel.set_ylabel("maps")
    panel.set_xticks(places if legible else [], list(read) if legible else [], fontsize="x-small")
    above = panel.secondary_xaxis("top")
    above.set_xticks([])

    def show(image, symbols):
        shown.set_data(_upright(image))
        if legible:
            above.set_xticks(places, list(symbols), fontsize="x-small")

    return show


def _upright(image):
    """A mental image (n, width, maps) as a matrix, positions from left to right."""
    return image.reshape(len(image), -1).T


def _check_thoughts(images, read, written):
    shape = tuple(getattr(images, "shape", ()))
    fits = len(shape) == 4 and shape[1] == len(read) and shape[0] == len(written)
    if not fits or any(len(symbols) != len(read) for symbols in written):
        raise ValueError(
            "images must have the shape (steps + 1, n, width, maps), read n characters, and "
            f"written n for each image. Received: images of shape {shape}, {len(read)} characters "
            f"read, and written for {len(written)} images"
        )


def check_format(path, formats=FORMATS):
    """Refuse a path that no picture can be written to.

    Raises:
        ValueError: it does not end in one of `formats`.
    """
    if Path(path).suffix not in formats:
        raise ValueError(f"path must end in one of {', '.join(formats)}. Received: {str(path)!r}")


def new_figure(path, width, height, formats=FORMATS):
    """An empty figure for a file, in inches, apart from matplotlib's global state."""
    check_format(path, formats)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure, path, title):
    """Write a figure with a title, if there is one, and return its path."""
    if title:
        figure.suptitle(title)
    figure.savefig(path, dpi=110)
    return Path(path)
