"""The first line on an entry: where it was trained, and beyond."""

import subprocess
import sys

from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.entries.headline import cells, headline, limits_in_words

LENGTHS = [
    {"probe": None, "least": 1, "length": 20, "sequence_error": 0.5},
    {"probe": None, "least": 20, "length": 20, "sequence_error": 0.01},
    {"probe": "carries", "least": 20, "length": 20, "sequence_error": 0.9},
    {"probe": None, "least": 2000, "length": 2000, "sequence_error": 0.25},
]


def recipe(name, **changes):
    """What the `recipe.json` of an entry holds, with changes."""
    return {**recipes.load(name).to_dict(), **changes}


def test_of_lengths():
    """Random examples of a single length count, not probes and not mixed lengths."""
    found = headline(recipe("neural_gpu_addition"), {"lengths": LENGTHS})
    assert found["task"] == "addition"
    assert found["trained_on"] == "up to 20 bits"
    assert cells(found) == ["1.00 %", "25.00 % at 2000 bits"]
    assert not found["experiment"]


def test_of_a_range_beyond_training():
    beyond = {"min_length": 49, "length": 96, "sequence_error": 0.02}
    found = headline(recipe("pondernet_parity"), {"sequence_error": 0.0, "beyond": beyond})
    assert found["task"] == "sparse parity" and found["trained_on"] == "up to 48 non-zeros"
    assert cells(found) == ["0.00 %", "2.00 % at 49 to 96 non-zeros"]


def test_of_memories():
    sizes = [{"leaves": n, "sequence_error": e} for n, e in ((32, 0.84), (64, 1.0), (128, 1.0))]
    for row in sizes:
        row |= {"probe": None, "least": 1}
    found = headline(recipe("dham_sort"), {"sizes": sizes})
    assert cells(found) == ["84.00 %", "100.00 % at 128 leaves"]
    assert found["experiment"]


def test_of_tours():
    rows = [
        {"least": n, "length": n, "sequence_error": 0.5, "length_ratio": 1 + n / 1000}
        for n in (5, 10, 12)
    ]
    found = headline(recipe("tour_pointer"), {"lengths": rows})
    assert cells(found) == ["tours 1.00 % longer", "1.20 % longer at 12 points"]
    assert limits_in_words(found) == (
        "Trained on up to 10 points. With 10 points, a tour is 1.00 % longer than the shortest on "
        "average; with\n12 points, the largest inputs that were measured, it is 1.20 % longer."
    )


def test_of_what_was_measured_on_nothing_larger():
    rows = [
        {"least": n, "length": n, "sequence_error": n / 25, "length_ratio": 1 + n / 500}
        for n in (5, 20)
    ]
    found = headline(recipe("tour20_pointer"), {"lengths": rows})
    assert cells(found) == ["tours 4.00 % longer", "–"] and not found["experiment"]
    assert limits_in_words(found).endswith("average. It was not measured on larger inputs.")
    row = {"least": 50, "length": 50, "sequence_error": 0.4}
    found = headline(recipe("hull50_pointer"), {"lengths": [row]})
    assert cells(found) == ["40.00 %", "–"]
    assert limits_in_words(found).endswith("are wrong. It was not measured on larger inputs.")
    rows[-1]["length_ratio"] = 1.6
    assert headline(recipe("tour20_pointer"), {"lengths": rows})["experiment"]


def test_of_pictures_whose_size_no_recipe_sets():
    found = headline(recipe("sact_cifar10"), {"sequence_error": 0.15, "sides": []})
    assert found["trained_on"] == "CIFAR-10"
    assert limits_in_words(found).startswith(
        "Trained on CIFAR-10. On inputs like these 15.00 % of the answers"
    )


def test_of_what_has_one_distribution_and_of_a_text():
    found = headline(
        recipe("act_logic", parameters={"gates": 10, "same_length": True}), {"sequence_error": 0.2}
    )
    assert found["trained_on"] == "up to 10 gates"
    assert cells(found) == ["20.00 %", "–"]
    found = headline(
        recipe("act_enwik8", parameters={"size": 1000}), {"bits_per_character": 3.0131}
    )
    assert found["trained_on"] == "900 bytes"
    assert cells(found) == ["3.01 bits per byte", "–"]
    assert not found["experiment"]


def test_list_comes_without_keras_and_tells_experiments_apart():
    script = """
import sys
from keras_adaptive.zoo import cli
assert cli.main(["list"]) == 0
assert not {"keras", "tensorflow", "jax"} & set(sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    products, experiments = result.stdout.split("\nExperiments, which did not learn their task:\n")
    assert "neural_gpu_addition " in products and "dham_sort " not in products
    assert "dham_sort " in experiments and "84.24 %" in experiments
