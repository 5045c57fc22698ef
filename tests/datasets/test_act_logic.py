"""Logic: answers recomputed in plain Python, human forms, parameters, distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles.act_logic import NAMES, ROWS, TABLE_1, answer, read

task = datasets.task("act_logic")

def test_table_1():
    assert list(task.NAMES) == NAMES
    for name, (column, formula) in TABLE_1.items():
        truth = [letter == "T" for letter in column]
        assert [bool(formula(p, q)) for p, q in ROWS] == truth
        assert [bool(value) for value in task.GATES[name]] == truth


@st.composite
def parameters(draw):
    found = {}
    for name in ("gates", "vectors"):
        found[f"max_{name}"] = draw(st.integers(1, 12))
        found[name] = draw(st.integers(1, found[f"max_{name}"]))
        found[f"min_{name}"] = draw(st.integers(1, found[name]))
    found["hard_share"] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    found["same_length"] = draw(st.booleans())
    return found


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    batch = task.sample(np.random.default_rng(seed), 10, **parameters)
    assert batch["inputs"].shape[2] == task.sizes(**parameters)["width"]
    for sequence, targets, weights, difficulty in zip(
        *(batch[name].tolist() for name in ("inputs", "targets", "weights", "difficulty"))
    ):
        vectors = read(sequence)
        counts = [len(gates) for _, _, gates in vectors]
        real = len(vectors)
        assert parameters["min_vectors"] <= real <= parameters["vectors"]
        assert all(parameters["min_gates"] <= n <= parameters["gates"] for n in counts)
        # gates fill the first chunks
        for vector, count in zip(sequence, counts):
            assert all(any(vector[2 + 10 * i : 12 + 10 * i]) for i in range(count))
        assert not any(b_0 for b_0, _, _ in vectors[1:])
        padding = [0] * (len(sequence) - real)
        assert targets == [*answer(sequence[:real]), *padding]
        assert weights == [*[1.0] * real, *padding]
        assert difficulty == [*counts, *padding]


def test_distribution():
    batch = task.sample(np.random.default_rng(2), 20_000)
    lengths = (batch["difficulty"] > 0).sum(axis=1)
    shares = np.bincount(lengths, minlength=11)[1:] / 20_000
    np.testing.assert_allclose(shares, 0.1, atol=5 * 0.3 / np.sqrt(20_000))
    counts = batch["difficulty"][batch["difficulty"] > 0]
    shares = np.bincount(counts, minlength=11)[1:] / len(counts)
    np.testing.assert_allclose(shares, 0.1, atol=5 * 0.3 / np.sqrt(len(counts)))
    gates = batch["inputs"][..., 2:].reshape(-1, 10).sum(axis=0)
    np.testing.assert_allclose(gates / gates.sum(), 0.1, atol=5 * 0.3 / np.sqrt(gates.sum()))
    first, later = batch["inputs"][:, 0, :2], batch["inputs"][lengths > 1, 1, :2]
    np.testing.assert_allclose(first.mean(axis=0), 0.5, atol=0.02)
    np.testing.assert_allclose(later.mean(axis=0), [0.0, 0.5], atol=0.02)


def test_hard_share():
    batch = task.sample(np.random.default_rng(0), 4000, hard_share=0.3)
    real = batch["difficulty"] > 0
    # a fifth of the others has 9 or 10 gates too
    share = (batch["difficulty"] >= 9).sum() / real.sum()
    np.testing.assert_allclose(share, 0.3 + 0.7 * 0.2, atol=0.02)


words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=10).map(" ".join)
bits = st.sampled_from("01")
first_vectors = st.tuples(bits, bits, words).map(" ".join)
later_vectors = st.lists(st.tuples(bits, words).map(" ".join), max_size=12)


@given(first_vectors, later_vectors)
def test_human_form_there_and_back(first, later):
    sequence = task.encode("; ".join([first, *later]))
    assert sequence.shape == (1, 1 + len(later), 102)
    assert task.describe(sequence[0]) == [first, *later]
    assert task.answers(sequence)[0].tolist() == answer(sequence[0].tolist())


def test_gates_in_small_letters_and_a_last_semicolon():
    expected = task.encode("1 0 AND if/then; 1 NOR")
    np.testing.assert_array_equal(task.encode(" 1 0 and IF/THEN ;1 nor; "), expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 0",
        "1 AND",
        "2 0 AND",
        "1 0 AND; 1 0 AND",
        "1 0 AND; AND",
        "1 0 MAYBE",
        "1 0 AND;; 1 OR",
        "1 0" + " OR" * 11,
    ],
)
def test_no_sequence(text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value)
    assert "for instance '1 0 AND XOR; 1 NOR'" in str(error.value)


def test_decode():
    assert task.decode(np.array([[0.2], [0.9]])) == ["0", "1"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"gates": 11}, "gates=11"),
        ({"gates": 0}, "gates=0"),
        ({"min_gates": 0}, "min_gates=0"),
        ({"vectors": 11}, "vectors=11"),
        ({"min_vectors": 6, "vectors": 5}, "min_vectors=6"),
        ({"max_vectors": 2.5, "vectors": 2}, "max_vectors=2.5"),
        ({"hard_share": 2}, "2"),
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
        # Q is the older bit, P the newer.
        ("0 1 if/then", [0]),
        ("0 1 then/if", [1]),
        ("0 1 Xq", [0]),
        ("0 1 ABJ", [1]),
        # The second vector's older bit is the first one's answer.
        ("1 1 NAND; 1 AND", [0, 0]),
        ("1 1 AND; 1 AND", [1, 1]),
        ("1 0 OR AND", [0]),
    ],
)
def test_answers_worked_out_by_hand(text, answer):
    assert task.answers(task.encode(text)).tolist() == [answer]
