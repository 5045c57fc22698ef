"""Boundaries at the peaks of a signal."""

import numpy as np

from keras_adaptive import boundaries


def test_peaks():
    values = np.array([[1.0, 3.0, 2.0, np.nan, 5.0, 5.0, 4.0], [0.0] * 7])
    assert np.flatnonzero(boundaries.peaks(values)[0]).tolist() == [1, 4]
    assert np.flatnonzero(boundaries.peaks(values, 4)[0]).tolist() == [4]
    assert np.flatnonzero(boundaries.peaks(values)[1]).tolist() == [0]


def test_precision_and_recall():
    proposed = np.array([1, 1, 0, 0, 1], bool)
    real = np.array([1, 0, 0, 1, 1], bool)
    found = boundaries.score(proposed, real)
    assert found == {"precision": 0.6667, "recall": 0.6667, "f1": 0.6667}
    nothing = np.zeros(5, bool)
    assert boundaries.score(nothing, real) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    values = np.array([[0, 9, 0, 2, 0, 8, 0, 1, 0]], float)
    for real, side in ((values > 5, "after"), (np.roll(values > 5, -1), "before")):
        choice = boundaries.choose(values, real)
        assert choice[1] == side
        assert boundaries.score(boundaries.propose(values, *choice), real)["f1"] == 1.0


def test_peaks_of_whole_numbers():
    steps = np.array([[1, 3, 1, 2, 2]])
    np.testing.assert_array_equal(boundaries.peaks(steps), boundaries.peaks(steps.astype(float)))
