"""enwik8: windows of a real piece of it, its checksums, where it is found, and its builder.

With the environment variable ENWIK8 set, the parts of the first megabyte are checked as well.
"""

import os
import tempfile
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_adaptive import datasets
from keras_adaptive.datasets.enwik8 import enwik8
from keras_adaptive.datasets.enwik8 import enwik8_dataset_builder as builder
from keras_adaptive.datasets.enwik8.enwik8_dataset_builder import Builder, Enwik8Config
from support import enwik8_text

SIZE = 40_000
GIVEN = os.environ.get(enwik8.VARIABLE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a text, the real piece."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "enwik8").write_bytes(enwik8_text.test_part())
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.setenv(enwik8.VARIABLE, str(folder))
    return folder


def test_splits_are_the_fields():
    assert [enwik8.bounds(split) for split in enwik8.SPLITS] == [
        (0, 90_000_000),
        (90_000_000, 95_000_000),
        (95_000_000, 100_000_000),
    ]
    ends = [enwik8.bounds(split, 1_066_628) for split in enwik8.SPLITS]
    assert ends == [(0, 959_965), (959_965, 1_013_296), (1_013_296, 1_066_628)]


def test_windows_of_the_real_text(here):
    text = enwik8_text.test_part()
    found = enwik8.windows("test", length=500, size=SIZE)
    assert found["inputs"].shape == found["targets"].shape == (3, 500)
    assert bytes(found["inputs"].astype(np.uint8).ravel()) == text[38_000:39_500]
    assert bytes(found["targets"].astype(np.uint8).ravel()) == text[38_001:39_501]
    assert (found["weights"] == 1).all()


def test_random_windows_lie_in_their_split(here):
    text = enwik8_text.test_part()
    for split, (start, stop) in {"train": (0, 36_000), "validation": (36_000, 38_000)}.items():
        batch = datasets.batch("enwik8", 20, seed=3, index=40, split=split, length=60, size=SIZE)
        rows = np.concatenate([batch["inputs"], batch["targets"][:, -1:]], axis=1)
        for row in rows.astype(np.uint8):
            assert row.tobytes() in text[start:stop]
        assert len(np.unique(rows, axis=0)) == 20
        again = datasets.batch("enwik8", 20, seed=3, index=40, split=split, length=60, size=SIZE)
        np.testing.assert_array_equal(again["inputs"], batch["inputs"])


def test_every_place_of_a_split_is_drawn(here):
    rng = np.random.default_rng(0)
    found = enwik8.sample(rng, 5000, split="validation", length=1980, size=SIZE)["inputs"]
    text = np.frombuffer(enwik8_text.test_part(), np.uint8)[36_000:38_000]
    places = [next(i for i in range(20) if (text[i : i + 1980] == row).all()) for row in found]
    assert sorted(set(places)) == list(range(20))


def test_zipped_or_not_and_by_name_or_folder(folder, tmp_path, monkeypatch):
    expected = enwik8.read("train", SIZE, folder)
    path = tmp_path / "enwik8.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "enwik8", "enwik8")
    for place in (tmp_path, path, folder / "enwik8"):
        monkeypatch.setenv(enwik8.VARIABLE, str(place))
        np.testing.assert_array_equal(enwik8.read("train", SIZE), expected)
    whole = path.read_bytes()
    monkeypatch.setenv(enwik8.VARIABLE, str(path))
    for damaged in (whole[:-200], whole[:36] + b"\xff" * 64 + whole[100:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"enwik8.zip is (a damaged zip file|damaged: )"):
            enwik8.read("train", SIZE)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("text8", "a")
    with pytest.raises(ValueError, match="no file `enwik8` in it"):
        enwik8.read("train", SIZE)


def test_without_the_text_it_is_said_what_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv(enwik8.VARIABLE, str(tmp_path))
    for call in (
        lambda: enwik8.read("train"),
        lambda: datasets.batch("enwik8", 2),
        lambda: next(datasets.iterate("enwik8", 2)),
    ):
        with pytest.raises(FileNotFoundError) as error:
            call()
        for said in (str(tmp_path), enwik8.URL, "36,445,475", enwik8.VARIABLE, "manual"):
            assert said in str(error.value)


def test_batches_are_of_the_place_that_is_named_now(here, tmp_path, monkeypatch):
    asked = {"length": 50, "size": SIZE, "split": "test"}
    datasets.batch("enwik8", 2, **asked)
    monkeypatch.setenv(enwik8.VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError):
        datasets.batch("enwik8", 2, **asked)


def test_another_text_is_refused(tmp_path, monkeypatch):
    """Each part of the megabyte has its checksum."""
    monkeypatch.setenv(enwik8.VARIABLE, str(enwik8_text.write_head(tmp_path / "head")))
    assert len(enwik8.read("test", enwik8_text.SIZE)) == 53_332
    for split in ("train", "validation"):
        with pytest.raises(ValueError, match="not the text of enwik8"):
            enwik8.read(split, enwik8_text.SIZE)
    with pytest.raises(ValueError, match="has 1,066,628 bytes, fewer than 90,000,000"):
        datasets.batch("enwik8", 2)


@pytest.mark.skipif(not GIVEN, reason=f"{enwik8.VARIABLE} does not name the text")
def test_the_users_text():
    parts = [enwik8.read(split, enwik8_text.SIZE) for split in enwik8.SPLITS]
    assert sum(map(len, parts)) == enwik8_text.SIZE
    assert parts[0].tobytes().startswith(b"<mediawiki xmlns=")
    assert parts[2].tobytes() == enwik8_text.test_part()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"split": "dev"}, "`split` must be one of train, validation, test"),
        ({"length": 0}, "`length` must be an integer of at least 1. Received: 0"),
        ({"length": 2000}, "`length` must be below the 2,000 bytes of the split. Received: 2000"),
        ({"size": 99}, "`size` must be an integer of at least 100. Received: 99"),
    ],
)
def test_bad_input(here, wrong, message):
    with pytest.raises(ValueError) as error:
        enwik8.windows(**{"split": "test", "size": SIZE, **wrong})
    assert message in str(error.value)


def test_human_form():
    inputs = enwik8.encode("a\nü", length=3)
    assert inputs.tolist() == [[97, 10, 195, 188]]
    assert enwik8.describe(inputs[0]) == ["a", "↵", "c3", "bc"]
    assert enwik8.decode(np.eye(256)[[32, 65, 200]]) == [" ", "A", "c8"]
    with pytest.raises(ValueError, match="at least one character"):
        enwik8.encode("")


SMALL = {"length": 50, "train": 30, "size": SIZE}


class TestBuilder(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = Builder
    BUILDER_CONFIG_NAMES_TO_TEST = (Enwik8Config(**SMALL),)
    SPLITS = {"train": 30, "validation": 39, "test": 39}  # noqa: RUF012 - as TFDS has it
    EXAMPLE_DIR = "."

    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (folder / "enwik8").write_bytes(enwik8_text.test_part())
        cls.dummy_data = folder
        super().setUpClass()
        cls.enterClassContext(mock.patch.dict(os.environ))
        os.environ.pop(enwik8.VARIABLE, None)


def prepared(config, folder, data_dir):
    made = tfds.builder("enwik8", config=config, data_dir=data_dir)
    download = tfds.download.DownloadConfig(manual_dir=str(folder))
    made.download_and_prepare(download_config=download)
    return made


def test_builder_from_the_users_file(folder, tmp_path, monkeypatch):
    """Random windows of the training part, twice the same; the others in their order."""
    monkeypatch.setenv(enwik8.VARIABLE, str(tmp_path / "not_the_folder_that_is_given"))
    text = enwik8_text.test_part()
    found = prepared(Enwik8Config(**SMALL), folder, tmp_path / "a")
    again = prepared(Enwik8Config(**SMALL), folder, tmp_path / "b")
    read = {split: list(tfds.as_numpy(found.as_dataset(split))) for split in enwik8.SPLITS}
    for example, same in zip(read["train"], tfds.as_numpy(again.as_dataset("train"))):
        assert example["inputs"].dtype == np.uint8
        assert example["inputs"].tobytes() + example["targets"].tobytes()[-1:] in text[:36_000]
        np.testing.assert_array_equal(example["inputs"][1:], example["targets"][:-1])
        np.testing.assert_array_equal(example["inputs"], same["inputs"])
    rows = b"".join(example["inputs"].tobytes() for example in read["test"])
    assert rows == text[38_000:39_950]
    config = Enwik8Config(length=50, placement="consecutive", size=SIZE)
    whole = prepared(config, folder, tmp_path / "a")
    assert whole.info.splits["train"].num_examples == 719


def test_checksum_of_the_download():
    """As several public repositories have it."""
    known = Builder.url_infos[enwik8.URL]
    assert known.size == 36_445_475
    assert known.checksum == "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc"


def test_configs():
    for config in Builder.BUILDER_CONFIGS:
        made = tfds.builder(f"enwik8/{config.name}", data_dir="unused")
        assert made.builder_config is config
        assert made.info.features["inputs"].shape == (500,)
        assert "Licence of the text" in made.info.description
        assert "graves2016" in made.info.citation
    assert [config.name for config in Builder.BUILDER_CONFIGS] == [
        "paper",
        "placement_consecutive",
    ]
    assert Enwik8Config(size=1000, train=3).name == "train_3-size_1000"
    for wrong in ({"placement": "left"}, {"length": 0}, {"size": 1}, {"seed": -1}, {"train": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Enwik8Config(**wrong)


class Offline:
    """A download manager without a network, and with an empty folder of the user."""

    def __init__(self, error):
        self.error = error

    @property
    def manual_dir(self):
        raise AssertionError("Manual directory does not exist or is empty.")

    def download(self, url):
        assert url == enwik8.URL
        raise self.error


@pytest.mark.parametrize(
    "error", [ConnectionError("no route"), tfds.download.DownloadError("no route")]
)
def test_builder_without_a_network(error, monkeypatch):
    monkeypatch.delenv(enwik8.VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError) as raised:
        builder.text_file(Offline(error))
    for said in ("cannot be downloaded", "no route", "enwik8.zip", "manual_dir", "ENWIK8"):
        assert said in str(raised.value)


def test_builder_takes_the_file_of_the_environment(here):
    assert builder.text_file(Offline(ConnectionError())) == here / "enwik8"


def test_the_order_of_the_places(here, tmp_path, monkeypatch):
    """As docs/datasets.md has it."""
    (tmp_path / "enwik8").write_bytes(b"another text")
    manager = mock.Mock(manual_dir=tmp_path)
    assert builder.text_file(manager, is_named=True) == tmp_path / "enwik8"
    assert builder.text_file(manager) == enwik8.find() == here / "enwik8"
    monkeypatch.delenv(enwik8.VARIABLE)
    assert builder.text_file(manager) == tmp_path / "enwik8"
