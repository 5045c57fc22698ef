"""tatoeba: a file that a user has, its parts, subwords, batches and builder, on made-up sentences.

With the environment variable TATOEBA set, the real file is checked as well.
"""

import hashlib
import itertools
import os

import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_adaptive import datasets
from keras_adaptive.datasets import catalogue
from keras_adaptive.datasets.tatoeba import pairs, tatoeba
from keras_adaptive.datasets.tatoeba.tatoeba_dataset_builder import Builder, TatoebaConfig
from keras_adaptive.datasets.tfds.readme import with_table
from support import sentence_pairs
from support.tasks import path

GIVEN = os.environ.get(tatoeba.VARIABLE)
SMALL = {"vocabulary": 60, "length": 20}


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    """A made-up file, where the environment says."""
    return sentence_pairs.write(tmp_path, monkeypatch)


def sentences(split):
    return [set(side) for side in zip(*tatoeba.read(split))]


def test_no_sentence_is_in_two_parts():
    for one, other in itertools.combinations(tatoeba.SPLITS, 2):
        for mine, theirs in zip(sentences(one), sentences(other), strict=True):
            assert not mine & theirs
    every = sorted(itertools.chain(*map(tatoeba.read, tatoeba.SPLITS)))
    assert every == sorted(tuple(line.split("\t")[:2]) for line in sentence_pairs.lines())
    assert len(tatoeba.references("test")) == len(tatoeba.references("validation")) == 12


def test_sentences_that_share_a_translation_stay_together():
    rows = [("a", "1"), ("b", "2"), ("c", "2"), ("c", "3"), ("d", "4"), ("e", "3")]
    groups = pairs.groups_of(rows)
    assert len({groups[i] for i in (1, 2, 3, 5)}) == 1 and len(set(groups)) == 3


def test_the_order_of_the_file_does_not_matter(file):
    before = {split: set(tatoeba.read(split)) for split in tatoeba.SPLITS}
    file.write_text("\n".join(reversed(sentence_pairs.lines())))
    assert {split: set(tatoeba.read(split)) for split in tatoeba.SPLITS} == before


def test_all_references_of_a_source():
    found = tatoeba.windows("test", **SMALL)
    for inputs, targets, references in zip(
        *(found[x] for x in ("inputs", "targets", "references"))
    ):
        source = tatoeba.subwords(0, 60).decode(inputs)
        assert references == [b for a, b in tatoeba.read("test") if a == source]
        assert len(references) == 1 + ("likes" in source)
        assert tatoeba.decode(targets, **SMALL) == references[0]
    np.testing.assert_array_equal(found["weights"], found["targets"] > 0)


@pytest.mark.parametrize("named", ["the file", "its folder", "the folder above"])
def test_the_variable_names_the_file_or_a_folder(file, monkeypatch, named):
    places = {"the file": file, "its folder": file.parent, "the folder above": file.parents[1]}
    monkeypatch.setenv("TATOEBA", str(places[named]))
    assert tatoeba.find() == file


@pytest.mark.parametrize(
    "text, message",
    [
        ("Hi.\tHallo.\nRun! Lauf!\n", "Received: line 2, 'Run! Lauf!'"),
        ("a\tb\tc\td", "Received: line 1"),
        ("a\t \n", "Received: line 1"),
        ("", "at least 30 sentences. Received: 0"),
        (b"\xff\xfe\x00", "is no text in UTF-8"),
        ("".join(f"S{i}.\tSatz.\n" for i in range(40)), "no sentences for the part `test`"),
        ("Hi\u2028there.\tHallo.\n", "at least 30 sentences. Received: 1"),
        ("".join(f"S{i % 20}.\tSatz {i}.\n" for i in range(40)), "sentences. Received: 20 diff"),
    ],
)
def test_a_file_of_another_format_is_named(file, text, message):
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError) as error:
        tatoeba.read("train")
    assert message in str(error.value) and str(file) in str(error.value)


def test_empty_lines_at_the_end_are_no_pairs(file):
    before = tatoeba.read("test")
    file.write_text(file.read_text(encoding="utf-8") + "\n\n", encoding="utf-8")
    assert tatoeba.read("test") == before


def test_an_epoch_has_each_pair_once():
    batches = [tatoeba.consecutive(i, 4, **SMALL) for i in range(60)]
    seen = [
        (tatoeba.subwords(0, 60).decode(a), tatoeba.decode(b, **SMALL))
        for batch in batches
        for a, b in zip(batch["inputs"], batch["targets"])
    ]
    known = tatoeba.read("train")
    lengths = tatoeba._pairs("train", 60)[2]
    ends = np.digitize(lengths, [8, 10, 12, 16, 20], right=True)
    epoch = sum(count // 4 for count in np.bincount(ends))
    first, second = seen[: 4 * epoch], seen[4 * epoch : 8 * epoch]
    assert len(set(first)) == len(first) > 0.9 * len(known) and set(first) <= set(known)
    assert first != second and len(set(second)) == len(second)
    assert all(batch["inputs"].shape[1] in (*tatoeba.LENGTHS, 20) for batch in batches)


def test_random_pairs():
    batch = datasets.batch("tatoeba", 30, seed=3, split="validation", **SMALL)
    assert batch["inputs"].shape == batch["targets"].shape == (30, 20)
    ends = (batch["targets"] == tatoeba.END).sum(axis=1)
    assert (ends == 1).all()
    known = sentences("validation")[1]
    assert {tatoeba.decode(row, **SMALL) for row in batch["targets"]} <= known


def test_subwords_of_a_users_sentence():
    inputs = tatoeba.encode(" Tom  sees\na cat.", **SMALL)
    assert "".join(tatoeba.describe(inputs[0], **SMALL)) == "▁Tom▁sees▁a▁cat."
    assert tatoeba.unknown("Tom ißt 漢漢", **SMALL) == ["ß", "漢"]
    assert 2 in tatoeba.encode("漢", **SMALL)
    for empty in ("", " \n"):
        with pytest.raises(ValueError, match="a sentence of at least one word is needed"):
            tatoeba.encode(empty)


def test_the_default_subwords_need_no_file(tmp_path, monkeypatch):
    before = tatoeba.digest()
    monkeypatch.setenv("TATOEBA", str(tmp_path / "nothing"))
    assert tatoeba.digest() == before
    inputs = tatoeba.encode("How old are you?")
    assert tatoeba.describe(inputs[0]) == ["▁How", "▁old", "▁are", "▁you", "?"]
    german = tatoeba.subwords(1, tatoeba.VOCABULARY)
    assert tatoeba.decode(german.encode("Wie alt bist du?")) == "Wie alt bist du?"
    assert tatoeba.sizes() == {"symbols": 4000, "outputs": 1, "classes": 4000}
    assert [tatoeba.subwords(i, 4000).model.get_piece_size() for i in (0, 1)] == [4000, 4000]


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"split": "dev"}, "`split` must be one of train, validation, test"),
        ({"vocabulary": 9}, "`vocabulary` must be an integer of at least 10. Received: 9"),
        ({"vocabulary": 12}, "`vocabulary` must be above the number of different characters"),
        ({"length": 2}, "`length` must be at least"),
        ({"batch_size": 1000}, "`batch_size` must be at most"),
    ],
)
def test_bad_input(wrong, message):
    with pytest.raises(ValueError, match=message):
        tatoeba.consecutive(**{"index": 0, "batch_size": 4, **SMALL, **wrong})


def test_without_the_file_the_error_says_what_to_get(tmp_path, monkeypatch):
    monkeypatch.setenv("TATOEBA", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="Get the English and German sentences"):
        tatoeba.encode("Hello", **SMALL)
    monkeypatch.setenv("TATOEBA", str(tmp_path / "data"))
    made = tfds.builder("tatoeba", data_dir=tmp_path / "data")
    with pytest.raises(Exception, match="Get the English and German sentences"):
        made.download_and_prepare()


def test_without_sentencepiece_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    with pytest.raises(ImportError, match=r"keras_adaptive\[translation\]"):
        tatoeba.encode("Hello", vocabulary=61)


def test_builder_from_the_users_file(file, tmp_path):
    made = tfds.builder("tatoeba", data_dir=tmp_path / "data")
    download = tfds.download.DownloadConfig(manual_dir=str(file.parent))
    made.download_and_prepare(download_config=download)
    for split in tatoeba.SPLITS:
        read = [
            (x["english"].decode(), x["german"].decode())
            for x in tfds.as_numpy(made.as_dataset(split))
        ]
        assert read == list(tatoeba.read(split))


def test_configs_and_description():
    readme = path("tatoeba").read_text(encoding="utf-8")
    assert readme == with_table(readme, Builder.BUILDER_CONFIGS), "run the command in the README"
    made = tfds.builder("tatoeba", data_dir="unused")
    assert made.info.description == readme.strip() and TatoebaConfig().name == "paper"
    assert "tatoeba" in catalogue.with_builders() and "tatoeba" not in datasets.names()


@pytest.mark.skipif(not GIVEN, reason=f"{tatoeba.VARIABLE} does not name the file")
def test_the_users_file(monkeypatch):
    monkeypatch.undo()
    counts = {split: len(tatoeba.references(split)) for split in ("test", "validation")}
    assert counts == {"test": 2000, "validation": 1000}
    for one, other in itertools.combinations(tatoeba.SPLITS, 2):
        for mine, theirs in zip(sentences(one), sentences(other), strict=True):
            assert not mine & theirs
    digest = hashlib.sha256(tatoeba.find().read_bytes()).hexdigest()
    if digest in path("tatoeba").with_name("checksums.tsv").read_text():
        learned = [tatoeba.learned(i, 4000, tatoeba.read("train")).digest for i in (0, 1)]
        assert learned == tatoeba.digest()
