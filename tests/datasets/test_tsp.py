"""The travelling salesman: exact tours, the authors' format, lengths, and bad input."""

import itertools

import numpy as np
import pytest

from keras_adaptive.datasets.tsp import cutting_planes, held_karp
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


@pytest.mark.parametrize("n", [5, 9, 12])
def test_both_solvers_find_the_same_tours(n):
    points = np.random.default_rng(n).random((8, n, 2))
    np.testing.assert_array_equal(
        cutting_planes.shortest_tours(points), held_karp.shortest_tours(points)
    )


def test_thirty_points_on_a_circle_and_two_far_groups():
    """The first solution of the second falls into several tours, which are then forbidden."""
    rng = np.random.default_rng(0)
    order = rng.permutation(30)
    circle = 0.5 + 0.4 * np.stack([f(2 * np.pi * order / 30) for f in (np.cos, np.sin)], 1)
    (answer,) = task.answers(circle[None])
    assert set(np.diff(order[answer - 1]) % 30) in ({1}, {29})
    groups = np.concatenate([0.1 * rng.random((10, 2)), 0.9 + 0.1 * rng.random((10, 2))])
    (answer,) = task.answers(groups[None])
    assert task.is_tour(groups, answer.tolist()) and answer[1] < answer[19]
    assert (np.diff((answer > 10).astype(int)) != 0).sum() == 2  # It changes sides twice.


def test_points_that_are_seen_otherwise_have_the_same_tour():
    batch = task.sample(np.random.default_rng(0), 20, length=9, views=6)
    shortest = task.answers(batch["inputs"])
    np.testing.assert_array_equal(batch["targets"], shortest)
    lengths = [task.length(p, t[t > 0]) for p, t in zip(batch["inputs"], batch["targets"])]
    for start in (0, 6, 12):
        assert np.ptp(lengths[start : start + 6]) < 1e-6
    assert len({row.tobytes() for row in batch["inputs"]}) == 20


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
    with pytest.raises(ValueError, match="`length` must lie between 1 and 100"):
        task.sample(np.random.default_rng(0), 1, length=101)
    with pytest.raises(ValueError, match="points"):
        task.answers(np.random.default_rng(0).random((1, 101, 2)))
    with pytest.raises(ValueError, match="`views` must be an integer of at least 1"):
        task.sample(np.random.default_rng(0), 1, views=0)
