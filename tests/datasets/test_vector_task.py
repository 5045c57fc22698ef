"""Reverse, search, merge, sort, add: parameters, distributions, text forms, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles import oracle

# Width of the input and of the output without the end, for the paper's sizes.
WIDTHS = {
    "ham_reverse": (10, 10),
    "ham_search": (10, 5),
    "ham_merge": (6, 5),
    "ham_sort": (10, 10),
    "ham_add": (4, 1),
}
LEAST = {"ham_search": 2, "ham_add": 4}


@pytest.fixture(params=WIDTHS)
def name(request):
    return request.param


@pytest.fixture
def task(name):
    return datasets.task(name)


def check(name, batch, lengths):
    """Every example is right, and its n is one of `lengths`."""
    for inputs, targets, weights, difficulty in zip(
        *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
    ):
        length = difficulty[0]
        assert length in lengths
        width, bits = WIDTHS[name]
        assert inputs[length:] == [[-1.0] * width] * (len(inputs) - length)
        assert all(-1 not in vector for vector in inputs[:length])
        expected = oracle(name).answer(inputs[:length])
        assert len(expected) == datasets.task(name).output_length(length)
        behind = len(targets) - len(expected)
        assert targets == expected + [[0] * (bits + 1)] * behind
        assert weights == [1.0] * len(expected) + [0.0] * behind
        assert difficulty == [length] * length + [0] * (len(inputs) - length)


@st.composite
def parameters(draw):
    length = draw(st.integers(4, 50))
    return {
        "length": length,
        "min_length": draw(st.integers(1, length - 1)),
        "same_length": draw(st.booleans()),
        "short_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    for name in WIDTHS:
        task = datasets.task(name)
        length, least = parameters["length"], LEAST.get(name, 1)
        if name == "ham_add" and length < 6 and parameters["min_length"] > 4:
            continue
        batch = task.sample(np.random.default_rng(seed), 10, **parameters)
        first = least if parameters["short_share"] else max(least, parameters["min_length"])
        check(name, batch, range(first, length + 1))
        lengths = set(batch["difficulty"][:, 0].tolist())
        if parameters["same_length"]:
            assert lengths == {batch["inputs"].shape[1]}
        else:
            assert batch["inputs"].shape[1] == length
        assert batch["targets"].shape[1] == task.output_length(batch["inputs"].shape[1])


@pytest.mark.parametrize("length", [128, 250])
def test_long_inputs(name, task, length):
    batch = task.sample(np.random.default_rng(0), 5, length=length, min_length=length)
    check(name, batch, [length])


def test_the_papers_lengths(name, task):
    batch = task.sample(np.random.default_rng(1), 20_000)
    lengths = np.bincount(batch["difficulty"][:, 0], minlength=33)
    there = range(LEAST.get(name, 1), 33, 2 if name == "ham_add" else 1)
    assert lengths.sum() == lengths[list(there)].sum()
    np.testing.assert_allclose(
        lengths[list(there)] / 20_000, 1 / len(there), atol=5 * 0.25 / np.sqrt(20_000)
    )


def test_bits_are_uniform(name, task):
    batch = task.sample(np.random.default_rng(2), 5_000)
    vectors = batch["inputs"][batch["difficulty"] > 0]
    bits = {"ham_merge": slice(1, None), "ham_search": slice(5, None), "ham_add": slice(0, 2)}
    if name == "ham_search":  # without the query
        vectors = batch["inputs"][:, :-1][batch["difficulty"][:, 1:] > 0]
    found = vectors[:, bits.get(name, slice(None))]
    if name == "ham_add":
        found = found[found.any(axis=1)]
    np.testing.assert_allclose(found.mean(axis=0), 0.5, atol=5 * 0.5 / np.sqrt(len(found)))


def test_short_share(name, task):
    batch = task.sample(np.random.default_rng(0), 8000, min_length=30, short_share=0.5)
    there = range(LEAST.get(name, 1), 33, 2 if name == "ham_add" else 1)
    expected = 0.5 * sum(length < 30 for length in there) / len(there)
    np.testing.assert_allclose((batch["difficulty"][:, 0] < 30).mean(), expected, atol=0.03)


@pytest.mark.slow
def test_sort_with_few_keys():
    task = datasets.task("ham_sort")
    batch = task.sample(np.random.default_rng(0), 2000, length=64, min_length=60, distinct_keys=3)
    check("ham_sort", batch, range(60, 65))
    counts = [
        len({tuple(vector[:5]) for vector in inputs if -1 not in vector})
        for inputs in batch["inputs"].tolist()
    ]
    # Two of 32 keys drawn at random may be the same.
    np.testing.assert_allclose(np.bincount(counts, minlength=4)[1:] / 2000, 1 / 3, atol=0.06)


@pytest.mark.slow
def test_merge_of_priorities_that_lie_close():
    task = datasets.task("ham_merge")
    batch = task.sample(np.random.default_rng(0), 4000, length=16, hard_share=0.5)
    check("ham_merge", batch, range(1, 17))
    numbers = np.rint(300 * batch["inputs"][..., 0])
    numbers = np.where(numbers < 0, np.nan, numbers)
    counts = (~np.isnan(numbers)).sum(axis=1)
    spans = 1 + np.nanmax(numbers, axis=1) - np.nanmin(numbers, axis=1)
    close = spans[counts > 3] <= 2 * counts[counts > 3]
    np.testing.assert_allclose(close.mean(), 0.5, atol=0.04)
    # Any of them may be the lowest.
    assert (np.nanmin(numbers), np.nanmax(numbers)) == (1, 300)
    task.sample(np.random.default_rng(0), 2, length=300, min_length=300, hard_share=1.0)


def test_merge_draws_priorities_and_parts_uniformly():
    task = datasets.task("ham_merge")
    batch = task.sample(np.random.default_rng(3), 20_000, length=6, min_length=6)
    numbers = np.rint(300 * batch["inputs"][..., 0]).astype(int)
    shares = np.bincount(numbers.ravel(), minlength=301)[1:] / numbers.size
    np.testing.assert_allclose(shares, 1 / 300, atol=6 * np.sqrt(1 / 300 / numbers.size))
    # A cut after i of 6 is seen unless the first i are the lowest; i is 1 to 5, 1/5 each.
    falls = (np.diff(numbers) < 0).mean(axis=0)
    unseen = np.array([1 / 6, 1 / 15, 1 / 20, 1 / 15, 1 / 6])
    np.testing.assert_allclose(falls, (1 - unseen) / 5, atol=0.015)
    whole = task.sample(np.random.default_rng(3), 3, length=300, min_length=300)
    numbers = np.sort(np.rint(300 * whole["inputs"][..., 0]), axis=1)
    np.testing.assert_array_equal(numbers, np.tile(np.arange(1, 301), (3, 1)))


def test_hard_searches_have_keys_that_are_close():
    task = datasets.task("ham_search")
    batch = task.sample(np.random.default_rng(0), 6000, length=4, min_length=4, hard_share=0.5)
    keys = batch["inputs"][..., :5] @ 2.0 ** np.arange(4, -1, -1)
    close = np.ptp(keys, axis=1) < 8
    # Of three uniform keys 15 % lie within a window of 8.
    assert 0.5 < close.mean() < 0.65
    assert keys[close].min() == 0 and keys[close].max() == 31
    np.testing.assert_array_equal(task.answers(batch["inputs"]), batch["targets"])
    whole = task.sample(np.random.default_rng(0), 50, length=32, min_length=32, hard_share=1.0)
    assert np.unique(whole["inputs"][..., :5], axis=0).shape[0] > 1


def test_search_asks_for_every_pair_alike():
    batch = datasets.task("ham_search").sample(
        np.random.default_rng(4), 20_000, length=5, min_length=5, key_bits=20
    )
    keys = batch["inputs"][..., :20]
    asked = (keys[:, :4] == keys[:, 4:]).all(axis=-1).mean(axis=0)
    np.testing.assert_allclose(asked, 0.25, atol=5 * 0.44 / np.sqrt(20_000))


FORMS = {
    "ham_reverse": ("5 17 1023", "1023 17 5"),
    "ham_search": ("1:7 3:9 3:4 20:1 ? 3", "9"),
    "ham_merge": ("12/300:7 150/300:3 | 30/300:9", "7 9 3"),
    "ham_sort": ("3:7 1:12 3:0 0:31", "0:31 1:12 3:7 3:0"),
    "ham_add": ("110101+011011", "1010000"),
}


def test_human_form(name, task):
    text, answer = FORMS[name]
    inputs = task.encode(text, length=3)
    assert inputs.dtype == np.float32 and inputs.shape[2] == task.sizes()["width"]
    padded = np.pad(inputs[0], ((0, 3), (0, 0)), constant_values=task.PADDING)
    assert task.describe(inputs[0]) == task.describe(padded) == text
    targets = task.answers(inputs)[0]
    assert task.decode(targets) == task.decode(0.8 * targets + 0.1) == answer
    behind = np.pad(targets, ((0, 2), (0, 0)), constant_values=1)
    assert task.decode(behind) == answer
    targets[:, -1] = 0
    assert "..." in task.decode(targets)


def test_other_widths():
    task = datasets.task("ham_sort")
    sizes = {"key_bits": 4, "value_bits": 0}
    assert task.sizes(**sizes) == {"width": 4, "outputs": 5, "classes": 2}
    inputs = task.encode("3 15 0 3", **sizes)
    targets = task.answers(inputs, key_bits=4)[0]
    assert task.describe(inputs[0], key_bits=4) == "3 15 0 3"
    assert task.decode(targets, key_bits=4) == "0 3 3 15"
    batch = task.sample(np.random.default_rng(0), 20, length=8, **sizes)
    np.testing.assert_array_equal(task.answers(batch["inputs"], key_bits=4), batch["targets"])
    task = datasets.task("ham_search")
    inputs = task.encode("1:100 9:3 ? 9", key_bits=4, value_bits=7)
    assert task.decode(task.answers(inputs, key_bits=4)[0]) == "3"
    assert datasets.task("ham_reverse").encode("7", bits=3).tolist() == [[[1.0, 1.0, 1.0]]]


def test_other_ways_to_write():
    merge, add = datasets.task("ham_merge"), datasets.task("ham_add")
    np.testing.assert_array_equal(merge.encode("1/4:3|0.1:2"), merge.encode("75/300:3 | 1/10:2"))
    assert merge.describe(merge.encode("0.123:3 1:0")[0]) == "0.123:3 300/300:0"
    np.testing.assert_array_equal(add.encode("3+1="), add.encode("11+1"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ham_reverse", "", "numbers below 1024"),
        ("ham_reverse", "5 1024", "numbers below 1024"),
        ("ham_reverse", "5 -1", "numbers below 1024"),
        ("ham_reverse", "²", "numbers below 1024"),
        ("ham_sort", "3:7 1", "a key below 32, a colon and a value below 32"),
        ("ham_sort", "3:32", "a key below 32, a colon and a value below 32"),
        ("ham_search", "1:7 3:9", "a key below 32, a colon and a value below 32"),
        ("ham_search", "? 3", "for instance '1:7 3:9 3:4 ? 3'"),
        ("ham_search", "1:7 ? 3", "must have the key of a pair. Received: 3"),
        ("ham_search", "3:9 1:7 ? 3", "must not fall"),
        ("ham_merge", "", "two sequences of pairs"),
        ("ham_merge", "0.5:1 | 0.2:1 | 0.3:1", "two sequences of pairs"),
        ("ham_merge", "1/0:1", "two sequences of pairs"),
        ("ham_merge", "1e400:3 | 0.5:2", "two sequences of pairs"),
        ("ham_merge", "1e99999999:3 | 0.5:2", "two sequences of pairs"),
        ("ham_merge", "1/3/4:3 | 0.5:2", "two sequences of pairs"),
        ("ham_merge", "1_2/300:7 | 0.5:2", "two sequences of pairs"),
        ("ham_merge", "1e300/1e-300:3 | 0.5:2", "must lie between 0 and 1"),
        ("ham_merge", "0.5:32", "a value below 32"),
        ("ham_merge", "0.5:1 0.2:1 | 0.6:1", "the priorities of a sequence must rise"),
        ("ham_merge", "1.5:1", "must lie between 0 and 1. Received: 1.5"),
        ("ham_merge", "-0.5:1", "must lie between 0 and 1. Received: -0.5"),
        ("ham_merge", "0.5:1 | 0.5:2", "must be different"),
        ("ham_add", "12", "two numbers with '+' between them"),
        ("ham_add", "1+x=", "Received: '1+x='"),
    ],
)
def test_no_input(name, text, message):
    with pytest.raises(ValueError) as error:
        datasets.task(name).encode(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (np.zeros((2, 3)), "must be numbers (batch, n, width). Received: float64 of shape (2, 3)"),
        (np.zeros((1, 0, 10)), "must be numbers"),
        (np.full((1, 2, 10), "1"), "must be numbers"),
        (np.full((1, 2, 10), -1.0), "vectors and then padding"),
        (np.array([[[-1.0] * 10, [1.0] * 10]]), "vectors and then padding"),
    ],
)
def test_answers_of_no_inputs(task, inputs, message):
    with pytest.raises(ValueError) as error:
        task.answers(inputs)
    assert message in str(error.value)


def test_bits_are_0_or_1(name, task):
    inputs = task.encode(FORMS[name][0])
    inputs[0, 0, -1] = 0.5
    with pytest.raises(ValueError, match=r"`inputs` must be bits, 0 or 1. Received: 0.5"):
        task.answers(inputs)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("ham_search", lambda x: x[:, -1:], "a pair and the query"),
        ("ham_search", lambda x: x[:, :-1], "must have zeros for a value"),
        ("ham_sort", lambda x: x[..., 1:], "a key and a value of the same width"),
        ("ham_merge", lambda x: x[..., :1], "a priority and a value, 2 elements or more"),
        ("ham_add", lambda x: x[..., 1:], "must have 4 elements. Received: 3"),
        ("ham_add", lambda x: 0 * x, "must be one-hot"),
        ("ham_add", lambda x: x[:, :-1], "and = at the end. Received: '101011+110110'"),
        ("ham_add", lambda x: x[:, 1:], "Received: '01011+110110='"),
        ("ham_add", lambda x: x[:, -1:], "Received: '='"),
    ],
)
def test_answers_of_other_vectors(name, change, message):
    task = datasets.task(name)
    with pytest.raises(ValueError) as error:
        task.answers(change(task.encode(FORMS[name][0])))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("ham_reverse", {"length": 0, "min_length": 1}, "1 <= min_length <= length must hold"),
        ("ham_reverse", {"length": 7.5}, "must hold for integers"),
        ("ham_reverse", {"min_length": 0}, "min_length=0"),
        ("ham_reverse", {"short_share": 2}, "`short_share` must lie between 0 and 1"),
        ("ham_reverse", {"bits": 0}, "`bits` must be an integer of at least 1. Received: 0"),
        ("ham_sort", {"key_bits": 33}, "`key_bits` must lie between 1 and 32. Received: 33"),
        ("ham_sort", {"value_bits": -1}, "`value_bits` must be an integer of at least 0"),
        ("ham_sort", {"distinct_keys": 0}, "`distinct_keys` must be an integer of at least 1"),
        ("ham_search", {"length": 1}, "`length` must be an integer of at least 2. Received: 1"),
        ("ham_search", {"value_bits": 0}, "`value_bits` must be an integer of at least 1"),
        ("ham_merge", {"hard_share": 1.1}, "`hard_share` must lie between 0 and 1"),
        ("ham_search", {"hard_share": -0.1}, "`hard_share` must lie between 0 and 1"),
        ("ham_merge", {"length": 301}, "`length` must lie between 1 and 300. Received: 301"),
        ("ham_add", {"length": 3}, "an even number of at least 4 must lie between"),
        ("ham_add", {"length": 7, "min_length": 7}, "Received: min_length=7, length=7"),
    ],
)
def test_parameters_out_of_range(name, wrong, message):
    with pytest.raises(ValueError) as error:
        datasets.task(name).sample(np.random.default_rng(0), 2, **wrong)
    assert message in str(error.value)
