"""Sort: answers recomputed in plain Python, human forms, parameters, distribution."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles.act_sort import order, read

task = datasets.task("act_sort")
singles = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def parameters(draw):
    max_numbers = draw(st.integers(1, 18))
    numbers = draw(st.integers(1, max_numbers))
    return {
        "max_numbers": max_numbers,
        "numbers": numbers,
        "min_numbers": draw(st.integers(1, numbers)),
        "min_separation": draw(st.sampled_from([0.0, 0.5, 1.0])) * task.largest_separation(numbers),
        "hard_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "same_length": draw(st.booleans()),
    }


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    batch = task.sample(np.random.default_rng(seed), 10, **parameters)
    assert task.sizes(**parameters)["classes"] == parameters["max_numbers"]
    for sequence, targets, weights, difficulty in zip(
        *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
    ):
        numbers, rest = read(sequence)
        n = len(numbers)
        assert parameters["min_numbers"] <= n <= parameters["numbers"]
        padding = len(sequence) - 2 * n
        assert rest == [[0.0, 0.0]] * n + [[-1.0, -1.0]] * padding
        assert [flag for _, flag in sequence[:n]] == [0.0] * (n - 1) + [1.0]
        assert targets == [0] * n + order(numbers) + [0] * padding
        assert weights == [0.0] * n + [1.0] * n + [0.0] * padding
        assert difficulty == [n] * (2 * n) + [0] * padding
        ascending = sorted(numbers)
        gaps = [b - a for a, b in itertools.pairwise(ascending)]
        assert all(gap >= parameters["min_separation"] - 1e-6 for gap in gaps)


def test_distribution():
    batch = task.sample(np.random.default_rng(4), 20_000)
    lengths = batch["difficulty"][:, 0]
    shares = np.bincount(lengths, minlength=16)[2:] / 20_000
    np.testing.assert_allclose(shares, 1 / 14, atol=5 * np.sqrt(1 / 14 / 20_000))
    numbers = batch["inputs"][..., 0][np.arange(30) < lengths[:, None]]
    np.testing.assert_allclose(numbers.mean(), 0, atol=5 / np.sqrt(len(numbers)))
    np.testing.assert_allclose(numbers.std(), 1, atol=5 / np.sqrt(2 * len(numbers)))
    # of a normal distribution, 68.3 % lie within one standard deviation and 95.4 % within two
    np.testing.assert_allclose((abs(numbers) < 1).mean(), 0.6827, atol=0.006)
    np.testing.assert_allclose((abs(numbers) < 2).mean(), 0.9545, atol=0.003)


def test_hard_share():
    batch = task.sample(np.random.default_rng(0), 8000, hard_share=0.5)
    share = (batch["difficulty"][:, 0] == 15).mean()
    np.testing.assert_allclose(share, 0.5 + 0.5 / 14, atol=0.03)


@pytest.mark.parametrize("numbers", [2, 15, 16, 100])
def test_the_largest_separation_is_reached(numbers):
    least = task.largest_separation(numbers)
    batch = task.sample(
        np.random.default_rng(0),
        5,
        min_numbers=numbers,
        numbers=numbers,
        max_numbers=numbers,
        min_separation=least,
    )
    gaps = np.diff(np.sort(batch["inputs"][:, :numbers, 0], axis=1), axis=1)
    assert gaps.min() >= least - 1e-6


@given(st.lists(singles, min_size=2, max_size=15))
def test_human_form_there_and_back(numbers):
    sequence = task.encode(" ".join(map(repr, numbers)))
    assert sequence.shape == (1, 2 * len(numbers), 2)
    forms = task.describe(sequence[0])
    assert forms[len(numbers) :] == [""] * len(numbers)
    np.testing.assert_array_equal(task.encode(" ".join(forms)), sequence)
    assert task.answers(sequence)[0, len(numbers) :].tolist() == order(numbers)


def test_commas_and_blanks():
    np.testing.assert_array_equal(task.encode("0.3,-1.2 , 8"), task.encode("0.3 -1.2 8"))
    assert task.describe(task.encode("0.3, 1234.5 2")[0])[:3] == ["0.3", "1234.5", "2"]


def test_equal_numbers_keep_their_order():
    sequence = task.encode("1 0 1 0")
    assert task.answers(sequence)[0, 4:].tolist() == [1, 3, 0, 2]


def test_describe_passes_over_padding():
    batch = task.sample(np.random.default_rng(0), 1, numbers=2)
    assert task.describe(batch["inputs"][0])[2:] == [""] * 28


@pytest.mark.parametrize(
    "text", ["", "1", "a b", "1 nan", "1 inf", "1 1e39", "1;2", "1_0 2", " ".join(["1"] * 16)]
)
def test_no_sequence(text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value)
    assert "for instance '0.3 -1.2 0.8'" in str(error.value)


def test_decode():
    assert task.decode(np.eye(15)[[14, 0, 3]]) == ["14", "0", "3"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"numbers": 16}, "numbers=16"),
        ({"min_numbers": 0}, "min_numbers=0"),
        ({"min_numbers": 6, "numbers": 5}, "min_numbers=6"),
        ({"min_separation": -0.1}, "-0.1"),
        ({"min_separation": 0.07}, "0.07"),
        ({"hard_share": -0.5}, "-0.5"),
    ],
)
def test_parameters_out_of_range(wrong, named):
    with pytest.raises(ValueError, match=r"must (hold|lie)") as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert named in str(error.value)
    assert next(iter(wrong)) in str(error.value)


def test_answers_worked_out_by_hand():
    assert task.answers(task.encode("3 1 2")).tolist() == [[0, 0, 0, 1, 2, 0]]


@pytest.mark.parametrize(
    ("text", "order", "notes"),
    [
        ("1 2", "0 1", ""),
        ("1 2", "0 0", "not an order"),
        ("1 1 1 1", "4 1 0 3", "not an order of the numbers; the training saw no equal numbers"),
        ("2 1 1", "1 2 0", "the training saw no equal numbers"),
        ("1 1.0005", "0 1", "the training seldom saw numbers closer than 0.001"),
        ("1 3.5", "0 1", "the training saw numbers around 0, seldom beyond -3 and 3"),
    ],
)
def test_note_says_what_is_wrong_or_unlike_the_training(text, order, notes):
    inputs = task.encode(text)[0]
    found = task.note(inputs, [*[""] * (len(inputs) // 2), *order.split()])
    assert (found or "").startswith(notes) and bool(found) == bool(notes)
    assert ("around 0" in (found or "")) == ("3.5" in text)
