"""What every task promises: shapes, padding, weights, one generator for all that is drawn."""

import keras
import numpy as np
import pytest

from keras_adaptive import datasets

SEQUENCES = tuple(name for name in datasets.names() if name != "act_parity")
ACT = tuple(name for name in datasets.names() if name.startswith("act_"))
TEXTS = {
    "act_addition": "12+345+6",
    "act_logic": "1 0 AND XOR; 1 NOR",
    "act_parity": "+-0+",
    "act_sort": "0.3 -1.2 0.8",
    "ham_add": "110+011",
    "ham_merge": "0.1:7 0.3:1 | 0.2:9",
    "ham_priority_queue": "PUSH 3:7, PUSH 1:9, POP",
    "ham_queue": "PUSH 7, PUSH 9, POP",
    "ham_reverse": "7 9 1",
    "ham_search": "1:7 3:9 ? 3",
    "ham_sort": "3:7 1:9",
    "ham_stack": "PUSH 7, PUSH 9, POP",
    "neural_gpu_addition": "110+011",
    "neural_gpu_copy": "0110",
    "neural_gpu_duplicate": "0110",
    "neural_gpu_multiplication": "110*011",
    "neural_gpu_reverse": "0110",
    "neural_gpu_sort_bits": "0110",
}
# smaller than the paper's in every respect
SMALL = {
    "act_addition": {"max_digits": 2, "digits": 1, "max_numbers": 4, "numbers": 3},
    "act_logic": {"max_gates": 3, "gates": 2, "max_vectors": 4, "vectors": 3},
    "act_parity": {"bits": 6},
    "act_sort": {"max_numbers": 5, "numbers": 4},
    "ham_add": {"length": 14},
    "ham_merge": {"length": 9, "value_bits": 2},
    "ham_priority_queue": {"length": 12, "min_length": 1, "bits": 2},
    "ham_queue": {"length": 9, "min_length": 1, "bits": 2},
    "ham_reverse": {"length": 9, "bits": 3},
    "ham_search": {"length": 9, "key_bits": 3, "value_bits": 3},
    "ham_sort": {"length": 9, "key_bits": 2, "value_bits": 2},
    "ham_stack": {"length": 9, "min_length": 1, "bits": 2},
    "neural_gpu_addition": {"bits": 7},
    "neural_gpu_copy": {"length": 8},
    "neural_gpu_duplicate": {"length": 9},
    "neural_gpu_multiplication": {"bits": 7},
    "neural_gpu_reverse": {"length": 8},
    "neural_gpu_sort_bits": {"length": 8},
}


# By default all their examples are of one length.
OPERATIONS = ("ham_priority_queue", "ham_queue", "ham_stack")


def outputs_of(task, length):
    """How many targets an example of so many inputs has."""
    return task.output_length(length) if hasattr(task, "output_length") else length


@pytest.fixture(params=datasets.names())
def name(request):
    return request.param


@pytest.fixture(params=["paper", "small"])
def parameters(request, name):
    return {} if request.param == "paper" else SMALL[name]


@pytest.fixture
def task(name):
    return datasets.task(name)


@pytest.fixture
def batch(task, parameters):
    return task.sample(np.random.default_rng(7), 50, **parameters)


def test_shapes_and_types(task, parameters, batch):
    """Inputs are vectors of `width` numbers, or each one of so many `symbols`."""
    sizes = task.sizes(**parameters)
    time = batch["inputs"].shape[1]
    vectors = (sizes["width"],) if "width" in sizes else ()
    assert batch["inputs"].shape == (50, time, *vectors)
    if not vectors:
        assert batch["inputs"].min() >= task.PADDING
        assert batch["inputs"].max() == sizes["symbols"] - 1
    several = (sizes["outputs"],) if sizes.get("outputs", 1) > 1 else ()
    assert batch["difficulty"].shape == (50, time)
    assert batch["weights"].shape == (50, outputs_of(task, time))
    assert batch["targets"].shape == (*batch["weights"].shape, *several)
    assert {feature: array.dtype.name for feature, array in batch.items()} == {
        "inputs": "float32" if vectors else "int32",
        "targets": "int32",
        "weights": "float32",
        "difficulty": "int32",
    }
    assert 0 <= batch["targets"].min() <= batch["targets"].max() < sizes["classes"]


def test_padding_is_at_the_end_and_counts_nothing(task, batch):
    padding = batch["inputs"].reshape(*batch["difficulty"].shape, -1) == task.PADDING
    padding = padding.all(axis=-1)
    real = batch["difficulty"] > 0
    np.testing.assert_array_equal(padding, ~real)
    np.testing.assert_array_equal(np.sort(padding, axis=1), padding)
    assert real[:, 0].all()
    for length, weights in zip(real.sum(axis=1), batch["weights"]):
        assert not weights[outputs_of(task, length) :].any()
    assert set(np.unique(batch["weights"])) <= {0.0, 1.0}


@pytest.mark.parametrize("name", ACT)
def test_masking_leaves_out_the_padding_alone(task, batch):
    mask = keras.layers.Masking(task.PADDING).compute_mask(batch["inputs"])
    np.testing.assert_array_equal(np.asarray(mask), batch["difficulty"] > 0)


@pytest.mark.parametrize("first_target", [False, True])
def test_a_single_number_has_a_sum_only_if_asked(first_target):
    task = datasets.task("act_addition")
    batch = task.sample(np.random.default_rng(0), 200, first_target=first_target)
    alone = (batch["difficulty"] > 0).sum(axis=1) == 1
    assert 20 < alone.sum() < 60
    np.testing.assert_array_equal(batch["weights"].any(axis=1), ~alone | first_target)


@pytest.mark.parametrize("name", SEQUENCES)
def test_same_length(name):
    task = datasets.task(name)
    lengths = set()
    parameters = {"min_length": 1} if name in OPERATIONS else {}
    for seed in range(20):
        batch = task.sample(np.random.default_rng(seed), 3, same_length=True, **parameters)
        assert (batch["difficulty"] > 0).all()
        lengths.add(batch["inputs"].shape[1])
    assert len(lengths) > 3


def test_all_that_is_drawn_comes_from_the_generator(task, parameters, batch):
    np.random.seed(1)  # noqa: NPY002 - it must not matter
    again = task.sample(np.random.default_rng(7), 50, **parameters)
    other = task.sample(np.random.default_rng(8), 50, **parameters)
    for feature in batch:
        np.testing.assert_array_equal(again[feature], batch[feature])
    assert not np.array_equal(other["inputs"], batch["inputs"])


def test_targets_follow_from_inputs(task, batch):
    counted = batch["weights"] > 0
    np.testing.assert_array_equal(task.answers(batch["inputs"])[counted], batch["targets"][counted])


@pytest.mark.parametrize("name", ACT)
def test_examples_in_human_form(task, name, batch):
    real = batch["difficulty"][0] > 0
    example = batch["inputs"][0][real]
    apart = {"act_addition": "+", "act_logic": "; ", "act_parity": "", "act_sort": " "}[name]
    text = apart.join(task.describe(example))
    width = {"act_addition": 10, "act_logic": 10, "act_parity": 1, "act_sort": 1}[name]
    limits = {
        "act_addition": {"max_digits": example.shape[1] // width},
        "act_logic": {"max_gates": (example.shape[1] - 2) // width},
        "act_parity": {"bits": example.shape[1]},
        "act_sort": {},
    }[name]
    np.testing.assert_array_equal(task.encode(text, **limits)[0], example)


def test_encode_passes_over_parameters_of_difficulty(task, name):
    """So that all parameters of a recipe can be handed to it."""
    expected = task.encode(TEXTS[name])
    np.testing.assert_array_equal(task.encode(TEXTS[name], hard_share=0.3), expected)


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("act_parity", "+", [1]),
        ("act_parity", "-", [0]),
        ("act_parity", "+-", [1]),
        ("act_parity", "++-", [0]),
        # Q is the older bit, P the newer.
        ("act_logic", "0 1 if/then", [0]),
        ("act_logic", "0 1 then/if", [1]),
        ("act_logic", "0 1 Xq", [0]),
        ("act_logic", "0 1 ABJ", [1]),
        # The second vector's older bit is the first one's answer.
        ("act_logic", "1 1 NAND; 1 AND", [0, 0]),
        ("act_logic", "1 1 AND; 1 AND", [1, 1]),
        ("act_logic", "1 0 OR AND", [0]),
        ("act_addition", "0+0", [[0, *[10] * 5]] * 2),
        ("act_addition", "007+05", [[7, *[10] * 5], [1, 2, *[10] * 4]]),
        ("act_sort", "3 1 2", [0, 0, 0, 1, 2, 0]),
    ],
)
def test_answers_worked_out_by_hand(name, text, answer):
    task = datasets.task(name)
    assert task.answers(task.encode(text))[0].tolist() == answer
