"""Addition and multiplication: parameters, distributions, text forms, errors."""

import itertools
import operator
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles import oracle
from support.oracles.numbers import read

OPERATIONS = {"neural_gpu_addition": operator.add, "neural_gpu_multiplication": operator.mul}
SIGNS = {"neural_gpu_addition": "+", "neural_gpu_multiplication": "*"}
PROBES = ["carries", "ones", "zeros", "powers", "unequal"]


@pytest.fixture(params=OPERATIONS)
def name(request):
    return request.param


@pytest.fixture
def task(name):
    return datasets.task(name)


def examples(batch):
    """Inputs, targets, weights and difficulty of each example."""
    names = ("inputs", "targets", "weights", "difficulty")
    return zip(*(batch[name].tolist() for name in names))


def certain(targets, classes):
    """Probabilities that leave no doubt about `targets`."""
    return np.eye(classes)[np.asarray(targets)]


@st.composite
def parameters(draw):
    found = {"bits": draw(st.integers(1, 30)), "base": draw(st.integers(2, 10))}
    found["min_bits"] = draw(st.integers(1, found["bits"]))
    found["aligned"] = draw(st.booleans())
    found["same_length"] = draw(st.booleans())
    found["short_share"] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    changes = [{}, {"runs_share": 0.5}, {"runs_share": 1.0}]
    changes += [{"unequal_share": 0.5}, {"dense_share": 0.5}, {"result_runs_share": 0.5}]
    changes += [{"runs_share": 0.5, "result_runs_share": 1.0}, {"long_run_share": 0.5}]
    changes += [{"examples_per_length": 1}, {"examples_per_length": 7}]
    changes += [{"largest_digit": 1}, {"largest_digit": 1, "examples_per_length": 7}]
    changes += [{"probe": probe} for probe in PROBES]
    return {**found, **draw(st.sampled_from(changes))}


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    base, aligned = parameters["base"], parameters["aligned"]
    for name in OPERATIONS:
        task = datasets.task(name)
        batch = task.sample(np.random.default_rng(seed), 10, **parameters)
        sizes = task.sizes(**parameters)
        assert sizes == {"symbols": base + 2, "classes": base + 1}
        lengths = set()
        for inputs, targets, weights, difficulty in examples(batch):
            length = difficulty[0]
            lengths.add(length)
            least = 1 if parameters["short_share"] else parameters["min_bits"]
            assert least <= length <= parameters["bits"]
            real, padding = 2 * length + 1, len(inputs) - 2 * length - 1
            assert inputs[real:] == [-1] * padding
            read(inputs[:real], base, aligned)
            assert targets == oracle(name).answer(inputs[:real]) + [0] * padding
            assert weights == [1.0] * real + [0.0] * padding
            assert difficulty == [length] * real + [0] * padding
        if parameters["same_length"]:
            assert batch["inputs"].shape[1] == 2 * length + 1 and lengths == {length}
        else:
            assert batch["inputs"].shape[1] == 2 * parameters["bits"] + 1
        np.testing.assert_array_equal(task.answers(batch["inputs"]), batch["targets"])


@pytest.mark.parametrize("base", [2, 4, 10])
@pytest.mark.parametrize("probe", [None, *PROBES])
def test_two_thousand_digits(name, task, base, probe):
    batch = task.sample(
        np.random.default_rng(0), 3, bits=2000, min_bits=1999, base=base, probe=probe
    )
    for inputs, targets, _, difficulty in examples(batch):
        real = 2 * difficulty[0] + 1
        assert real in (3999, 4001)
        read(inputs[:real], base)
        assert targets[:real] == oracle(name).answer(inputs[:real])


def test_longer_than_any_field():
    """20,000 ones times as many: sums of products beyond 16 bits, and a known result."""
    task = datasets.task("neural_gpu_multiplication")
    inputs = task.encode("9" * 20_000 + "*" + "9" * 20_000, base=10)
    product = task.decode(certain(task.answers(inputs)[0], 11))
    assert product == "9" * 19_999 + "8" + "0" * 19_999 + "1"


@pytest.mark.parametrize(
    ("name", "text", "parameters", "symbols"),
    [
        # The addition that the paper shows: 5 + 14 = 19.
        ("neural_gpu_addition", "0101+1110", {}, [2, 2, 1, 1, 2, 0, 0, 0, 0]),
        ("neural_gpu_addition", "1+1", {}, [1, 2, 0]),
        ("neural_gpu_addition", "0+0", {}, [1, 1, 0]),
        ("neural_gpu_addition", "111+1", {}, [1, 1, 1, 2, 0, 0, 0]),
        ("neural_gpu_addition", "93+8", {"base": 10}, [2, 1, 2, 0, 0]),
        # The multiplication that the paper shows, without its misprint: 6 * 10 = 60.
        ("neural_gpu_multiplication", "0110*1010", {}, [1, 1, 2, 2, 2, 2, 1, 1, 0]),
        ("neural_gpu_multiplication", "1*1", {}, [2, 1, 0]),
        ("neural_gpu_multiplication", "11*11", {"aligned": True}, [2, 1, 1, 2, 0]),
        ("neural_gpu_multiplication", "12*12", {"base": 10}, [5, 5, 2, 1, 0]),
        ("neural_gpu_multiplication", "3*3", {"base": 4}, [2, 3, 0]),
    ],
)
def test_answers_worked_out_by_hand(name, text, parameters, symbols):
    task = datasets.task(name)
    assert task.answers(task.encode(text, **parameters))[0].tolist() == symbols


@given(st.integers(2, 10), st.booleans(), st.data())
def test_human_form_there_and_back(base, aligned, data):
    digits = st.text("0123456789"[:base], min_size=1, max_size=80)
    first, second = data.draw(digits), data.draw(digits)
    length = max(len(first), len(second))
    for name, sign in SIGNS.items():
        task = datasets.task(name)
        inputs = task.encode(f"{first}{sign}{second}", base=base, aligned=aligned, bits=3)
        assert inputs.shape == (1, 2 * length + 1) and inputs.dtype == np.int32
        found = task.describe(inputs[0])
        assert found == f"{first.zfill(length)}{sign}{second.zfill(length)}"
        padded = np.pad(inputs[0], (0, 5), constant_values=task.PADDING)
        assert task.describe(padded) == found
        answers = task.answers(inputs)[0]
        result = task.decode(certain(answers, base + 1))
        assert int(result, base) == OPERATIONS[name](int(first, base), int(second, base))
        assert len(result) == np.count_nonzero(answers)


@given(st.integers(0, 10**40), st.integers(0, 10**40), st.integers(2, 9))
def test_decimal_numbers_are_a_convenience(first, second, base):
    for name, sign in SIGNS.items():
        task = datasets.task(name)
        inputs = task.encode(f"9{first}{sign}{second}", base=base)
        result = task.decode(certain(task.answers(inputs)[0], base + 1))
        assert int(result, base) == OPERATIONS[name](int(f"9{first}"), second)


def test_decimal_numbers_of_any_length():
    """Python itself refuses to read more than 4,300 digits."""
    task = datasets.task("neural_gpu_addition")
    ones = "2" + "0" * 4999
    assert task.describe(task.encode(f"{ones}+0")[0]).split("+")[0] == bin(2 * 10**4999)[2:]


def test_other_ways_of_writing():
    task = datasets.task("neural_gpu_multiplication")
    for text in ("12·3", "12×3", "12x3", " 12 * 3 "):
        np.testing.assert_array_equal(task.encode(text), task.encode("1100*0011"))


def test_decode_shows_what_is_no_number(task):
    assert task.decode(certain([2, 1, 0, 2, 0, 0], 3)) == "1_01"
    assert task.decode(certain([0, 0, 0], 3)) == ""


def test_distribution(task):
    batch = task.sample(np.random.default_rng(1), 20_000)
    lengths = batch["difficulty"][:, 0]
    shares = np.bincount(lengths, minlength=21)[1:] / 20_000
    np.testing.assert_allclose(shares, 0.05, atol=5 * 0.22 / np.sqrt(20_000))
    digits = batch["inputs"][(batch["inputs"] > 0) & (batch["inputs"] < 3)]
    np.testing.assert_allclose((digits == 2).mean(), 0.5, atol=5 * 0.5 / np.sqrt(len(digits)))
    # As often in the first number as in the second, at each place.
    longest = batch["inputs"][lengths == 20]
    np.testing.assert_allclose((longest == 2).mean(axis=0)[np.arange(41) != 20], 0.5, atol=0.09)


def test_short_share(task):
    batch = task.sample(np.random.default_rng(0), 8000, min_bits=17, short_share=0.5)
    share = (batch["difficulty"][:, 0] < 17).mean()
    np.testing.assert_allclose(share, 0.5 * 16 / 20, atol=0.03)


def test_runs_share(task):
    def repeated(share):
        batch = task.sample(np.random.default_rng(0), 4000, min_bits=20, runs_share=share)
        first = batch["inputs"][:, :20]
        assert set(first.ravel()) == {1, 2}
        np.testing.assert_allclose((first == 2).mean(), 0.5, atol=0.03)
        return (first[:, 1:] == first[:, :-1]).mean()

    # A digit repeats the one below it with a chance that is 1/2 on average, or is uniform.
    for share, expected in [(0.0, 0.5), (0.5, 0.625), (1.0, 0.75)]:
        np.testing.assert_allclose(repeated(share), expected, atol=0.02)


def test_unequal_share(task):
    batch = task.sample(np.random.default_rng(0), 4000, min_bits=20, unequal_share=0.5)
    first, second = batch["inputs"][:, :20] == 2, batch["inputs"][:, 21:] == 2
    # Half of the digits are 1 in half of the examples; in the others half of them are cut off too.
    for digits in (first, second):
        np.testing.assert_allclose(digits.mean(), 0.5 * 0.5 + 0.5 * 0.25, atol=0.02)
        np.testing.assert_allclose(digits[:, -1].mean(), 0.5 * (0.5 + 0.5 / 21), atol=0.03)
    # Each number on its own: both highest digits are there as often as if they were independent.
    both = (first[:, -1] & second[:, -1]).mean()
    np.testing.assert_allclose(both, 0.25 * (0.5 + 0.5 / 21**2), atol=0.03)


def test_dense_share(task):
    def digits(share, base):
        batch = task.sample(
            np.random.default_rng(0), 4000, min_bits=20, base=base, dense_share=share
        )
        return batch["inputs"][:, :20] - 1, batch["inputs"][:, 21:] - 1

    for base in (2, 10):
        for share in (0.0, 0.5, 1.0):
            expected = 1 / base + share * 0.5 * (1 - 1 / base)
            for number in digits(share, base):
                np.testing.assert_allclose((number == base - 1).mean(), expected, atol=0.02)
    # Some examples have hardly another digit, in both numbers.
    first, second = ((number == 9).mean(axis=1) for number in digits(1.0, 10))
    np.testing.assert_allclose(((first > 0.9) & (second > 0.9)).mean(), 0.07, atol=0.02)


@pytest.mark.parametrize("largest", [1, 4, 9])
def test_largest_digit(name, task, largest):
    batch = task.sample(np.random.default_rng(0), 2000, min_bits=20, base=10, largest_digit=largest)
    for digits in (batch["inputs"][:, :20] - 1, batch["inputs"][:, 21:] - 1):
        shares = np.bincount(digits.ravel()) / digits.size
        np.testing.assert_allclose(shares, 1 / (largest + 1), atol=0.02)
    # The operator, the largest symbol, tells that the base is 10.
    assert batch["inputs"].max() == 11
    np.testing.assert_array_equal(task.answers(batch["inputs"]), batch["targets"])


def test_the_largest_digit_is_that_which_is_frequent(task):
    batch = task.sample(
        np.random.default_rng(0), 4000, min_bits=20, base=10, largest_digit=4, dense_share=1.0
    )
    digits = batch["inputs"][:, :20] - 1
    np.testing.assert_allclose((digits == 4).mean(), 0.5 + 0.5 / 5, atol=0.02)
    assert digits.max() == 4


def test_result_runs_share(name, task):
    def repeated(share):
        batch = task.sample(np.random.default_rng(0), 4000, min_bits=20, result_runs_share=share)
        # All of a sum but its carry, the upper half of a product.
        upper = slice(0, 20) if name == "neural_gpu_addition" else slice(22, 38)
        found = batch["targets"][:, upper]
        return (found[:, 1:] == found[:, :-1]).mean()

    for share, expected in [(0.0, 0.5), (0.5, 0.625), (1.0, 0.75)]:
        np.testing.assert_allclose(repeated(share), expected, atol=0.02)


def test_long_run_share(task):
    """The longest of eight runs is as long as eight independent draws say."""

    def longest(share):
        batch = task.sample(np.random.default_rng(0), 4000, min_bits=20, long_run_share=share)
        results = (x[x > 0] for x in batch["targets"])
        return [max(len(list(run)) for _, run in itertools.groupby(x)) for x in results]

    usual, long, half = (np.array(longest(share)) for share in (0.0, 1.0, 0.5))
    np.testing.assert_allclose((long < 9).mean(), (usual < 9).mean() ** 8, atol=0.03)
    np.testing.assert_allclose(half.mean(), (usual.mean() + long.mean()) / 2, atol=0.15)


@pytest.mark.parametrize("limit", [1, 10])
def test_examples_per_length(task, limit):
    def drawn(seed, limit):
        batch = task.sample(
            np.random.default_rng(seed), 2000, bits=12, min_bits=8, examples_per_length=limit
        )
        return {(row[0], tuple(x)) for x, _, _, row in examples(batch)}

    found = drawn(0, limit)
    assert Counter(length for length, _ in found) == {length: limit for length in range(8, 13)}
    assert drawn(1, limit) == found
    assert found < drawn(0, 2 * limit)


@pytest.mark.parametrize(
    "text", ["", "1", "1{0}", "{0}1", "1{0}1{0}1", "1-1", "1 1{0}1", "1.5{0}2", "²{0}1", "٣{0}1"]
)
def test_no_input(name, task, text):
    text = text.format(SIGNS[name])
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value)
    assert f"two numbers with '{SIGNS[name]}' between them" in str(error.value)


@pytest.mark.parametrize(
    "inputs",
    [
        [[1, 2, 1]],  # no operator
        [[1, 3, 1, 3, 1]],  # two
        [[3, 1, 1]],  # in front
        [[1, 2, 3, 1]],  # numbers of different length
        [[1, 3, 2, 0, 0]],  # blanks
        [[1, 3, 2], [1, 2, 1]],  # the second example
        [[1, 12, 2]],  # base 11
        [[-2, 3, 1]],
        [[-1, -1, -1]],  # empty
        [[1, 3, 2], [-1, -1, -1]],
        [[-1, 1, 3, 2]],  # padding in front
        [[3]],
        [[]],
        [],
        [1, 3, 2],
        [[1.0, 3.0, 2.0]],
    ],
)
def test_answers_of_no_inputs(task, inputs):
    with pytest.raises(ValueError, match=r"Received: "):
        task.answers(inputs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bits": 0}, "1 <= min_bits <= bits must hold. Received: min_bits=1, bits=0"),
        ({"bits": 2.5}, "must hold for integers. Received: min_bits=1, bits=2.5"),
        ({"min_bits": 21}, "min_bits=21, bits=20"),
        ({"min_bits": 0}, "min_bits=0"),
        ({"base": 1}, "`base` must be an integer of at least 2. Received: 1"),
        ({"base": 11}, "`base` must lie between 2 and 10. Received: 11"),
        ({"base": 2.5}, "`base` must be an integer"),
        ({"short_share": -0.1}, "`short_share` must lie between 0 and 1. Received: -0.1"),
        ({"examples_per_length": 0}, "`examples_per_length` must be an integer of at least 1"),
        ({"probe": "carry"}, "`probe` must be None or one of 'carries', 'ones'"),
        ({"dense_share": 1.5}, "`dense_share` must lie between 0 and 1. Received: 1.5"),
        ({"runs_share": 1.5}, "`runs_share` must lie between 0 and 1. Received: 1.5"),
        ({"result_runs_share": -1}, "`result_runs_share` must lie between 0 and 1. Received: -1"),
        ({"long_run_share": -1}, "`long_run_share` must lie between 0 and 1. Received: -1"),
        ({"unequal_share": 2}, "`unequal_share` must lie between 0 and 1. Received: 2"),
        ({"probe": "ones", "examples_per_length": 5}, "`probe` excludes `dense_share`, `runs"),
        ({"runs_share": 0.5, "examples_per_length": 5}, "exclude each other"),
        ({"result_runs_share": 0.5, "examples_per_length": 5}, "exclude each other"),
        ({"probe": "ones", "runs_share": 0.5}, "Received: probe='ones', runs_share=0.5"),
        ({"probe": "ones", "result_runs_share": 0.5}, "result_runs_share=0.5"),
        ({"probe": "ones", "unequal_share": 0.5}, "probe='ones', unequal_share=0.5"),
        ({"probe": "ones", "largest_digit": 1}, "probe='ones', largest_digit=1"),
        ({"largest_digit": 0}, "`largest_digit` must be an integer of at least 1. Received: 0"),
        ({"largest_digit": 2}, "`largest_digit` must lie between 1 and 1. Received: 2"),
        ({"largest_digit": 1.5}, "`largest_digit` must be an integer"),
        ({"largest_digit": 1, "result_runs_share": 0.5}, "`largest_digit` excludes `result_runs"),
        ({"largest_digit": 1, "long_run_share": 0.5}, "largest_digit=1, long_run_share=0.5"),
    ],
)
def test_parameters_out_of_range(task, wrong, message):
    with pytest.raises(ValueError) as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert message in str(error.value)


@pytest.mark.parametrize("function", ["sizes", "encode"])
def test_no_base(name, task, function):
    arguments = [f"1{SIGNS[name]}1"] if function == "encode" else []
    with pytest.raises(ValueError, match=r"`base` must lie between 2 and 10\. Received: 16"):
        getattr(task, function)(*arguments, base=16)
