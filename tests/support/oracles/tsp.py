"""Shortest tours by recursion over the points that are left."""

import functools
import math


def answer(inputs):
    points = [tuple(map(float, point)) for point in inputs]

    @functools.cache
    def way(last, left):
        """Length and points of the shortest way from a point through those left to the first."""
        if not left:
            return math.dist(points[last], points[0]), (0,)
        found = []
        for point in left:
            length, rest = way(point, left - {point})
            found.append((math.dist(points[last], points[point]) + length, (point, *rest)))
        return min(found)

    _, rest = way(0, frozenset(range(1, len(points))))
    # Of both directions that whose second point is before its last but one.
    tour = min([(0, *rest), (0, *rest[-2::-1], 0)])
    return [i + 1 for i in tour]
