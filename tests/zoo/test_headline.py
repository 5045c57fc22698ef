"""The first line on an entry: where it was trained, and beyond."""

from keras_adaptive.zoo.headline import cells, headline

LENGTHS = [
    {"probe": None, "least": 1, "length": 20, "sequence_error": 0.5},
    {"probe": None, "least": 20, "length": 20, "sequence_error": 0.01},
    {"probe": "carries", "least": 20, "length": 20, "sequence_error": 0.9},
    {"probe": None, "least": 2000, "length": 2000, "sequence_error": 0.25},
]


def recipe(**changes):
    return {"dataset": "neural_gpu_addition", "parameters": {"bits": 20}, **changes}


def test_of_lengths():
    """Random examples of a single length count, not probes and not mixed lengths."""
    found = headline(recipe(length_parameters=("min_bits", "bits")), {"lengths": LENGTHS})
    assert found["task"] == "addition"
    assert found["trained_on"] == "up to 20 bits"
    assert cells(found) == ["1.00 %", "25.00 % at 2000 bits"]
    assert not found["experiment"]


def test_of_memories():
    sizes = [{"leaves": n, "sequence_error": e} for n, e in ((32, 0.84), (64, 1.0), (128, 1.0))]
    for row in sizes:
        row |= {"probe": None, "least": 1}
    found = headline(recipe(length_parameters=("min_length", "length")), {"sizes": sizes})
    assert cells(found) == ["84.00 %", "100.00 % at 128 leaves"]
    assert found["experiment"]


def test_of_what_has_one_distribution_and_of_a_text():
    found = headline(recipe(parameters={"gates": 10, "same_length": True}), {"sequence_error": 0.2})
    assert found["trained_on"] == "10 gates"
    assert cells(found) == ["20.00 %", "–"]
    found = headline(recipe(parameters={"size": 1000}), {"bits_per_character": 3.0131})
    assert cells(found) == ["3.01 bits a byte", "–"]
    assert not found["experiment"]
