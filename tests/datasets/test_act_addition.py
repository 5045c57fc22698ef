"""Addition: answers recomputed in plain Python, human forms, parameters, distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles.act_addition import read, sums

task = datasets.task("act_addition")


def certain(targets, classes=11):
    """Probabilities that leave no doubt about `targets`."""
    return np.eye(classes)[np.asarray(targets)]


@st.composite
def parameters(draw):
    found = {}
    for name, limit in (("digits", 7), ("numbers", 10)):
        found[f"max_{name}"] = draw(st.integers(1, limit))
        found[name] = draw(st.integers(1, found[f"max_{name}"]))
        found[f"min_{name}"] = draw(st.integers(1, found[name]))
    found["hard_share"] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    found["same_length"] = draw(st.booleans())
    found["first_target"] = draw(st.booleans())
    return found


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    batch = task.sample(np.random.default_rng(seed), 10, **parameters)
    sizes = task.sizes(**parameters)
    assert batch["inputs"].shape[2] == sizes["width"]
    assert batch["targets"].shape[2] == sizes["outputs"]
    for sequence, targets, weights, difficulty in zip(
        *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
    ):
        numbers = read(sequence)
        real = len(numbers)
        counts = [len(number) for number in numbers]
        assert parameters["min_numbers"] <= real <= parameters["numbers"]
        assert all(parameters["min_digits"] <= n <= parameters["digits"] for n in counts)
        assert targets[:real] == sums(numbers, sizes["outputs"])
        padding = [0] * (len(sequence) - real)
        assert weights == [float(parameters["first_target"]), *[1.0] * (real - 1), *padding]
        assert difficulty == [*counts, *padding]


def test_the_largest_sum_fits():
    sequence = task.encode("+".join(["99999"] * 10))
    assert task.answers(sequence)[0, -1].tolist() == [9, 9, 9, 9, 9, 0]


def test_sums_that_fit_into_no_integer_are_refused():
    text = "+".join(["9" * 17] * 10)
    found = task.answers(task.encode(text, max_digits=17))[0, -1]
    assert "".join(map(str, found)) == str(10 * int("9" * 17))
    for call in (
        lambda: task.encode("1+2", max_digits=18),
        lambda: task.sample(np.random.default_rng(0), 2, max_digits=18),
    ):
        with pytest.raises(ValueError, match="max_digits"):
            call()


def test_distribution():
    batch = task.sample(np.random.default_rng(3), 20_000)
    lengths = (batch["difficulty"] > 0).sum(axis=1)
    shares = np.bincount(lengths, minlength=6)[1:] / 20_000
    np.testing.assert_allclose(shares, 0.2, atol=5 * 0.4 / np.sqrt(20_000))
    counts = batch["difficulty"][batch["difficulty"] > 0]
    shares = np.bincount(counts, minlength=6)[1:] / len(counts)
    np.testing.assert_allclose(shares, 0.2, atol=5 * 0.4 / np.sqrt(len(counts)))
    digits = batch["inputs"].reshape(-1, 10).sum(axis=0)
    np.testing.assert_allclose(digits / digits.sum(), 0.1, atol=5 * 0.3 / np.sqrt(digits.sum()))


def test_hard_share():
    batch = task.sample(np.random.default_rng(0), 8000, hard_share=0.5)
    real = batch["difficulty"] > 0
    share = (batch["difficulty"] == 5).sum() / real.sum()
    np.testing.assert_allclose(share, 0.5 + 0.5 * 0.2, atol=0.02)


@given(st.lists(st.text("0123456789", min_size=1, max_size=5), min_size=1, max_size=10))
def test_human_form_there_and_back(numbers):
    sequence = task.encode("+".join(numbers))
    assert sequence.shape == (1, len(numbers), 50)
    assert task.describe(sequence[0]) == numbers
    targets = task.answers(sequence)[0]
    assert targets.tolist() == sums(numbers, 6)
    totals = [str(sum(map(int, numbers[: i + 1]))) for i in range(len(numbers))]
    assert task.decode(certain(targets)) == totals


def test_blanks_around_numbers():
    np.testing.assert_array_equal(task.encode(" 12 + 345 "), task.encode("12+345"))


def test_decode_without_an_end_marker():
    assert task.decode(certain([[1, 2, 3, 4, 5, 6], [10] * 6])) == ["123456", ""]


@pytest.mark.parametrize(
    "text",
    ["", "+", "12+", "1 2", "12+x", "12-3", "123456", "1.5+2", "²+1", "٣+1", "1+" * 10 + "1"],
)
def test_no_sequence(text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value)
    assert "for instance '12+345+6'" in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"digits": 6}, "digits=6"),
        ({"min_digits": 0}, "min_digits=0"),
        ({"numbers": 0}, "numbers=0"),
        ({"min_numbers": 4, "numbers": 3}, "min_numbers=4"),
        ({"numbers": 11, "max_numbers": 11}, "11"),
        ({"hard_share": 1.01}, "1.01"),
    ],
)
def test_parameters_out_of_range(wrong, named):
    with pytest.raises(ValueError, match=r"must (hold|lie)") as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert named in str(error.value)
    assert next(iter(wrong)) in str(error.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("0+0", [[0, *[10] * 5]] * 2),
        ("007+05", [[7, *[10] * 5], [1, 2, *[10] * 4]]),
    ],
)
def test_answers_worked_out_by_hand(text, answer):
    assert task.answers(task.encode(text)).tolist() == [answer]


@pytest.mark.parametrize("first_target", [False, True])
def test_a_single_number_has_a_sum_only_if_asked(first_target):
    batch = task.sample(np.random.default_rng(0), 200, first_target=first_target)
    alone = (batch["difficulty"] > 0).sum(axis=1) == 1
    assert 20 < alone.sum() < 60
    np.testing.assert_array_equal(batch["weights"].any(axis=1), ~alone | first_target)
