"""Stack, queue and priority queue: parameters, distributions, text forms, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles import oracle, structures
from support.oracles.structures import number

STRUCTURES = ("ham_stack", "ham_queue", "ham_priority_queue")


@pytest.fixture(params=STRUCTURES)
def name(request):
    return request.param


@pytest.fixture
def task(name):
    return datasets.task(name)


def run(name, vectors, bits):
    """What the POPs return, None for a PUSH, and how many elements are stored before each."""
    return structures.run(oracle(name).Structure(), vectors, bits)


def left(vectors, sizes):
    """How many elements are stored after the last operation, from the sizes before each."""
    return sizes[-1] + 1 if vectors[-1][0] else max(sizes[-1] - 1, 0)


@st.composite
def parameters(draw):
    length = draw(st.integers(1, 60))
    return {
        "length": length,
        "min_length": draw(st.one_of(st.none(), st.integers(1, length))),
        "same_length": draw(st.booleans()),
        "short_share": draw(st.sampled_from([0.0, 0.5])),
        "late_pops": draw(st.sampled_from([1.0, 3.0])),
        "drained_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "bits": draw(st.integers(1, 7)),
    }


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    for name in STRUCTURES:
        task, bits = datasets.task(name), parameters["bits"]
        batch = task.sample(np.random.default_rng(seed), 10, **parameters)
        width = 1 + bits * (2 if name == "ham_priority_queue" else 1)
        assert task.sizes(**parameters) == {"width": width, "outputs": bits, "classes": 2}
        lengths = set()
        for inputs, targets, weights, difficulty in zip(
            *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
        ):
            length = difficulty[0]
            lengths.add(length)
            if not parameters["short_share"]:
                assert length >= (parameters["min_length"] or parameters["length"])
            behind = len(inputs) - length
            assert inputs[length:] == [[-1.0] * width] * behind
            found, sizes = run(name, inputs[:length], bits)
            assert max(sizes) <= 2**bits or name != "ham_priority_queue"
            numbers = [number(target) for target in targets]
            assert numbers == [popped or 0 for popped in found] + [0] * behind
            assert weights == [float(x is not None) for x in found] + [0.0] * behind
            assert difficulty == [length] * length + [0] * behind
            assert parameters["drained_share"] < 1 or not left(inputs[:length], sizes)
        if parameters["same_length"]:
            assert lengths == {batch["inputs"].shape[1]}
        else:
            assert batch["inputs"].shape[1] == parameters["length"]
        assert task.output_length(7) == 7


@pytest.mark.parametrize("length", [1, 128, 700])
def test_one_and_many_operations(name, task, length):
    batch = task.sample(np.random.default_rng(0), 4, length=length)
    for inputs, targets in zip(batch["inputs"].tolist(), batch["targets"]):
        found, _ = run(name, inputs, 5)
        assert [number(target) for target in targets] == [popped or 0 for popped in found]


def test_the_t_th_operation_is_a_pop_with_probability_t_of_n(name, task):
    for length in (32, 10):
        batch = task.sample(np.random.default_rng(1), 20_000, length=length)
        expected = np.arange(1, length + 1) / length
        np.testing.assert_allclose(
            batch["weights"].mean(axis=0), expected, atol=5 * 0.5 / np.sqrt(20_000)
        )
    # With k from 1 to 3, the mean of x^k is (x³ - x) / (2 ln x).
    batch = task.sample(np.random.default_rng(1), 20_000, length=10, late_pops=3.0)
    share = np.arange(1, 10) / 10
    expected = (share**3 - share) / (2 * np.log(share))
    np.testing.assert_allclose(batch["weights"].mean(axis=0)[:-1], expected, atol=0.02)
    # Also in short examples among long ones.
    batch = task.sample(np.random.default_rng(1), 40_000, length=10, min_length=1)
    of_five = batch["weights"][batch["difficulty"][:, 0] == 5]
    np.testing.assert_allclose(of_five[:, :5].mean(axis=0), np.arange(1, 6) / 5, atol=0.05)


def test_a_share_of_the_sequences_is_drained(name, task):
    shares = []
    for drained_share in (0.0, 0.5):
        batch = task.sample(
            np.random.default_rng(3), 1000, late_pops=3.0, drained_share=drained_share
        )
        empty = [not left(inputs, run(name, inputs, 5)[1]) for inputs in batch["inputs"].tolist()]
        shares.append(np.mean(empty))
    np.testing.assert_allclose(shares[1], 0.5 + 0.5 * shares[0], atol=0.06)


def test_what_the_readmes_say_of_empty_and_full_structures(name, task):
    """A POP finds nothing in about half of the sequences; 128 operations fill most queues."""
    batch = task.sample(np.random.default_rng(2), 1000)
    empty = []
    for inputs in batch["inputs"].tolist():
        _, sizes = run(name, inputs, 5)
        empty.append(any(not size and not vector[0] for size, vector in zip(sizes, inputs)))
    np.testing.assert_allclose(np.mean(empty), 0.52, atol=0.05)
    if name == "ham_priority_queue":
        full = {}
        for length in (32, 128):
            batch = task.sample(np.random.default_rng(3), 300, length=length)
            sizes = [run(name, inputs, 5)[1] for inputs in batch["inputs"].tolist()]
            full[length] = np.mean(np.max(sizes, axis=1) == 32)
            assert np.max(sizes) <= 32
        assert full[32] < 0.01 and full[128] > 0.6


def test_values_and_priorities_are_uniform(name, task):
    batch = task.sample(np.random.default_rng(4), 5_000)
    values = batch["inputs"][batch["inputs"][..., 0] == 1][:, -5:]
    np.testing.assert_allclose(values.mean(axis=0), 0.5, atol=0.02)
    # Later a high priority is free more often, because its element goes first.
    first = batch["inputs"][batch["inputs"][:, 0, 0] == 1, 0, 1:6]
    counts = np.bincount([number(bits) for bits in first], minlength=32)
    np.testing.assert_allclose(counts / len(first), 1 / 32, atol=5 * 0.18 / np.sqrt(len(first)))


def test_a_priority_comes_again_when_its_element_is_gone():
    task = datasets.task("ham_priority_queue")
    inputs = task.encode("PUSH 7:1, POP, PUSH 7:2, PUSH 0:3, POP, POP, POP, PUSH 0:1, POP")
    assert task.decode(task.answers(inputs)[0]) == list("010023001")
    with pytest.raises(ValueError, match=r"different priorities. Received: priority 7 at step 2"):
        task.encode("PUSH 7:1, PUSH 3:1, PUSH 7:2")


TEXTS = {
    "ham_stack": "PUSH 5, PUSH 31, POP, POP, POP",
    "ham_queue": "PUSH 5, PUSH 31, POP, POP, POP",
    "ham_priority_queue": "PUSH 2:5, PUSH 1:31, POP, POP, POP",
}


def test_human_form(name, task):
    inputs = task.encode(TEXTS[name], length=3)
    assert inputs.dtype == np.float32 and inputs.shape == (1, 5, task.sizes()["width"])
    padded = np.pad(inputs[0], ((0, 3), (0, 0)), constant_values=task.PADDING)
    assert task.describe(inputs[0]) == task.describe(padded) == TEXTS[name].split(", ")
    answers = ["31", "5"] if name == "ham_stack" else ["5", "31"]
    targets = task.answers(inputs)[0]
    assert task.decode(0.8 * targets + 0.1) == ["0", "0", *answers, "0"]
    np.testing.assert_array_equal(task.encode(TEXTS[name].lower().replace(", ", " ,")), inputs)


@pytest.mark.parametrize(
    "text", ["", "POP POP", "PUSH", "PUSH 32", "PUSH -1", "PUSH x", "PULL 3", "PUSH 1:2:3", "POP,"]
)
def test_no_input(task, text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert "operations separated by commas, with numbers below 32" in str(error.value)
    assert repr(text) in str(error.value)


def test_elements_with_and_without_priorities():
    for name, text in (("ham_stack", "PUSH 1:2"), ("ham_priority_queue", "PUSH 1")):
        with pytest.raises(ValueError, match="for instance 'PUSH"):
            datasets.task(name).encode(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[0], "must be numbers (batch, n, width)"),
        (lambda x: 0.5 * x, "must be bits, 0 or 1. Received: 0.5"),
        (lambda x: x[..., :1], "must have 1 element"),
        (lambda x: np.concatenate([0 * x[..., :1], x[..., 1:]], -1), "a POP, and must be zeros"),
        (lambda x: 0 * x - 1, "vectors and then padding"),
    ],
)
def test_answers_of_no_operations(name, task, change, message):
    with pytest.raises(ValueError) as error:
        task.answers(change(task.encode(TEXTS[name])))
    assert message in str(error.value)


def test_priority_and_value_have_the_same_width():
    with pytest.raises(ValueError, match=r"a priority and a value of the same width. Received: 6"):
        datasets.task("ham_priority_queue").answers(np.zeros((1, 3, 6)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"length": 0}, "`length` must be an integer of at least 1. Received: 0"),
        ({"length": 7.5}, "`length` must be an integer"),
        ({"min_length": 33}, "1 <= min_length <= length must hold"),
        ({"short_share": -1}, "`short_share` must lie between 0 and 1. Received: -1"),
        ({"late_pops": 0.5}, "`late_pops` must be at least 1. Received: 0.5"),
        ({"drained_share": 2}, "`drained_share` must lie between 0 and 1. Received: 2"),
        ({"bits": 0}, "`bits` must be an integer of at least 1. Received: 0"),
        ({"bits": 33}, "`bits` must lie between 1 and"),
    ],
)
def test_parameters_out_of_range(task, wrong, message):
    with pytest.raises(ValueError) as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert message in str(error.value)
