"""Shortest tours by integer programming, for more points than dynamic programming can take."""

import numpy as np


def shortest_tours(points: np.ndarray) -> np.ndarray:
    """The shortest tours from the first point through all others, and back.

    A program chooses the connections between points, two at each point, with the least total
    length. Where its answer falls into several tours, it is solved again with the condition that
    the points of each have fewer connections among them than there are points, until there is one
    tour. It is the shortest, not an estimate. The programs are solved by HiGHS, in SciPy.

    Args:
        points: float64 (batch, n, features), n >= 3.

    Returns:
        Indices from 0, int64 (batch, n + 1), in the direction in which the second index is less
        than the last but one.

    Source: Dantzig, Fulkerson & Johnson (1954), "Solution of a Large-Scale Traveling-Salesman
    Problem".

    >>> shortest_tours(np.array([[[0, 0], [1, 1], [1, 0], [0, 1.0]]])).tolist()
    [[0, 2, 1, 3, 0]]
    """
    tours = np.zeros((len(points), points.shape[1] + 1), np.int64)
    for row, places in enumerate(points):
        tours[row] = _solve(places)
    return tours


def _solve(points):
    # Imported here, because it takes a quarter of a second, and few need it.
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import coo_array, csr_array, vstack
    from scipy.sparse.csgraph import connected_components

    count = len(points)
    starts, ends = np.triu_indices(count, 1)
    distances = np.linalg.norm(points[starts] - points[ends], axis=1)
    pairs = len(distances)
    at_points = np.concatenate([starts, ends]), np.tile(np.arange(pairs), 2)
    rows = [csr_array((np.ones(2 * pairs), at_points), shape=(count, pairs))]
    least, most = [np.full(count, 2.0)], [np.full(count, 2.0)]
    while True:
        conditions = LinearConstraint(vstack(rows), np.concatenate(least), np.concatenate(most))
        found = milp(
            distances,
            integrality=np.ones(pairs),
            bounds=(0, 1),
            constraints=conditions,
            options={"mip_rel_gap": 0},
        )
        if not found.success:
            raise RuntimeError(f"no shortest tour was found: {found.message}")
        chosen = found.x > 0.5
        links = starts[chosen], ends[chosen]
        graph = coo_array((np.ones(count), links), shape=(count, count))
        tours, number = connected_components(graph, directed=False)
        if tours == 1:
            return _in_order(count, *links)
        for tour in range(tours):
            inside = (number[starts] == tour) & (number[ends] == tour)
            rows.append(csr_array(inside[None].astype(float)))
            least.append(np.array([-np.inf]))
            most.append(np.array([(number == tour).sum() - 1.0]))


def _in_order(count, starts, ends):
    """The indices of a tour in their order, from its connections."""
    neighbours = [[] for _ in range(count)]
    for one, other in zip(starts.tolist(), ends.tolist()):
        neighbours[one].append(other)
        neighbours[other].append(one)
    order = [0, min(neighbours[0])]
    while len(order) < count:
        before, here = order[-2:]
        one, other = neighbours[here]
        order.append(other if one == before else one)
    return [*order, 0]
