"""Shortest tours by dynamic programming over sets of points, for many examples at once."""

import numpy as np

# Examples that are solved at once: the costs of all sets of 12 points then take 46 MB.
PORTION = 256


def shortest_tours(points: np.ndarray) -> np.ndarray:
    """The shortest tours from the first point through all others, and back.

    The cost of a set S of points with a last one j is that of the shortest way from the first
    point through S that ends at j: C(S, j) = min over k in S - {j} of C(S - {j}, k) + d(k, j). The
    tour is read backwards from the set of all points.

    Args:
        points: float64 (batch, n, features), n >= 1.

    Returns:
        Indices from 0, int64 (batch, n + 1), in the direction in which the second index is less
        than the last but one.

    Source: Held & Karp (1962), "A Dynamic Programming Approach to Sequencing Problems".

    >>> shortest_tours(np.array([[[0, 0], [1, 1], [1, 0], [0, 1.0]]])).tolist()
    [[0, 2, 1, 3, 0]]
    """
    portions = np.split(points, range(PORTION, len(points), PORTION))
    return np.concatenate([_solve(portion) for portion in portions])


def _solve(points):
    batch, n, _ = points.shape
    # Examples last: every operation then is one on long rows.
    distance = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1).transpose(1, 2, 0)
    others = n - 1
    cost = np.full((1 << others, others, batch), np.inf)
    before = np.zeros((1 << others, others, batch), np.int8)
    for j in range(others):
        cost[1 << j, j] = distance[0, j + 1]
    sets = np.arange(1 << others)
    sizes = sum((sets >> j) & 1 for j in range(others)) if others else np.zeros(1, int)
    for size in range(2, others + 1):
        for j in range(others):
            with_j = sets[(sizes == size) & ((sets >> j) & 1 == 1)]
            ways = cost[with_j ^ (1 << j)] + distance[1:, j + 1]
            before[with_j, j] = ways.argmin(axis=1)
            cost[with_j, j] = ways.min(axis=1)
    return _read_backwards(cost, before, distance)


def _read_backwards(cost, before, distance):
    others, batch = cost.shape[1:]
    tours = np.zeros((batch, others + 2), np.int64)
    if not others:
        return tours
    rows = np.arange(batch)
    left = np.full(batch, (1 << others) - 1)
    last = (cost[-1] + distance[1:, 0]).argmin(axis=0)
    for place in range(others, 0, -1):
        tours[:, place] = last + 1
        left, last = left ^ (1 << last), before[left, last, rows].astype(np.int64)
    turned = tours[:, 1] > tours[:, -2]
    tours[turned] = tours[turned, ::-1]
    return tours
