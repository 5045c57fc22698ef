"""The numbers that the probes draw, and the old name of their module."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_adaptive import datasets
from support.oracles.numbers import value

TASKS = ["neural_gpu_addition", "neural_gpu_multiplication"]
lengths = st.integers(1, 40)
bases = st.integers(2, 10)


def drawn(name, probe, bits, base, count=60):
    """Pairs of numbers, each as digits, the least significant first."""
    batch = datasets.task(name).sample(
        np.random.default_rng(bits), count, bits=bits, min_bits=bits, base=base, probe=probe
    )
    digits = (batch["inputs"] - 1).tolist()
    return [(row[:bits], row[bits + 1 :]) for row in digits]


def longest_chain(first, second, base):
    """The number of places one after the other out of which a carry comes."""
    longest = chain = carry = 0
    for one, other in zip(first, second):
        carry = one + other + carry >= base
        chain = chain + 1 if carry else 0
        longest = max(longest, chain)
    return longest


@given(lengths, bases)
def test_a_carry_runs_through_half_of_the_digits(bits, base):
    pairs = drawn("neural_gpu_addition", "carries", bits, base)
    chains = [longest_chain(first, second, base) for first, second in pairs]
    assert min(chains) >= (bits + 1) // 2


def test_carries_of_every_length_begin_wherever_there_is_room():
    pairs = drawn("neural_gpu_addition", "carries", 8, 10, count=4000)
    assert {longest_chain(*pair, 10) for pair in pairs} == {4, 5, 6, 7, 8}
    begins = {next(i for i in range(8) if a[i] + b[i] >= 10) for a, b in pairs}
    assert begins == set(range(5))
    # Every pair of digits that makes a carry, at the least place.
    found = {(a[0], b[0]) for a, b in pairs if a[0] + b[0] >= 10}
    assert found == {(i, j) for i in range(10) for j in range(10) if i + j >= 10}


@given(lengths, bases)
def test_products_next_to_a_power(bits, base):
    products = [
        value(first, base) * value(second, base)
        for first, second in drawn("neural_gpu_multiplication", "carries", bits, base)
    ]
    power = base ** (2 * bits - 1)
    assert all(abs(product - power) < base**bits for product in products)
    if bits > 3:
        assert min(products) < power < max(products)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("probe", ["ones", "zeros", "powers"])
@given(lengths, bases)
def test_one_number_or_both(name, probe, bits, base):
    special = {
        "ones": lambda number: number == base**bits - 1,
        "zeros": lambda number: number == 0,
        "powers": lambda number: number in {base**place for place in range(bits)},
    }[probe]
    kinds = {
        (special(value(first, base)), special(value(second, base)))
        for first, second in drawn(name, probe, bits, base)
    }
    assert (False, False) not in kinds and (True, True) in kinds
    if bits > 8:
        assert kinds == {(True, True), (True, False), (False, True)}


@pytest.mark.parametrize("name", TASKS)
def test_every_power(name):
    pairs = drawn(name, "powers", 9, 2, count=2000)
    assert {value(first, 2) for first, _ in pairs} >= {2**place for place in range(9)}
    both = {(value(a, 2), value(b, 2)) for a, b in pairs if sum(a) == sum(b) == 1}
    assert len({a for a, _ in both}) == len({b for _, b in both}) == 9 and len(both) > 40


@pytest.mark.parametrize("name", TASKS)
@given(lengths, bases)
def test_numbers_of_unequal_length(name, bits, base):
    pairs = drawn(name, "unequal", bits, base)
    for first, second in pairs:
        assert (first[-1] == 0) != (second[-1] == 0)
    assert {first[-1] == 0 for first, _ in pairs} == {True, False}


def test_the_old_name_warns():
    with pytest.warns(DeprecationWarning, match=r"datasets\.symbols\.probes"):
        old = importlib.reload(importlib.import_module("keras_adaptive.datasets.probes"))
    assert set(old.PROBES) == {"carries", "ones", "zeros", "powers", "unequal"}
