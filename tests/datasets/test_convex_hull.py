"""Convex hulls: the authors' format, polygons and their area, and bad input."""

import numpy as np
import pytest

from keras_adaptive.datasets.convex_hull import convex_hull as task

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]])


def test_what_is_written_reads_back():
    batch = task.sample(np.random.default_rng(0), 20, length=9)
    again = task.read(task.write(batch["inputs"], batch["targets"]))
    for name, values in batch.items():
        np.testing.assert_array_equal(again[name], values)


def test_all_corners_lie_counter_clockwise_and_no_point_outside():
    batch = task.sample(np.random.default_rng(1), 50, length=50, min_length=50)
    for points, answer in zip(batch["inputs"].astype(float), batch["targets"]):
        answer = answer[answer > 0]
        assert task.is_polygon(points, answer) and answer[0] == answer.min()
        corners = points[answer - 1]
        side, to_point = np.diff(corners, axis=0)[:, None], points[None] - corners[:-1, None]
        turn = side[..., 0] * to_point[..., 1] - side[..., 1] * to_point[..., 0]
        assert turn.min() > -1e-7


POLYGONS = {
    "the square": ([1, 2, 3, 4, 1], True),
    "a triangle": ([2, 3, 5, 2], True),
    "not closed": ([1, 2, 3, 4], False),
    "a point twice": ([1, 2, 2, 4, 1], False),
    "an hourglass": ([1, 3, 2, 4, 1], False),
    "no such point": ([1, 2, 6, 1], False),
    "empty": ([], False),
}


@pytest.mark.parametrize("answer, expected", POLYGONS.values(), ids=POLYGONS)
def test_polygons(answer, expected):
    assert task.is_polygon(SQUARE, answer) == expected


def test_area():
    assert task.area(SQUARE, [1, 2, 3, 4, 1]) == 1
    assert task.area(SQUARE, [4, 3, 2, 1, 4]) == -1
    assert task.area(SQUARE, [1, 2, 5, 1]) == 0.25


BAD = {
    "0,0 1,0": "at least 3 points. Received: 2",
    "0,0 1,0 0,0": "must differ. Received twice: 0,0",
    "0,0 1,0 1,2": "square from 0,0 to 1,1. Received: 1,2",
    "0,0 1,0 nan,0": "'nan' is not a number",
    "0,0 1,0 0.1_5,1": "'0.1_5' is not a number",
    "0,0 1,0 1e9,1": "square from 0,0 to 1,1",
    "0,0 0.5,0.5 1,1": "must not lie on a line",
    "0,0 1,0 1": "two numbers",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_points(text):
    with pytest.raises(ValueError, match=BAD[text]):
        task.encode(text)


LINES = {
    "0.1 0.2 0.3": "`output` is missing",
    "0.1 0.2 0.3 0.4 0.5 output 1": "a coordinate is missing",
    "0 0 1 0 0 1 output 1 2 4 1": "between 1 and 3",
    "0 0 1 0 0 1 output": "between 1 and 3",
    "0 0 1 0 x 1 output 1": "'x' is not a number",
}


@pytest.mark.parametrize("line", LINES)
def test_a_file_of_another_format(line):
    with pytest.raises(ValueError, match=f"{LINES[line]}.* Received, line 2: '{line[:5]}"):
        task.read(["0 0 1 0 0 1 output 1 2 3 1", line])
    with pytest.raises(ValueError, match="no example"):
        task.read([])
