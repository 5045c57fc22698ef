"""How good an answer about points is, apart from whether it is exactly that of the data set."""

from typing import ClassVar

import numpy as np

from .... import datasets
from ....datasets.points import lengths_of
from ....statistics import Ratio

SHARES = ("area_covered", "invalid", "valid")


class Hulls:
    """Polygons: the share of the hull's area that they cover, and whether they are polygons."""

    # What is measured of each answer.
    names: ClassVar = ("area_covered", "invalid")

    def measure(self, batch, indices):
        """What is measured of the answers to a batch, a dict of arrays (batch,).

        An answer whose sides cross is `invalid`, and covers nothing.
        """
        task = datasets.task("convex_hull")
        covered, invalid = np.ones(len(indices)), np.zeros(len(indices))
        for row, (points, answer, target) in enumerate(real_rows(batch, indices)):
            if answer == target:
                continue
            if task.is_polygon(points, answer):
                covered[row] = abs(task.area(points, answer)) / task.area(points, target)
            else:
                covered[row], invalid[row] = 0.0, 1.0
        return {"area_covered": covered, "invalid": invalid}

    def describe(self, metrics):
        """The numbers of an evaluation in words."""
        return f"area covered {metrics['area_covered']:.2%}, invalid {metrics['invalid']:.2%}"

    def of_answer(self, points, answer):
        """What is told of one answer, a dict."""
        return {"area": round(abs(datasets.task("convex_hull").area(points, answer)), 4)}


class Tours:
    """Tours: how long they are beside the shortest, and whether they are tours."""

    names: ClassVar = ("length_ratio", "valid")

    def measure(self, batch, indices):
        """What is measured of the answers to a batch, a dict of arrays (batch,).

        The length of what is no tour is that of the line through its points.
        """
        task = datasets.task("tsp")
        ratio, valid = np.ones(len(indices)), np.ones(len(indices))
        for row, (points, answer, target) in enumerate(real_rows(batch, indices)):
            if answer != target:
                ratio[row] = task.length(points, answer) / task.length(points, target)
                valid[row] = task.is_tour(points, answer)
        return {"length_ratio": ratio, "valid": valid}

    def describe(self, metrics):
        """The numbers of an evaluation in words."""
        return f"{metrics['length_ratio']:.4f} × the shortest, valid {metrics['valid']:.2%}"

    def of_answer(self, points, answer):
        """What is told of one answer, a dict."""
        return {"length": round(datasets.task("tsp").length(points, answer), 4)}


OF_DATASET = {"convex_hull": Hulls(), "tsp": Tours()}


def real_rows(batch, indices):
    """Of each example its points (n, 2), the answer and the target, lists without what is 0."""
    lengths = lengths_of(batch["inputs"])
    for points, length, *answers in zip(batch["inputs"], lengths, indices, batch["targets"]):
        yield points[:length], *([int(x) for x in answer if x > 0] for answer in answers)


def ratios(names, results):
    """The means of what was measured, with their spread."""
    found = {}
    for name in names:
        values = np.asarray(results[name], "float64")
        found[name] = Ratio(values, np.ones_like(values), 1.0 if name in SHARES else None)
    return found
