"""Pictures are written, and matplotlib's global state is left alone."""

import itertools
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from keras_adaptive import plots
from keras_adaptive.plots import cost, figure, points, ponder

ROWS = [
    {"difficulty": n, "sequence_error": n / 100, "ponder": 2 + n / 10, "ponder_steps": 2}
    for n in range(1, 6)
]
SEQUENCE = {"inputs": ["12", "345"], "answers": ["", "357"], "ponder": [2.1, 3.4]}


@pytest.mark.parametrize("suffix", plots.FORMATS)
def test_ponder_against_difficulty(suffix, tmp_path):
    path = tmp_path / f"picture{suffix}"
    curves = {"with ACT": ROWS, "without": ROWS}
    assert plots.ponder_against_difficulty(path, curves, "bits", "Parity") == path
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("error", ["sequence_error", "bits_per_character"])
def test_error_against_limit(error, tmp_path):
    rows = [{"max_ponder": n, error: 1 / n, "examples": 100} for n in (1, 2, 3, 5, 8)]
    path = plots.error_against_limit(tmp_path / "limit.png", {"a": rows, "b": rows[:2]}, "Title")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_accuracy_against_cost(tmp_path, monkeypatch):
    """A line joins the means of the seeds of a kind, from the cheapest setting to the dearest."""
    panels = []
    monkeypatch.setattr(cost, "write_figure", lambda made, path, title: panels.extend(made.axes))
    rows = [("plain", None, 1.0), ("SACT", 0.01, 0.6), ("SACT", 0.02, 0.3), ("SACT", 0.02, 0.5)]
    networks = [
        {"kind": kind, "setting": tau, "accuracy": 0.9, "flops_share": x, "time_share": x + 0.2}
        for kind, tau, x in rows
    ]
    plots.accuracy_against_cost(tmp_path / "cost.png", networks)
    drawn = [np.concatenate([line.get_xdata() for line in panel.lines]) for panel in panels]
    np.testing.assert_allclose(drawn[0], [100, 100, 40, 60, 60, 30, 50])
    np.testing.assert_allclose(drawn[1], [120, 120, 60, 80, 80, 50, 70])


def test_ponder_along_sequence(tmp_path):
    path = tmp_path / "picture.svg"
    plots.ponder_along_sequence(path, [SEQUENCE, {**SEQUENCE, "floor": [2, 3]}])
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("suffix", plots.FORMATS)
def test_learning_curve(suffix, tmp_path):
    path = tmp_path / f"picture{suffix}"
    history = [{"step": 2, "loss": 0.5}, {"step": 4, "loss": 0.1, "validation_error": 0.2}]
    assert plots.learning_curve(path, history, {"validation_error": "validation"}) == path
    assert path.stat().st_size > 1000
    with pytest.raises(ValueError, match="history"):
        plots.learning_curve(path, [], {})


def thoughts(length, width=2, maps=3):
    images = np.random.default_rng(0).uniform(-1, 1, (length + 1, length, width, maps))
    return images, ["1"] * length, [["0"] * length] * (length + 1)


# With many positions their symbols are left out.
@pytest.mark.parametrize("length", [1, 5, 60])
def test_mental_image(length, tmp_path):
    images, read, written = thoughts(length)
    path = plots.mental_image_stills(tmp_path / "sheet.png", images, read, written, "Sums")
    assert path.read_bytes().startswith(b"\x89PNG")
    if length < 10:
        path = plots.mental_image_animation(tmp_path / "image.gif", images, read, written)
        from PIL import Image

        with Image.open(path) as animation:
            # The last image is shown longer: as one frame, or as three.
            assert length + 1 <= animation.n_frames <= length + 3


# With many positions their symbols are left out.
@pytest.mark.parametrize("positions", [1, 12, 90])
def test_answers_after_steps(positions, tmp_path):
    probabilities = np.linspace(0, 1, 7 * positions).reshape(7, positions)
    path = tmp_path / "answers.png"
    assert plots.answers_after_steps(path, probabilities, "1" * positions, "Sums") == path
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("draw", [plots.mental_image_stills, plots.mental_image_animation])
def test_mental_images_that_do_not_fit(draw, tmp_path):
    images, read, written = thoughts(3)
    path = tmp_path / ("a.gif" if draw is plots.mental_image_animation else "a.png")
    for bad in [(images[0], read, written), (images, "11", written), (images, read, written[1:])]:
        with pytest.raises(ValueError, match=r"`(images|read|written)` must"):
            draw(path, *bad)
    with pytest.raises(ValueError, match="`path` must end in one of"):
        draw(tmp_path / "a.mp4", images, read, written)


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match=r"picture\.gif"):
        plots.ponder_along_sequence(tmp_path / "picture.gif", [SEQUENCE])
    with pytest.raises(ValueError, match="curves"):
        plots.ponder_against_difficulty(tmp_path / "picture.png", {})
    with pytest.raises(ValueError, match="sequences"):
        plots.ponder_along_sequence(tmp_path / "picture.png", [])


def test_dollars_are_no_formulas(tmp_path):
    path = tmp_path / "picture.svg"
    pictures, maps = np.zeros((1, 3, 3, 1)), np.ones((1, 3, 3))
    plots.ponder_over_pictures(path, pictures, maps, labels=["$_$"], title="a $_$")
    with pytest.raises(ValueError, match="`maps` must be finite numbers"):
        plots.ponder_over_pictures(path, pictures, np.nan * maps)


def test_matplotlib_is_imported_when_used_and_pyplot_never():
    # The module of figures imports no Keras, which imports pyplot itself.
    script = (
        "import sys; from keras_adaptive.plots import figure\n"
        "assert not {'keras', 'matplotlib'} & set(sys.modules)\n"
        "figure.new_figure('a.png', 1, 1)\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_labels_of_neighbours_do_not_overlap(tmp_path):
    """Drawn with matplotlib's own renderer, as the labels of ten logic gates once did."""
    gates = "0 if/then then/if OR then/if OR NOR NOR XOR XOR ABJ"
    sequence = {"inputs": [gates] * 8, "answers": ["1"] * 8, "ponder": [3.0] * 8}
    drawn = []
    keep = figure.write_figure
    try:
        ponder.write_figure = lambda figure, *_: drawn.append(figure)
        plots.ponder_along_sequence(tmp_path / "picture.png", [sequence, SEQUENCE])
    finally:
        ponder.write_figure = keep
    renderer = drawn[0].canvas.get_renderer()
    drawn[0].draw(renderer)
    for panel in drawn[0].axes:
        labels = [label.get_window_extent(renderer) for label in panel.get_xticklabels()]
        for left, right in itertools.pairwise(labels):
            assert left.x1 < right.x0


def test_one_error_in_a_thousand_stays_near_the_ground(tmp_path):
    _, [[panel]] = figure.new_figure(tmp_path / "picture.png", 3, 3)
    panel.plot([1, 2], [0.0, 0.001])
    figure.error_axis(panel)
    assert panel.get_ylim() == (0, figure.LEAST_TOP_OF_ERRORS)
    panel.plot([1, 2], [0.0, 0.9])
    figure.error_axis(panel)
    assert 0.9 < panel.get_ylim()[1] <= 1.02


def test_a_link_to_a_picture_and_its_permissions_stay(tmp_path):
    (tmp_path / "old").touch(mode=0o600)
    path = tmp_path / "picture.png"
    path.symlink_to("old")
    assert plots.ponder_against_difficulty(path, {"model": ROWS}) == path
    assert path.is_symlink() and path.read_bytes().startswith(b"\x89PNG")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old", "picture.png"]


def test_a_pipe_is_no_picture(tmp_path):
    path = tmp_path / "picture.png"
    os.mkfifo(path)
    with pytest.raises(OSError, match="neither a file nor a folder"):
        plots.ponder_against_difficulty(path, {"model": ROWS})
    assert path.is_fifo() and len(list(tmp_path.iterdir())) == 1


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "picture.png"
    path.write_bytes(b"before")

    def interrupted(figure, file, **kwargs):
        file.write_bytes(b"half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("matplotlib.figure.Figure.savefig", interrupted)
        plots.ponder_against_difficulty(path, {"model": ROWS})
    assert [file.name for file in tmp_path.iterdir()] == ["picture.png"]
    assert path.read_bytes() == b"before"
    path = tmp_path / "new" / "folder" / "animation.gif"
    images = np.zeros((2, 3, 2, 2))
    assert plots.mental_image_animation(path, images, "101", ["000", "111"]) == path
    assert [file.name for file in path.parent.iterdir()] == ["animation.gif"]


def test_answers_over_points_colour_each_point_by_its_ponder(tmp_path):
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]
    drawn = []
    keep = points.write_figure
    try:
        points.write_figure = lambda figure, *_: drawn.append(figure)
        answers = [[2, 3, 4, 2], [1, 2, 5, 1]]
        ponder = [[1.0, 2.0, 3.0, 9.0], [2.0, 2.0, 2.0, 2.0]]
        plots.answers_over_points(tmp_path / "a.png", [square] * 2, answers, ponder)
    finally:
        points.write_figure = keep
    first = drawn[0].axes[0]
    np.testing.assert_array_equal(first.lines[0].get_xydata(), [[1, 0], [1, 1], [0, 1], [1, 0]])
    # All points, and those of the answer, without its end.
    every, chosen = first.collections
    assert len(every.get_offsets()) == 5
    np.testing.assert_array_equal(chosen.get_array(), [1.0, 2.0, 3.0])
    assert [text.get_text() for text in first.texts] == list("12345")
    assert [text.get_fontweight() for text in first.texts] == ["normal", "bold", *["normal"] * 3]
    # Labels stand away from the nearest point, which is the middle, over what is drawn there.
    offsets = np.array([text.xyann for text in first.texts])
    np.testing.assert_array_equal(np.sign(offsets[:4]), 2 * np.array(square[:4]) - 1)
    np.testing.assert_allclose(np.hypot(*offsets.T), points.DISTANCE)
    assert all(text.get_path_effects() for text in first.texts)
    assert min(text.zorder for text in first.texts) > max(x.zorder for x in first.collections)


def test_small_differences_of_ponder_have_similar_colours(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(points, "write_figure", lambda figure, *_: drawn.append(figure))
    three = [[0, 0], [1, 0], [1, 0]]
    plots.answers_over_points(tmp_path / "a.png", [three], [[1, 2, 3]], [[3.7, 3.9, 3.8]])
    low, high = drawn[0].axes[0].collections[1].get_clim()
    assert (round(low, 6), round(high, 6)) == (3.3, 4.3)
    plots.answers_over_points(tmp_path / "a.png", [three[1:]], [[1, 2]], [[2.0, 5.0]])
    assert drawn[1].axes[0].collections[1].get_clim() == (2.0, 5.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": [], "answers": [], "ponder": []}, r'\["inputs"\]` must be at least one'),
        ({"answers": ["1"]}, r'`sequences\["answers"\]` must be as many as .* "inputs", 2'),
        ({"ponder": [1.0, 2.0, 3.0]}, r'`sequences\["ponder"\]` must be as many'),
        ({"floor": [1.0]}, r'`sequences\["floor"\]` must be as many'),
    ],
)
def test_sequences_without_something_for_each_input(changes, message, tmp_path):
    path = tmp_path / "picture.png"
    with pytest.raises(ValueError, match=message):
        plots.ponder_along_sequence(path, [SEQUENCE, {**SEQUENCE, **changes}])
    assert not path.exists()


def test_labels_that_are_numbers(tmp_path):
    rows = [{"inputs": [12, 0.123], "answers": [1, None], "ponder": np.array([2.0, 3.0])}]
    assert plots.ponder_along_sequence(tmp_path / "picture.png", rows).exists()


@pytest.mark.parametrize("key", ["ponder", "sequence_error", "difficulty"])
def test_no_numbers_against_difficulty(key, tmp_path):
    rows = [ROWS[0], {**ROWS[1], key: float("nan")}]
    with pytest.raises(ValueError, match=rf'`curves\["{key}"\]` must be a finite number.*=nan'):
        plots.ponder_against_difficulty(tmp_path / "picture.png", {"a": rows})


@pytest.mark.parametrize(("losses", "scale"), [([-1.0, 0.0], "linear"), ([0.0, 0.5], "log")])
def test_losses_that_are_not_positive_are_seen(losses, scale, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(ponder, "write_figure", lambda figure, *_: drawn.append(figure))
    history = [{"step": n, "loss": loss, "error": 0.5} for n, loss in enumerate(losses)]
    plots.learning_curve(tmp_path / "picture.png", history, {"error": "error"})
    assert drawn[0].axes[0].get_yscale() == scale
