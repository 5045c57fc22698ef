"""Which coordinates of a memory's inner nodes carry information about the leaves below."""

from typing import Any, NamedTuple

import numpy as np


class Sides(NamedTuple):
    """How well coordinates predict the side of the smallest unattended value.

    Attributes:
        accuracy: `(n, d)`, of the coordinate k of the inner node e at `[e, k]`, on examples that
            the threshold was not chosen on; NaN where there are none, and for node 0.
        threshold: `(n, d)`, above which the prediction is "right"; below it where `flipped`.
        flipped: boolean `(n, d)`.
        chance: `(n,)`, accuracy of always predicting the more frequent side.
        cases: integers `(n,)`, the number of cases in these accuracies.
        coordinate: the best predictor over all nodes, on the examples that the
            thresholds were chosen on.
    """

    accuracy: np.ndarray
    threshold: np.ndarray
    flipped: np.ndarray
    chance: np.ndarray
    cases: np.ndarray
    coordinate: int

    def summary(self) -> list[dict[str, Any]]:
        """Accuracy of the best coordinate and chance, over all cases and at each height.

        Returns:
            A list of dicts `node` (`"all"`, or the first and the last of a level), `accuracy`,
            `chance`, `cases`.
        """
        count = len(self.cases)
        spans = [("all", 1, count)]
        first = 1
        while first < count:
            name = str(first) if first == 1 else f"{first} to {2 * first - 1}"
            spans.append((name, first, 2 * first))
            first *= 2
        return [
            {
                "node": name,
                "accuracy": _mean(self.accuracy[start:stop, self.coordinate], self.cases, start),
                "chance": _mean(self.chance[start:stop], self.cases, start),
                "cases": int(np.sum(self.cases[start:stop])),
            }
            for name, start, stop in spans
        ]


def sides(nodes: Any, leaves: Any, values: Any, lengths: Any = None) -> Sides:
    """Measures how well single coordinates predict on which side the smallest value is.

    A case is an inner node before an access, with a value below it that no access attended yet.
    Thresholds are chosen on the first half of the examples, and accuracies measured on the other.
    Of equal values the leftmost counts as the smallest, as in a stable sort.

    Args:
        nodes: `(examples, accesses + 1, 2n, d)`, as in `HAM` with `return_nodes`.
        leaves: integers `(examples, accesses)`, the `leaf` that each access attended, as in `HAM`
            with `return_path`.
        values: numbers `(examples, m)`, the keys of the inputs, m at most n.
        lengths: integers `(examples,)`, how many values each example has; m by default.

    Returns:
        A `Sides`.

    Raises:
        ValueError: arguments that do not match, or fewer than two examples.

    Example: the first coordinate of the root predicts the side, the second does not.

    >>> from keras_adaptive.ham.probe import sides
    >>> values = np.array([[1, 2], [2, 1]] * 50)
    >>> nodes = np.zeros((100, 2, 4, 2))
    >>> nodes[:, 0, 1, 0] = values[:, 1] < values[:, 0]
    >>> result = sides(nodes, np.argmin(values, axis=1)[:, None], values)
    >>> result.coordinate, result.accuracy[1].tolist()
    (0, [1.0, 0.5])

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, Figure 6 and section 4.4, where the
    meaning of one coordinate of a network for sorting was deciphered.
    """
    nodes, leaves, values = np.asarray(nodes), np.asarray(leaves), np.asarray(values, "float64")
    examples = len(values)
    lengths = np.full(examples, values.shape[-1]) if lengths is None else np.asarray(lengths)
    _check(nodes, leaves, values, lengths)
    count, units = nodes.shape[2] // 2, nodes.shape[3]
    is_first_half = np.arange(examples) < examples // 2
    right, known = _sides_of_smallest(leaves, values, lengths, count)
    accuracy = np.full((count, units), np.nan)
    threshold, flipped = np.full((count, units), np.nan), np.zeros((count, units), bool)
    chance, cases, score = np.full(count, np.nan), np.zeros(count, int), np.zeros(units)
    for node in range(1, count):
        turns_right, here, x = right[..., node], known[..., node], nodes[:, :-1, node]
        chosen, kept = here & is_first_half[:, None], here & ~is_first_half[:, None]
        if not chosen.any() or not kept.any():
            continue
        threshold[node], flipped[node], hits = _best_thresholds(x[chosen], turns_right[chosen])
        score += hits
        says_right = (x[kept] > threshold[node]) ^ flipped[node]
        accuracy[node] = np.mean(says_right == turns_right[kept][:, None], axis=0)
        cases[node] = np.sum(kept)
        # The side that is more frequent among the cases that the thresholds were chosen on.
        chance[node] = np.mean(turns_right[kept] == (np.mean(turns_right[chosen]) > 0.5))
    return Sides(accuracy, threshold, flipped, chance, cases, int(np.argmax(score)))


def _sides_of_smallest(leaves, values, lengths, count):
    """Before each access, for each node: whether the smallest value is on the right, and exists."""
    examples, accesses = leaves.shape
    left_over = np.full((examples, count), np.inf)
    inside = np.arange(values.shape[1]) < lengths[:, None]
    left_over[:, : values.shape[1]] = np.where(inside, values, np.inf)
    right = np.zeros((examples, accesses, count), bool)
    known = np.zeros((examples, accesses, count), bool)
    for access in range(accesses):
        smallest = np.concatenate([np.empty((examples, count)), left_over], axis=1)
        for node in range(count - 1, 0, -1):
            on_left, on_right = smallest[:, 2 * node], smallest[:, 2 * node + 1]
            right[:, access, node] = on_right < on_left
            smallest[:, node] = np.minimum(on_left, on_right)
            known[:, access, node] = np.isfinite(smallest[:, node])
        left_over[np.arange(examples), leaves[:, access]] = np.inf
    return right, known


def _best_thresholds(x, right):
    """For each column the most accurate threshold and direction, and the accuracy."""
    order = np.argsort(x, axis=0, kind="stable")
    ordered = np.take_along_axis(x, order, axis=0)
    is_right = right[order].astype(int)
    # Correct are the left cases before the threshold, and the right cases after it.
    nothing = np.zeros((1, x.shape[1]), int)
    lefts = np.concatenate([nothing, np.cumsum(1 - is_right, axis=0)])
    rights = np.concatenate([nothing, np.cumsum(is_right, axis=0)])
    hits = lefts + rights[-1] - rights
    possible = np.ones(hits.shape, bool)
    possible[1:-1] = ordered[1:] > ordered[:-1]
    upward = np.where(possible, hits, -1)
    downward = np.where(possible, len(x) - hits, -1)
    flipped = np.max(downward, axis=0) > np.max(upward, axis=0)
    place = np.where(flipped, np.argmax(downward, axis=0), np.argmax(upward, axis=0))
    ends = np.full((1, x.shape[1]), np.inf)
    below = np.take_along_axis(np.concatenate([-ends, ordered]), place[None], axis=0)[0]
    above = np.take_along_axis(np.concatenate([ordered, ends]), place[None], axis=0)[0]
    middle = np.where(np.isfinite(below) & np.isfinite(above), 0.5 * (below + above), below)
    return middle, flipped, np.maximum(np.max(upward, axis=0), np.max(downward, axis=0))


def _mean(values, cases, start):
    weights = cases[start : start + len(values)]
    there = weights > 0
    return float(np.average(values[there], weights=weights[there])) if there.any() else None


def _check(nodes, leaves, values, lengths):
    fits = nodes.ndim == 4 and leaves.ndim == 2 and values.ndim == 2
    fits = fits and len(nodes) == len(leaves) == len(values) == len(lengths)
    fits = fits and nodes.shape[1] == leaves.shape[1] + 1
    if not fits or len(values) < 2 or values.shape[1] > nodes.shape[2] // 2:
        raise ValueError(
            "nodes must have the shape (examples, accesses + 1, 2n, d) with at least 2 examples, "
            "leaves (examples, accesses), values (examples, m) with m at most n, and lengths "
            f"(examples,). Received: shapes {nodes.shape}, {leaves.shape}, {values.shape} and "
            f"{lengths.shape}"
        )
