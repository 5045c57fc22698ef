"""Hand-set weights: copying, shifting and reversing, exact at any length without training."""

import numpy as np
import pytest

from known_automata import AUTOMATA, automaton
from known_neural_gpu import batch_of, examples

LENGTHS = [1, 2, 3, 8, 41]


def check(name, sequences, **arguments):
    symbols, mask = batch_of(sequences)
    found = automaton(name, **arguments)(symbols)
    for row, sequence in enumerate(sequences):
        np.testing.assert_array_equal(found[row][mask[row]], AUTOMATA[name][1](sequence))
    np.testing.assert_array_equal(found[~mask], -1)


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"nonlinearity": "hard"},
        {"width": 4, "columns": 3},
        {"dtype": "mixed_bfloat16"},
        {"recompute": True},
    ],
    ids=str,
)
def test_short_and_long_in_one_batch(name, arguments):
    check(name, examples(LENGTHS), **arguments)


@pytest.mark.parametrize("name", AUTOMATA)
def test_three_hundred_symbols(name):
    check(name, examples([300, 1, 299]))


def test_plain_sigmoids_lose_what_the_cut_off_keeps():
    """Why gates are cut off: a sigmoid never closes entirely."""
    sequence = examples([300])[0]
    symbols, _ = batch_of([sequence])
    with pytest.raises(AssertionError):
        automaton("shift", gate_cutoff=False, dtype="float64")(symbols)
