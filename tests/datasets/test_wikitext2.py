"""wikitext2: files that a user has, their words, windows, and the builder, on a made-up corpus.

With the environment variable WIKITEXT2 set, the real files are checked as well.
"""

import collections
import itertools
import os

import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_adaptive import datasets
from keras_adaptive.datasets import catalogue
from keras_adaptive.datasets.tfds.readme import with_table
from keras_adaptive.datasets.wikitext2 import wikitext2
from keras_adaptive.datasets.wikitext2.wikitext2_dataset_builder import Builder, Wikitext2Config
from support import word_corpus
from support.tasks import path

GIVEN = os.environ.get(wikitext2.VARIABLE)


@pytest.fixture(autouse=True)
def corpus(tmp_path, monkeypatch):
    """The folder of a made-up corpus, where the environment says."""
    return word_corpus.write(tmp_path, monkeypatch)


def text_of(folder, split):
    """The words of a file, with those that no list has as `<unk>`."""
    lines = (folder / wikitext2.FILES[split]).read_text().splitlines()
    words = [word for line in lines for word in [*line.split(), "<eos>"]]
    return ["<unk>" if word == word_corpus.STRANGE else word for word in words]


def test_words_of_the_files(corpus):
    for split in wikitext2.SPLITS:
        numbers = wikitext2.read(split)
        assert numbers.dtype == np.int32 and not numbers.flags.writeable
        assert wikitext2.describe(numbers) == text_of(corpus, split)


def test_fewer_words(corpus):
    words = text_of(corpus, "test")
    known = [word if word in wikitext2.words()[:15] else "<unk>" for word in words]
    assert wikitext2.describe(wikitext2.read("test", vocabulary=15)) == known
    assert "<unk>" in known and "cat" not in known and "the" in known
    assert wikitext2.sizes(vocabulary=15)["classes"] == 15


@pytest.mark.parametrize("named", ["the folder", "its parent"])
def test_the_variable_names_the_folder_or_its_parent(corpus, monkeypatch, named):
    monkeypatch.setenv("WIKITEXT2", str(corpus if named == "the folder" else corpus.parent))
    assert wikitext2.find() == corpus


def test_missing_and_other_files_are_named(corpus):
    test = corpus / "wiki.test.tokens"
    test.write_bytes(test.read_bytes() + b" more \n")
    with pytest.raises(ValueError, match=r"wiki\.test\.tokens is not that of WikiText-2"):
        wikitext2.read("test")
    wikitext2.read("train")
    test.unlink()
    with pytest.raises(FileNotFoundError, match=r"no file wiki\.test\.tokens"):
        wikitext2.read("train")
    with pytest.raises(FileNotFoundError, match="WIKITEXT2 name that folder"):
        wikitext2.find(corpus / "nothing")


def test_windows_follow_one_another(corpus):
    words = text_of(corpus, "test")
    found = wikitext2.windows("test", length=50)
    rows = [wikitext2.describe(row) for row in found["inputs"]]
    assert [*itertools.chain(*rows)] == words[: 50 * len(rows)]
    assert wikitext2.describe(found["targets"].ravel()) == words[1 : 50 * len(rows) + 1]
    assert len(rows) == (len(words) - 1) // 50 and (found["weights"] == 1).all()


def test_batches_in_order_go_on_where_the_last_ended(corpus):
    words = text_of(corpus, "train")
    batches = [wikitext2.consecutive(index, 4, length=20) for index in range(40)]
    row = (len(words) - 1) // 4
    for number in range(4):
        parts = [wikitext2.describe(batch["inputs"][number]) for batch in batches[: row // 20]]
        assert [*itertools.chain(*parts)] == words[number * row :][: row // 20 * 20]
    again = batches[row // 20]
    np.testing.assert_array_equal(again["inputs"], batches[0]["inputs"])
    np.testing.assert_array_equal(again["inputs"][:, 1:], again["targets"][:, :-1])
    with pytest.raises(ValueError, match="`batch_size` must be at most"):
        wikitext2.consecutive(0, len(words), length=20)


def test_random_windows_lie_in_their_split(corpus):
    batch = datasets.batch("wikitext2", 20, seed=3, index=4, split="validation", length=30)
    text = " ".join(text_of(corpus, "validation"))
    rows = np.concatenate([batch["inputs"], batch["targets"][:, -1:]], axis=1)
    assert all(" ".join(wikitext2.describe(row)) in text for row in rows)
    assert len(np.unique(rows, axis=0)) > 10


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"split": "dev"}, "`split` must be one of train, validation, test"),
        ({"length": 0}, "`length` must be an integer of at least 1. Received: 0"),
        ({"length": 9999}, "words of the split. Received: 9999"),
        ({"vocabulary": 9}, "`vocabulary` must be an integer of at least 10. Received: 9"),
        ({"vocabulary": 33_279}, "`vocabulary` must be an integer from 10 to 33,278"),
    ],
)
def test_bad_input(corpus, wrong, message):
    with pytest.raises(ValueError) as error:
        wikitext2.windows(**{"split": "test", **wrong})
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat sat", "the cat sat"),
        ("  the\ncat ", "the cat"),
        ("The king's city, and", "The king 's city , and"),
        ("a state-of-the-art", "a state @-@ of @-@ the @-@ art"),
        ("3,000 or 2.5 U.S. ships.", "3 @,@ 000 or 2 @.@ 5 U.S. ships ."),
        ("<unk> @-@ zzyzx", "<unk> @-@ <unk>"),
    ],
)
def test_a_users_text_is_split_as_wikitext_is(text, words):
    assert wikitext2.describe(wikitext2.encode(text)[0]) == ["<eos>", *words.split()]


def test_unknown_words():
    assert wikitext2.unknown("zzyzx the zzyzx, qwfpgj") == ["zzyzx", "qwfpgj"]
    assert wikitext2.unknown("the cat", vocabulary=20) == ["cat"]
    assert wikitext2.describe(wikitext2.encode("the cat", vocabulary=20)[0])[2] == "<unk>"
    for empty in ("", "  \n"):
        with pytest.raises(ValueError, match="a text of at least one word is needed"):
            wikitext2.encode(empty)


def test_list_of_words(corpus):
    words, counts = wikitext2.words(), collections.Counter(text_of(corpus, "train"))
    assert len(words) == len(set(words)) == len(counts) and words[0] == "the"
    assert [counts[word] for word in words] == sorted(counts.values(), reverse=True)
    assert {wikitext2.UNKNOWN, wikitext2.END} <= set(words[: wikitext2.FEWEST])
    assert wikitext2.decode(np.eye(30)[[0, 8]]) == [words[0], words[8]]


def test_the_list_of_words_of_this_package(corpus, monkeypatch):
    """Without the text: what a published network is asked with."""
    monkeypatch.undo()
    monkeypatch.setenv(wikitext2.VARIABLE, str(corpus / "nothing"))
    words = wikitext2.words()
    assert len(words) == len(set(words)) == wikitext2.VOCABULARY
    assert words[:5] == ("the", ",", ".", "of", "<unk>") and words[8] == wikitext2.END
    assert wikitext2.describe(wikitext2.encode("The cat's city-wide 2.5")[0]) == [
        *("<eos>", "The", "cat", "'s", "city", "@-@", "wide", "2", "@.@", "5")
    ]


@pytest.mark.skipif(not GIVEN, reason=f"{wikitext2.VARIABLE} does not name the text")
def test_the_users_text(tmp_path, monkeypatch):
    monkeypatch.undo()
    listed = wikitext2.WORDS.read_bytes()
    monkeypatch.setattr(wikitext2, "WORDS", tmp_path / "words.txt")
    wikitext2.write_words()
    assert wikitext2.WORDS.read_bytes() == listed
    sizes = {split: len(wikitext2.read(split)) for split in wikitext2.SPLITS}
    assert sizes == {"train": 2_088_628, "validation": 217_646, "test": 245_569}
    counts = collections.Counter(wikitext2.read("train").tolist())
    order = [counts[number] for number in range(wikitext2.VOCABULARY)]
    assert order == sorted(order, reverse=True) and order[-1] > 0


def test_builder_from_the_users_files(corpus, tmp_path):
    config = Wikitext2Config(length=25, vocabulary=15)
    made = tfds.builder("wikitext2", config=config, data_dir=tmp_path / "data")
    download = tfds.download.DownloadConfig(manual_dir=str(corpus.parent))
    made.download_and_prepare(download_config=download)
    for split in wikitext2.SPLITS:
        read = list(tfds.as_numpy(made.as_dataset(split)))
        expected = wikitext2.windows(split, length=25, vocabulary=15)
        assert len(read) == len(expected["inputs"]) > 10
        for name in ("inputs", "targets"):
            np.testing.assert_array_equal([x[name] for x in read], expected[name])


def test_without_the_text_the_error_says_what_to_get(tmp_path, monkeypatch):
    monkeypatch.setenv(wikitext2.VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="Get WikiText-2"):
        wikitext2.read("test")
    assert wikitext2.encode("the cat").shape == (1, 3)
    monkeypatch.delenv(wikitext2.VARIABLE, raising=False)
    made = tfds.builder("wikitext2", data_dir=tmp_path)
    with pytest.raises(Exception, match="Get WikiText-2"):
        made.download_and_prepare()


def test_configs_and_description():
    readme = path("wikitext2").read_text(encoding="utf-8")
    assert readme == with_table(readme, Builder.BUILDER_CONFIGS), "run the command in the README"
    for config in Builder.BUILDER_CONFIGS:
        made = tfds.builder(f"wikitext2/{config.name}", data_dir="unused")
        assert made.builder_config is config and made.info.description == readme.strip()
    assert Wikitext2Config().name == "paper"
    with pytest.raises(ValueError, match="vocabulary"):
        Wikitext2Config(vocabulary=3)


def test_is_made_of_files():
    assert "wikitext2" in catalogue.with_builders() and "wikitext2" not in datasets.names()
