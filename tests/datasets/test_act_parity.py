"""Parity: answers recomputed in plain Python, human forms, parameters, distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles.act_parity import parity

task = datasets.task("act_parity")


@st.composite
def parameters(draw):
    bits = draw(st.integers(1, 70))
    positions = draw(st.integers(1, bits))
    max_nonzeros = draw(st.integers(1, positions))
    return {
        "bits": bits,
        "positions": positions,
        "max_nonzeros": max_nonzeros,
        "min_nonzeros": draw(st.integers(1, max_nonzeros)),
        "placement": draw(st.sampled_from(["random", "prefix"])),
        "hard_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }


@given(parameters(), st.integers(0, 2**32))
def test_every_example_is_as_its_parameters_say(parameters, seed):
    batch = task.sample(np.random.default_rng(seed), 20, **parameters)
    assert batch["inputs"].shape == (20, 1, parameters["bits"])
    assert batch["weights"].tolist() == [[1.0]] * 20
    for vectors, targets, difficulty in zip(
        batch["inputs"].tolist(), batch["targets"].tolist(), batch["difficulty"].tolist()
    ):
        (vector,), (count,) = vectors, difficulty
        places = [place for place, element in enumerate(vector) if element]
        assert set(vector) <= {-1.0, 0.0, 1.0}
        assert len(places) == count
        assert parameters["min_nonzeros"] <= count <= parameters["max_nonzeros"]
        assert max(places) < parameters["positions"]
        if parameters["placement"] == "prefix":
            assert places == list(range(count))
        assert targets == [parity(vector)]


@pytest.fixture(scope="module")
def many():
    return task.sample(np.random.default_rng(1), 32_000)


def test_the_number_of_nonzeros_is_uniform(many):
    counts = np.bincount(many["difficulty"][:, 0], minlength=65)[1:]
    assert len(counts) == 64
    # chi-square with 63 degrees of freedom: mean 63, standard deviation 11
    assert ((counts - 500) ** 2 / 500).sum() < 63 + 5 * 11.3


def test_nonzeros_lie_anywhere_and_have_either_sign(many):
    inputs = many["inputs"][:, 0]
    at_place = (inputs != 0).mean(axis=0)
    np.testing.assert_allclose(at_place, 32.5 / 64, atol=5 * 0.5 / np.sqrt(32_000))
    np.testing.assert_allclose((inputs[inputs != 0] == 1).mean(), 0.5, atol=0.004)


def test_odd_and_even_are_as_frequent(many):
    np.testing.assert_allclose(many["targets"].mean(), 0.5, atol=5 * 0.5 / np.sqrt(32_000))


def test_hard_share():
    batch = task.sample(np.random.default_rng(0), 20_000, hard_share=0.4)
    # the other 60 % are above half of the positions half of the time
    np.testing.assert_allclose((batch["difficulty"] > 32).mean(), 0.7, atol=0.02)


@given(st.text("+-0", min_size=1, max_size=64).filter(lambda text: set(text) != {"0"}))
def test_human_form_there_and_back(text):
    vector = task.encode(text)
    assert vector.shape == (1, 1, 64)
    assert task.describe(vector[0]) == [text.ljust(64, "0")]
    assert task.answers(vector).tolist() == [[text.count("+") % 2]]


@pytest.mark.parametrize("text", ["+-0+", "1-01", "+1 -1 0 +1", "1, -1, 0, 1", " + - 0 + ", "+-01"])
def test_forms_of_one_vector(text):
    assert task.encode(text, bits=4).tolist() == [[[1.0, -1.0, 0.0, 1.0]]]


@pytest.mark.parametrize("text", ["", "  ", "0", "000", "+x-", "+2", "+" * 65])
def test_no_vector(text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value)
    assert "for instance '+-0+'" in str(error.value)


def test_decode():
    assert task.decode(np.array([[0.2], [0.5], [0.9]])) == ["even", "odd", "odd"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"bits": 0}, "bits=0"),
        ({"bits": 8.0}, "bits=8.0"),
        ({"positions": 65}, "positions=65"),
        ({"positions": 0}, "positions=0"),
        ({"min_nonzeros": 0}, "min_nonzeros=0"),
        ({"min_nonzeros": 9, "max_nonzeros": 8}, "min_nonzeros=9"),
        ({"max_nonzeros": 65}, "max_nonzeros=65"),
        ({"placement": "left"}, "'left'"),
        ({"hard_share": 1.5}, "1.5"),
        ({"hard_share": -1}, "-1"),
    ],
)
def test_parameters_out_of_range(wrong, named):
    with pytest.raises(ValueError, match=r"must (hold|be|lie)") as error:
        task.sample(np.random.default_rng(0), 2, **wrong)
    assert named in str(error.value)
    assert next(iter(wrong)) in str(error.value)


@pytest.mark.parametrize(("text", "answer"), [("+", 1), ("-", 0), ("+-", 1), ("++-", 0)])
def test_answers_worked_out_by_hand(text, answer):
    assert task.answers(task.encode(text)).tolist() == [[answer]]
