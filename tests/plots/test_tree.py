"""The picture of a memory's accesses, and the probe of what its nodes tell."""

import numpy as np
import pytest

from keras_adaptive.ham.probe import sides
from keras_adaptive.plots import FORMATS, tree


def accesses(levels, number, units=5, seed=0):
    rng = np.random.default_rng(seed)
    nodes = np.maximum(rng.normal(size=(number + 1, 2 ** (levels + 1), units)), 0.0)
    return nodes, rng.integers(0, 2, size=(number, levels))


@pytest.mark.parametrize("suffix", FORMATS)
def test_figure_6(suffix, tmp_path):
    nodes, turns = accesses(levels=3, number=3)
    path = tmp_path / f"picture{suffix}"
    read, written = ["0000", "1110", "1101"], ["", "0000", "1101"]
    assert tree.accesses(path, nodes, turns, read, written, 4, "Sort", most=2) == path
    assert path.stat().st_size > 1000


def test_figure_6_in_words(tmp_path):
    """An SVG holds its texts: which leaf, what came out, and the inputs."""
    nodes, turns = accesses(levels=2, number=2)
    turns[:] = [[1, 0], [0, 1]]
    path = tree.accesses(tmp_path / "picture.svg", nodes, turns, ["aa", "bb"], ["", "aa"])
    text = path.read_text()
    for words in ("access 1: leaf 2", "access 2: leaf 1, then aa", "bb"):
        assert f"<!-- {words} -->" in text, words


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": np.zeros((2, 8, 5))},
        {"nodes": np.zeros((3, 4, 5))},
        {"read": ["0"] * 5},
        {"written": [""]},
        {"marked": 5},
    ],
)
def test_what_does_not_fit(changes, tmp_path):
    nodes, turns = accesses(levels=2, number=2)
    arguments = {"nodes": nodes, "turns": turns, "read": ["0"], **changes}
    [name] = changes
    with pytest.raises(ValueError, match=f"`{name}`"):
        tree.accesses(tmp_path / "picture.png", **arguments)


def slow_side(node, values, attended, count):
    """On which side of a node the smallest unattended value lies; None if there is none."""
    level = node.bit_length()
    below = [
        (value, leaf)
        for leaf, value in enumerate(values)
        if leaf not in attended and (leaf + count) >> ((leaf + count).bit_length() - level) == node
    ]
    if not below:
        return None
    leaf = min(below)[1] + count
    return (leaf >> (leaf.bit_length() - level - 1)) & 1


def test_sides_are_told():
    """Of three coordinates one tells all at some nodes, one the opposite, and one nothing."""
    rng = np.random.default_rng(0)
    examples, count, steps = 60, 4, 3
    values = rng.integers(0, 6, size=(examples, 4))
    lengths = rng.integers(1, 5, size=examples)
    leaves = np.array([rng.permutation(4)[:steps] for _ in range(examples)])
    nodes = np.zeros((examples, steps + 1, 2 * count, 3))
    cases = np.zeros(count, int)
    for example in range(examples):
        for step in range(steps):
            for node in range(1, count):
                row = values[example, : lengths[example]]
                side = slow_side(node, row, leaves[example, :step], count)
                cases[node] += side is not None and example >= examples // 2
                noise = rng.random()
                told = 0.5 * noise if side is None else side + 0.4 * noise
                nodes[example, step, node] = [0.0, 3.0 * told, -told if node == 2 else noise]
    found = sides(nodes, leaves, values, lengths)
    assert found.coordinate == 1
    np.testing.assert_array_equal(found.cases, cases)
    np.testing.assert_array_equal(found.accuracy[1:, 1], 1.0)
    assert found.accuracy[2, 2] == 1.0 and found.flipped[2, 2] and not found.flipped[1:, 1].any()
    assert np.all(found.accuracy[[1, 3], 2] < 0.9) and np.all(np.isnan(found.accuracy[0]))
    np.testing.assert_array_equal(found.accuracy[1:, 0], found.chance[1:])
    summary = found.summary()
    assert [row["node"] for row in summary] == ["all", "1", "2 to 3"]
    assert all(row["accuracy"] == 1.0 and 0.3 < row["chance"] < 1.0 for row in summary)
    assert summary[0]["cases"] == sum(cases)


def test_what_cannot_be_probed():
    with pytest.raises(ValueError, match="nodes must"):
        sides(np.zeros((3, 2, 4, 5)), np.zeros((3, 1), int), np.zeros((3, 5)))
