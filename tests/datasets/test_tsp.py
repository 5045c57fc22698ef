"""The travelling salesman: exact tours, the authors' format, lengths, and bad input."""

import itertools

import numpy as np
import pytest

from keras_adaptive.datasets.tsp import tsp as task

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


@pytest.mark.parametrize("n", [3, 4, 7])
def test_no_other_tour_is_shorter(n):
    batch = task.sample(np.random.default_rng(n), 20, length=n, min_length=n)
    for points, answer in zip(batch["inputs"], batch["targets"]):
        tours = [(1, *rest, 1) for rest in itertools.permutations(range(2, n + 1))]
        least = min(task.length(points, tour) for tour in tours)
        assert task.is_tour(points, answer.tolist())
        np.testing.assert_allclose(task.length(points, answer), least, rtol=1e-9)
        assert answer[1] < answer[n - 1]


def test_twelve_points_on_a_circle():
    rng = np.random.default_rng(0)
    order = rng.permutation(12)
    angle = 2 * np.pi * order / 12
    points = 0.5 + 0.4 * np.stack([np.cos(angle), np.sin(angle)], 1)
    (answer,) = task.answers(points[None])
    steps = np.diff(order[answer - 1]) % 12
    assert set(steps) in ({1}, {11})


def test_what_is_written_reads_back():
    batch = task.sample(np.random.default_rng(0), 20, length=7)
    again = task.read(task.write(batch["inputs"], batch["targets"]))
    for name, values in batch.items():
        np.testing.assert_array_equal(again[name], values)


TOURS = {
    "around": ([1, 2, 3, 4, 1], True),
    "crossed": ([1, 3, 2, 4, 1], True),
    "from another": ([2, 3, 4, 1, 2], False),
    "not closed": ([1, 2, 3, 4], False),
    "one left out": ([1, 2, 3, 1], False),
    "one twice": ([1, 2, 2, 4, 1], False),
    "no such point": ([1, 2, 3, 5, 1], False),
    "empty": ([], False),
}


@pytest.mark.parametrize("answer, expected", TOURS.values(), ids=TOURS)
def test_tours(answer, expected):
    assert task.is_tour(SQUARE, answer) == expected


def test_length():
    assert task.length(SQUARE, [1, 2, 3, 4, 1]) == 4
    np.testing.assert_allclose(task.length(SQUARE, [1, 3, 2, 4, 1]), 2 + 2 * np.sqrt(2))


def test_bad_input():
    with pytest.raises(ValueError, match=r"at least 3 points\. Received: 2"):
        task.encode("0,0 1,0")
    with pytest.raises(ValueError, match="must differ"):
        task.encode("0,0 1,0 0,0")
    with pytest.raises(ValueError, match="`length` must lie between 1 and 12"):
        task.sample(np.random.default_rng(0), 1, length=13)
    with pytest.raises(ValueError, match="points"):
        task.answers(np.random.default_rng(0).random((1, 13, 2)))
