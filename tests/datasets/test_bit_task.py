"""Copy, reverse, duplicate, sort bits: parameters, distributions, text forms, errors."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles import oracle, texts

NAMES = [f"neural_gpu_{task}" for task in ("copy", "reverse", "duplicate", "sort_bits")]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def task(name):
    return datasets.task(name)


def least(name):
    return 2 if name == "neural_gpu_duplicate" else 1


def checked(name, inputs, targets):
    """The bits of an example without padding, as a text; its target is right."""
    assert targets == oracle(name).answer(inputs)
    return texts.read(inputs, least(name))


def certain(targets):
    """Probabilities that leave no doubt about `targets`."""
    return np.eye(3)[np.asarray(targets)]


@st.composite
def parameters(draw):
    found = {"length": draw(st.integers(2, 50))}
    found["min_length"] = draw(st.one_of(st.none(), st.integers(2, found["length"])))
    found["same_length"] = draw(st.booleans())
    found["short_share"] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    changes = [{}, {"runs_share": 0.5}, {"runs_share": 1.0}]
    changes += [{"examples_per_length": 1}, {"examples_per_length": 7}]
    return {**found, **draw(st.sampled_from(changes))}


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    for name in NAMES:
        task = datasets.task(name)
        batch = task.sample(np.random.default_rng(seed), 10, **parameters)
        assert task.sizes(**parameters) == {"symbols": 3, "classes": 3}
        lengths = set()
        for inputs, targets, weights, difficulty in zip(
            *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
        ):
            length = difficulty[0]
            lengths.add(length)
            short = parameters["short_share"] or parameters["min_length"] is None
            assert (least(name) if short else parameters["min_length"]) <= length
            padding = len(inputs) - length
            assert inputs[length:] == [-1] * padding
            checked(name, inputs[:length], targets[:length])
            assert targets[length:] == [0] * padding
            assert weights == [1.0] * length + [0.0] * padding
            assert difficulty == [length] * length + [0] * padding
        if parameters["same_length"]:
            assert lengths == {batch["inputs"].shape[1]}
        else:
            assert batch["inputs"].shape[1] == parameters["length"]
        np.testing.assert_array_equal(task.answers(batch["inputs"]), batch["targets"])


@pytest.mark.parametrize("length", [400, 401, 4001])
def test_long_inputs(name, task, length):
    batch = task.sample(np.random.default_rng(0), 3, length=length, min_length=length)
    for inputs, targets in zip(batch["inputs"].tolist(), batch["targets"].tolist()):
        bits = checked(name, inputs, targets)
        assert len(bits) == length // least(name)


@given(st.text("01", min_size=1, max_size=100))
def test_human_form_there_and_back(text):
    for name in NAMES:
        task = datasets.task(name)
        inputs = task.encode(text, length=3)
        assert inputs.shape == (1, least(name) * len(text)) and inputs.dtype == np.int32
        padded = np.pad(inputs[0], (0, 5), constant_values=task.PADDING)
        assert task.describe(inputs[0]) == task.describe(padded) == text
        assert task.decode(certain(task.answers(inputs)[0])) == oracle(name).result(text)


def test_spaces_are_passed_over(task):
    np.testing.assert_array_equal(task.encode(" 00 11\n"), task.encode("0011"))


def test_decode_shows_blanks_among_the_bits(task):
    assert task.decode(certain([2, 1, 0, 2, 0, 0])) == "10_1"
    assert task.decode(certain([0, 0])) == ""


def test_duplicate_with_a_blank_behind():
    """401 positions are 200 bits and 201 blanks; here 5, 2 and 3."""
    task = datasets.task("neural_gpu_duplicate")
    inputs = np.array([[2, 1, 0, 0, 0, -1]])
    assert task.answers(inputs).tolist() == [[2, 1, 2, 1, 0, 0]]
    assert task.describe(inputs[0]) == "10"


def test_distribution(name, task):
    batch = task.sample(np.random.default_rng(1), 20_000)
    lengths = batch["difficulty"][:, 0]
    shares = np.bincount(lengths, minlength=42)[least(name) :] / 20_000
    np.testing.assert_allclose(shares, 1 / (42 - least(name)), atol=5 * 0.16 / np.sqrt(20_000))
    bits = batch["inputs"][batch["inputs"] > 0]
    np.testing.assert_allclose((bits == 2).mean(), 0.5, atol=5 * 0.5 / np.sqrt(len(bits)))


def test_short_share(name, task):
    batch = task.sample(np.random.default_rng(0), 8000, min_length=37, short_share=0.5)
    share = (batch["difficulty"][:, 0] < 37).mean()
    count = 42 - least(name)
    np.testing.assert_allclose(share, 0.5 * (count - 5) / count, atol=0.03)


def test_runs_share(name, task):
    def repeated(share):
        batch = task.sample(np.random.default_rng(0), 4000, min_length=40, runs_share=share)
        bits = batch["inputs"][:, : 40 // least(name)]
        assert set(bits.ravel()) == {1, 2}
        np.testing.assert_allclose((bits == 2).mean(), 0.5, atol=0.03)
        return (bits[:, 1:] == bits[:, :-1]).mean()

    # A bit repeats the one before it with a chance that is 1/2 on average, or is uniform.
    for share, expected in [(0.0, 0.5), (0.5, 0.625), (1.0, 0.75)]:
        np.testing.assert_allclose(repeated(share), expected, atol=0.02)


def test_examples_per_length(name, task):
    def drawn(seed, limit):
        inputs = task.sample(
            np.random.default_rng(seed), 2000, length=29, min_length=26, examples_per_length=limit
        )["inputs"]
        return {task.describe(example) for example in inputs}

    found = drawn(0, 10)
    counts = range(26 // least(name), 29 // least(name) + 1)
    assert Counter(map(len, found)) == {count: 10 for count in counts}
    assert drawn(1, 10) == found < drawn(0, 20)


@pytest.mark.parametrize("text", ["", " ", "012", "0-1", "ab", "²", "0_1"])
def test_no_input(task, text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert str(error.value) == f"an input is bits, for instance '0011'. Received: {text!r}"


@pytest.mark.parametrize(
    "inputs",
    [
        [[1, 3, 1, 1]],
        [[0, 0, 0, 0]],  # no bits
        [[1, 0, 2, 2]],  # a blank among the bits
        [[1, 2, 2, 0]],  # copy: a blank; duplicate: too few
        [[-2, 1, 0, 0]],
        [[-1, -1, -1]],  # empty
        [[-1, 1, 1]],  # padding in front
        [[]],
        [],
        [1, 2, 0, 0],
        [[1.0, 2.0, 0.0, 0.0]],
    ],
)
def test_answers_of_no_inputs(task, inputs):
    with pytest.raises(ValueError, match=r"Received: "):
        task.answers(inputs)


def test_one_position_has_no_room_for_two_bits():
    with pytest.raises(ValueError, match="in the first n // 2 positions, followed by blanks, 0"):
        datasets.task("neural_gpu_duplicate").answers([[1]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"length": 0, "min_length": 2}, "1 <= min_length <= length must hold"),
        ({"length": 7.5}, "must hold for integers"),
        ({"min_length": 42}, "min_length=42, length=41"),
        ({"min_length": 0}, "`min_length` must be an integer of at least"),
        ({"short_share": 2}, "`short_share` must lie between 0 and 1. Received: 2"),
        ({"runs_share": -1}, "`runs_share` must lie between 0 and 1. Received: -1"),
        ({"examples_per_length": 1.5}, "`examples_per_length` must be an integer of at least 1"),
        ({"runs_share": 0.5, "examples_per_length": 5}, "exclude each other"),
    ],
)
def test_parameters_out_of_range(task, wrong, message):
    with pytest.raises(ValueError) as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert message in str(error.value)
