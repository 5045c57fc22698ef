"""The builders of TFDS, all alike: configs, files, splits, and what the READMEs promise."""

import dataclasses
import importlib
import itertools
import re

import hypothesis
import numpy as np
import pytest
import tensorflow_datasets as tfds
from hypothesis import strategies as st

from keras_adaptive import datasets
from keras_adaptive.datasets.tfds import builder as builders
from keras_adaptive.datasets.tfds.readme import with_table
from support.tasks import FEATURES, output_length, path, rng

SIZES = {"train": 40, "validation": 10, "test": 20}


def module(name):
    return importlib.import_module(f"keras_adaptive.datasets.{name}.{name}_dataset_builder")


def config_of(name, **parameters):
    """A config of the builder's class with few examples."""
    return type(module(name).Builder.BUILDER_CONFIGS[0])(**{**SIZES, **parameters})


@pytest.fixture(params=datasets.names())
def name(request):
    return request.param


@pytest.fixture
def cls(name):
    return module(name).Builder


def kinds():
    """One task for each class of builders, and whatever that class cannot share."""
    found = {}
    for name in datasets.names():
        found.setdefault(module(name).Builder.__mro__[1], name)
    return found.values()


def case(name):
    """TFDS's own test case."""
    body = {
        "DATASET_CLASS": module(name).Builder,
        "BUILDER_CONFIG_NAMES_TO_TEST": (config_of(name),),
        "SPLITS": SIZES,
        # Nothing is downloaded; the test case wants a folder all the same.
        "EXAMPLE_DIR": ".",
    }
    return type(f"Test_{name}", (tfds.testing.DatasetBuilderTestCase,), body)


globals().update({f"Test_{name}": case(name) for name in kinds()})


def test_a_builder_says_what_is_its_own_and_nothing_else(name, cls):
    """Its config's parameters and its configs; all else is shared."""
    source = path(name, f"{name}_dataset_builder.py").read_text(encoding="utf-8")
    code = re.sub(r'""".*?"""|#[^\n]*', "", source, flags=re.DOTALL)
    lines = [line for line in code.splitlines() if line.strip() and "import" not in line]
    # Ten, and a line for each parameter and each config.
    assert len(lines) <= 10 + len(cls.BUILDER_CONFIGS[0].parameters) + len(cls.BUILDER_CONFIGS)
    assert cls.pkg_dir_path == path(name).parent


def test_folder(name, cls):
    """The README is the description; tags are TFDS's; the paper is cited."""
    builder = cls(data_dir="unused")
    readme = path(name).read_text(encoding="utf-8")
    assert builder.info.description == readme.strip()
    assert readme.startswith(f"# {name}\n\n")
    for part in ("## Features", "## Decisions", "## Configs and splits"):
        assert f"\n{part}\n" in readme, part
    for feature, shown in re.findall(r"^\| `(\w+)` \| \(.*?\) (\w+) \|", readme, re.MULTILINE):
        assert np.dtype(shown) == builder.info.features[feature].np_dtype, feature
    assert readme == with_table(readme, cls.BUILDER_CONFIGS), "run the command in the README"
    rows = re.findall(r"^\| `(\w+)` \| \(", readme, re.MULTILINE)
    assert tuple(rows) == FEATURES
    number = cls.HOMEPAGE.removeprefix("https://arxiv.org/abs/")
    assert number in builder.info.citation
    assert builder.info.citation == path(name, "CITATIONS.bib").read_text(encoding="utf-8").strip()
    tags = path(name, "TAGS.txt").read_text(encoding="utf-8").split()
    assert tags and set(tags) <= set(tfds.core.dataset_metadata.valid_tags())


def test_default_is_the_paper(name, cls):
    builder = tfds.builder(name, data_dir="unused")
    config = builder.builder_config
    assert isinstance(builder, cls) and config.name == "paper"
    expected, found = datasets.task(name).sample(rng(), 3), config.sample(rng(), 3)
    for feature in FEATURES:
        np.testing.assert_array_equal(found[feature], expected[feature])
    readme = " ".join(path(name).read_text(encoding="utf-8").split())
    for split in SIZES:
        assert f"{getattr(config, split):,}" in readme


def test_every_config_has_its_name_and_can_be_asked_for(name, cls):
    configs = cls.BUILDER_CONFIGS
    assert len({config.name for config in configs}) == len(configs) >= 4
    for config in configs:
        builder = tfds.builder(f"{name}/{config.name}", data_dir="unused")
        assert builder.builder_config is config
        sizes = datasets.task(name).sizes(**config.parameters)
        width = [sizes["width"]] if "width" in sizes else []
        assert builder.info.features["inputs"].shape == (None, *width)
        # Integers are symbols.
        assert builder.info.features["inputs"].dtype == (np.float32 if width else np.int32)
        assert dataclasses.replace(config).name == config.name


# What a builder writes is what its class shares.
@pytest.mark.parametrize(
    "name",
    [
        name if name in {*kinds()} else pytest.param(name, marks=pytest.mark.slow)
        for name in datasets.names()
    ],
)
def test_files_hold_the_examples(name, cls, tmp_path, monkeypatch):
    """What is read is what `sample` drew, without padding; the same when it is drawn again."""
    monkeypatch.setattr(builders, "BLOCK", 256)
    builder = cls(data_dir=tmp_path, config=config_of(name))
    builder.download_and_prepare()
    again = cls(data_dir=tmp_path, config=config_of(name))
    other = cls(data_dir=tmp_path, config=config_of(name, seed=1))
    task = datasets.task(name)
    for split, size in SIZES.items():
        drawn = [example for _, example in again._generate_examples(split)]
        read = list(tfds.as_numpy(builder.as_dataset(split)))
        assert len(read) == len(drawn) == size
        for found, expected in zip(read, drawn):
            assert found.keys() == expected.keys() == set(FEATURES)
            for feature in FEATURES:
                np.testing.assert_array_equal(found[feature], expected[feature])
            length, targets = len(found["inputs"]), len(found["targets"])
            assert targets == len(found["weights"]) == output_length(task, length)
            assert len(found["difficulty"]) == length and (found["difficulty"] > 0).all()
            answers = task.answers(found["inputs"][None])[0]
            np.testing.assert_array_equal(found["targets"], answers)
        inputs = [example["inputs"].tobytes() for _, example in other._generate_examples(split)]
        assert inputs != [example["inputs"].tobytes() for example in drawn]


def test_files_can_be_shuffled(tmp_path):
    builder = module("act_parity").Builder(data_dir=tmp_path, config=config_of("act_parity"))
    builder.download_and_prepare()
    read_config = tfds.ReadConfig(shuffle_seed=3)
    shuffled = builder.as_dataset("test", shuffle_files=True, read_config=read_config)
    assert len(list(shuffled)) == SIZES["test"] and read_config.enable_ordering_guard
    loaded = builder.as_dataset("test", shuffle_files=True, as_supervised=True, batch_size=4)
    assert len(next(iter(loaded))) == 3


# A task may have more examples that repeat, so that the distribution of a file differs more.
TOLERANCE = {"ham_add": 0.1}


def test_splits_are_disjoint_and_of_the_papers_distribution(name, cls):
    builder = cls(data_dir="unused")
    generated = {split: builder._generate_examples(split) for split in SIZES}
    found = {
        split: [example for _, example in itertools.islice(examples, 800)]
        for split, examples in generated.items()
    }
    inputs = {split: {x["inputs"].tobytes() for x in examples} for split, examples in found.items()}
    for first, second in itertools.combinations(inputs.values(), 2):
        assert not first & second
    real = datasets.task(name).sample(rng(), 5_000)["difficulty"] > 0
    expected = np.bincount(real.sum(1)) / len(real)
    for split, examples in found.items():
        if split in cls.WITHOUT_REPETITION:
            assert len(inputs[split]) == len(examples)
        lengths = np.bincount([len(x["inputs"]) for x in examples], minlength=len(expected))
        tolerance = TOLERANCE.get(name, 0.07)
        np.testing.assert_allclose(lengths / len(examples), expected, atol=tolerance)


def test_a_config_equal_to_one_of_the_builder_is_that_one():
    config = type(module("act_parity").Builder.BUILDER_CONFIGS[0])(bits=16)
    builder = tfds.builder("act_parity", data_dir="unused", config=config)
    assert builder.builder_config in module("act_parity").Builder.BUILDER_CONFIGS


def test_the_name_follows_from_the_parameters():
    config = module("act_sort").ActSortConfig(numbers=5, min_separation=0.01, train=7, seed=3)
    assert config.name == "numbers_5-min_separation_0.01-train_7-seed_3"
    assert config.description == (
        "As the paper, but numbers = 5, min_separation = 0.01, train = 7, seed = 3."
    )
    with pytest.raises(TypeError, match="name"):
        module("act_sort").ActSortConfig(name="mine")
    # By position it would be TFDS's version.
    with pytest.raises(TypeError, match="positional"):
        module("act_sort").ActSortConfig(5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bits": 0}, "bits must be a whole number from 1"),
        ({"placement": "left"}, "placement"),
        ({"train": 0}, "`train` must be an integer of at least 1. Received: 0"),
        ({"seed": -1}, "`seed`"),
        ({"bits": 10**9}, "bits must be a whole number"),
    ],
)
def test_wrong_config(wrong, message):
    with pytest.raises(ValueError) as error:
        config_of("act_parity", **wrong)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("task", "wrong"),
    [("act_addition", {"first_target": "no"}), ("neural_gpu_addition", {"aligned": "yes"})],
)
def test_wrong_flags(task, wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be true or false"):
        config_of(task, **wrong)


def test_configs_of_another_data_set_and_changed_ones():
    cls = module("act_parity").Builder
    with pytest.raises(ValueError, match="`config` of act_parity must be a ActParityConfig"):
        cls(data_dir="unused", config=config_of("act_logic", gates=2))
    config = config_of("act_parity", bits=16)
    config.bits = 8
    assert cls(data_dir="unused", config=config).builder_config.name.startswith("bits_8-")


def test_few_different_examples(monkeypatch):
    """Of 32 vectors each is in one split; of 2 there is none for some split."""
    cls = module("act_parity").Builder
    monkeypatch.setattr(builders, "BLOCK", 64)
    few = cls(data_dir="unused", config=config_of("act_parity", bits=16, max_nonzeros=1))
    drawn = {
        split: {x["inputs"].tobytes() for _, x in few._generate_examples(split)} for split in SIZES
    }
    assert sum(map(len, drawn.values())) == len(set.union(*drawn.values())) <= 32
    one = cls(data_dir="unused", config=config_of("act_parity", bits=1))
    with pytest.raises(ValueError, match="too few different examples: none belongs to the split"):
        [list(one._generate_examples(split)) for split in SIZES]


def test_long_examples_are_sampled_in_smaller_blocks(monkeypatch):
    monkeypatch.setattr(builders, "BLOCK_ELEMENTS", 1_000)
    builder = module("neural_gpu_addition").Builder(data_dir="unused")
    assert len(next(builder._blocks("train"))["inputs"]) == 1_000 // 41


@hypothesis.given(st.integers(0, 2**32))
def test_split_of_takes_a_tenth_each(seed):
    inputs = rng(seed).standard_normal((500, 3, 2)).astype(np.float32)
    splits = [builders.split_of(x) for x in inputs]
    assert abs(splits.count("test") - 50) < 40 and abs(splits.count("validation") - 50) < 40
    assert set(splits) <= set(SIZES)
