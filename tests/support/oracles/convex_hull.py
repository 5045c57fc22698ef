"""Convex hulls by gift wrapping, in exact arithmetic."""

from fractions import Fraction


def answer(inputs):
    points = [[Fraction(x) for x in point] for point in inputs]

    def turn(a, b, c):
        (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    start = min(range(len(points)), key=lambda i: points[i])
    corners = [start]
    while True:
        best = None
        for i in range(len(points)):
            if i != corners[-1] and (best is None or turn(corners[-1], best, i) < 0):
                best = i
        if best == start:
            break
        corners.append(best)
    first = corners.index(min(corners))
    corners = corners[first:] + corners[:first]
    found = [i + 1 for i in [*corners, corners[0]]]
    return found + [0] * (len(points) + 1 - len(found))
