"""The builders of TFDS: its own test case for each, and what the READMEs promise."""

import itertools

import hypothesis
import numpy as np
import pytest
import tensorflow_datasets as tfds
from hypothesis import strategies as st

from keras_adaptive import datasets
from keras_adaptive.datasets import task_dataset_builder
from keras_adaptive.datasets.act_addition import act_addition_dataset_builder as addition
from keras_adaptive.datasets.act_logic import act_logic_dataset_builder as logic
from keras_adaptive.datasets.act_parity import act_parity_dataset_builder as parity
from keras_adaptive.datasets.act_sort import act_sort_dataset_builder as sort

SIZES = {"train": 40, "validation": 10, "test": 20}
CONFIGS = {
    "act_addition": addition.ActAdditionConfig,
    "act_logic": logic.ActLogicConfig,
    "act_parity": parity.ActParityConfig,
    "act_sort": sort.ActSortConfig,
}


@pytest.fixture(params=CONFIGS)
def name(request):
    return request.param


class _Case(tfds.testing.DatasetBuilderTestCase):
    SPLITS = SIZES
    # Nothing is downloaded; the test case wants a folder all the same.
    EXAMPLE_DIR = "."


class TestAddition(_Case):
    DATASET_CLASS = addition.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = (addition.ActAdditionConfig(**SIZES),)


class TestLogic(_Case):
    DATASET_CLASS = logic.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = (logic.ActLogicConfig(**SIZES),)


class TestParity(_Case):
    DATASET_CLASS = parity.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = (
        parity.ActParityConfig(**SIZES),
        # 32 vectors: the splits share none although they repeat within a split.
        parity.ActParityConfig(bits=16, max_nonzeros=1, **SIZES),
    )


class TestSort(_Case):
    DATASET_CLASS = sort.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = (sort.ActSortConfig(min_separation=0.05, **SIZES),)


del _Case


def prepared(name, folder, **parameters):
    builder = tfds.builder(name, data_dir=folder, config=CONFIGS[name](**parameters, **SIZES))
    builder.download_and_prepare()
    return builder


def test_files_hold_the_examples(name, tmp_path):
    """What is read back is what `sample` gave, without padding; twice the same."""
    builder = prepared(name, tmp_path / "first")
    again = prepared(name, tmp_path / "second")
    other = prepared(name, tmp_path / "first", seed=1)
    task = datasets.task(name)
    for split, size in SIZES.items():
        examples = list(tfds.as_numpy(builder.as_dataset(split)))
        assert len(examples) == size
        for example, same in zip(examples, tfds.as_numpy(again.as_dataset(split))):
            assert example.keys() == {"inputs", "targets", "weights", "difficulty"}
            assert len({len(values) for values in example.values()}) == 1
            assert (example["difficulty"] > 0).all()
            answers = task.answers(example["inputs"][None])[0]
            assert np.array_equal(example["targets"], answers)
            for feature, values in example.items():
                assert np.array_equal(values, same[feature])
        different = list(tfds.as_numpy(other.as_dataset(split)))
        assert any(
            not np.array_equal(a["inputs"], b["inputs"]) for a, b in zip(examples, different)
        )


def test_default_is_the_paper(name):
    builder = tfds.builder(name, data_dir="unused")
    assert builder.builder_config.name == "paper"
    parameters = builder.builder_config.parameters
    rng = np.random.default_rng
    sampled = datasets.task(name).sample(rng(0), 3)
    for feature, values in datasets.task(name).sample(rng(0), 3, **parameters).items():
        assert np.array_equal(values, sampled[feature])
    assert "Decisions" in builder.info.description and "graves2016" in builder.info.citation
    sizes = [getattr(builder.builder_config, split) for split in SIZES]
    assert sizes == [50_000, 5_000, 10_000]


def test_every_config_has_its_name_and_can_be_asked_for(name):
    configs = tfds.builder_cls(name).BUILDER_CONFIGS
    assert len({config.name for config in configs}) == len(configs) >= 4
    for config in configs:
        builder = tfds.builder(f"{name}/{config.name}", data_dir="unused")
        assert builder.builder_config is config
        width = datasets.task(name).sizes(**config.parameters)["width"]
        assert builder.info.features["inputs"].shape == (None, width)


def test_a_config_equal_to_one_of_the_builder_is_that_one():
    builder = tfds.builder("act_parity", data_dir="unused", config=parity.ActParityConfig(bits=16))
    assert builder.builder_config in parity.Builder.BUILDER_CONFIGS


def test_name_follows_from_the_parameters():
    config = sort.ActSortConfig(numbers=5, min_separation=0.01, train=7, seed=3)
    assert config.name == "numbers_5-min_separation_0.01-train_7-seed_3"
    assert config.description == (
        "As the paper, but numbers = 5, min_separation = 0.01, train = 7, seed = 3."
    )
    with pytest.raises(TypeError, match="name"):
        sort.ActSortConfig(name="mine")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"bits": 0}, "bits=0"),
        ({"placement": "left"}, "placement"),
        ({"train": 0}, "`train` must be an integer of at least 1. Received: 0"),
        ({"seed": -1}, "`seed`"),
    ],
)
def test_wrong_config(wrong, named):
    with pytest.raises(ValueError) as error:
        parity.ActParityConfig(**wrong)
    assert named in str(error.value)


def test_too_few_different_examples(monkeypatch, tmp_path):
    monkeypatch.setattr(task_dataset_builder, "BLOCK", 64)
    config = parity.ActParityConfig(bits=1, train=10, validation=1, test=1)
    with pytest.raises(ValueError, match="too few different examples: none belongs to the split"):
        tfds.builder("act_parity", data_dir=tmp_path, config=config).download_and_prepare()


def drawn(name, split, count):
    """The first examples of a split of the paper's data set, without files."""
    builder = tfds.builder(name, data_dir="unused")
    return [x for _, x in itertools.islice(builder._generate_examples(split), count)]


def test_splits_are_disjoint_and_of_the_papers_distribution(name):
    found = {split: drawn(name, split, 3_000) for split in SIZES}
    inputs = {split: {x["inputs"].tobytes() for x in found[split]} for split in found}
    for one, other in itertools.combinations(inputs, 2):
        assert not inputs[one] & inputs[other]
    batch = datasets.task(name).sample(np.random.default_rng(0), 20_000)
    real = batch["difficulty"] > 0
    expected = np.bincount(batch["difficulty"][real]) / real.sum()
    lengths = np.bincount(real.sum(1)) / len(real)
    for examples in found.values():
        difficulty = np.concatenate([x["difficulty"] for x in examples])
        shares = np.bincount(difficulty, minlength=len(expected)) / len(difficulty)
        np.testing.assert_allclose(shares, expected, atol=0.025)
        steps = np.bincount([len(x["inputs"]) for x in examples], minlength=len(lengths))
        np.testing.assert_allclose(steps / len(examples), lengths, atol=0.04)


@hypothesis.given(st.integers(0, 2**32))
def test_split_of_takes_a_tenth_each(seed):
    inputs = np.random.default_rng(seed).standard_normal((500, 3, 2)).astype(np.float32)
    splits = [task_dataset_builder.split_of(x) for x in inputs]
    assert abs(splits.count("test") - 50) < 40 and abs(splits.count("validation") - 50) < 40
    assert set(splits) <= set(SIZES)
