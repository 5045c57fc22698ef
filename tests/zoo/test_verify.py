"""Published figures are measured again, and a false one is found."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from keras_adaptive import checkpoints
from keras_adaptive.statistics import Ratio, compare_errors, compare_means, error_interval
from keras_adaptive.zoo import cli, families
from keras_adaptive.zoo.entries import record as record_of_verify
from keras_adaptive.zoo.entries import store, verify
from keras_adaptive.zoo.entries.consistency import inconsistencies
from keras_adaptive.zoo.entries.record import limit_of
from keras_adaptive.zoo.entries.verify import ROUNDING
from pages import verify as verify_page

ROOT = Path(__file__).parents[2]

# A small network that is wrong in 32, 71 and 82 % with 32, 64 and 128 leaves.
NAME = "ham_search_lstm"


@pytest.fixture(scope="module")
def record(tmp_path_factory, eagerly):
    """What `verify` found of an honest entry, and the file of the record."""
    path = tmp_path_factory.mktemp("record") / "verify.json"
    with eagerly():
        return verify.verify([NAME], examples=40, seed=1_234_567, out=path), path


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of the entry, and a function that edits it as a forger would."""
    shutil.copytree(store.entry(NAME), tmp_path / NAME)

    def edit(change, card=None):
        path = tmp_path / NAME / "metrics.json"
        metrics = json.loads(path.read_text())
        change(metrics)
        path.write_text(json.dumps(metrics))
        text = families.of(store.recipe(NAME)).card(metrics) if card is None else card
        (tmp_path / NAME / "README.md").write_text(text)
        checkpoints.write_manifest(tmp_path / NAME)

    return tmp_path, edit


def perfect_at_128(metrics):
    """Say that nothing is wrong with 128 leaves."""
    row = metrics["sizes"][-1]
    assert row["leaves"] == 128 and row["errors"] > 1000
    row |= {"errors": 0, "sequence_error": 0.0, "symbol_error": 0.0}
    row["confidence_interval"] = error_interval(0, row["examples"])


def test_honest_figures_agree(record):
    found, _ = record
    assert not found["disagreements"] and not found["skipped"]
    figures = found["entries"][NAME]["figures"]
    assert {one["what"] for one in figures} == {
        *("model", "test", "validation", "validation at 128"),
        *("32 leaves", "64 leaves", "128 leaves"),
    }
    assert all(one["p"] >= found["limit"] for one in figures if "p" in one)
    assert found["entries"][NAME]["seed"] == 1_234_567
    assert "128 leaves, sequence error: published 81.88%" in verify.report(found)


@pytest.fixture
def quick(monkeypatch):
    """Without a process that compares the tables, which one of the tests has."""
    monkeypatch.setattr(verify, "inconsistencies", lambda *_: [])


@pytest.mark.usefixtures("quick")
def test_what_is_on_record_is_not_measured_again(record, monkeypatch):
    found, path = record
    monkeypatch.setattr(verify, "again", None)
    assert verify.verify([NAME], out=path) == {**found, "disagreements": []}


def test_a_forged_figure_is_found(copied, capsys, eager):
    folder, edit = copied
    edit(perfect_at_128)
    words = ["verify", NAME, "--entries", str(folder), "--examples", "40", "--json"]
    assert cli.main(words) == 1
    found = json.loads(capsys.readouterr().out)
    assert [text.split(": ")[0] for text in found["disagreements"]] == [
        f"{NAME}, 128 leaves, sequence error",
        f"{NAME}, 128 leaves, symbol error",
    ]


def test_a_forged_card_is_found(copied):
    folder, edit = copied
    card = store.card(NAME).replace("**81.88 %**", "**0.00 %**")
    edit(lambda metrics: None, card=card)
    said, right = inconsistencies([NAME], folder)
    assert "README.md says '| 65 to 128 | 2,500 | **0.00 %**" in said
    assert "README.md does not say '| 65 to 128 | 2,500 | **81.88 %**" in right


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda metrics: metrics["sizes"][-1].update(confidence_interval=[0.0, 0.1]), "interval"),
        (lambda metrics: metrics["runs"][0].update(sequence_error=0.1), "list of trainings"),
        (
            lambda metrics: metrics["sizes"][-1].update(sequence_error=1 / 3),
            "not a whole number of 2500",
        ),
        (lambda metrics: metrics["other_models"][0]["sizes"][-1].update(errors=0), "that entry"),
    ],
)
def test_figures_that_do_not_fit_together(change, words, copied):
    folder, edit = copied
    if words == "that entry":
        metrics = store.results(NAME)
        other = metrics["other_models"][0]["model"]
        shutil.copytree(store.entry(other), folder / other)
    edit(change)
    assert any(words in text for text in inconsistencies([NAME], folder))


def test_a_damaged_entry_is_found(copied, capsys):
    folder, _ = copied
    path = folder / NAME / "README.md"
    path.write_text(path.read_text().replace("81.88 %", "0.00 %"))
    assert cli.main(["verify", "--entries", str(folder)]) == 1
    assert "ham_search_lstm/README.md is damaged or altered" in capsys.readouterr().out
    (folder / NAME / "manifest.json").unlink()
    assert cli.main(["verify", "--entries", str(folder)]) == 1
    assert "the entry ham_search_lstm has no manifest.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, text",
    [
        (["ham_sorted"], "Nearest: ham_sort"),
        ([NAME, "--seed", "0"], "come from seed 0"),
        ([NAME, "--seed", "-1"], "Received: -1"),
        ([NAME, "--examples", "0"], "--examples must be a whole number from 1"),
        ([NAME, "--seconds", "nan"], "--seconds must be a number above 0"),
        (["act_enwik8_small"], "enwik8 is not in"),
    ],
)
def test_what_is_refused(words, text, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ENWIK8", str(tmp_path))
    assert cli.main(["verify", *words]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.usefixtures("quick")
def test_a_seed_is_drawn_beyond_those_of_publications(monkeypatch):
    seeds = []
    monkeypatch.setattr(verify, "again", lambda name, seed, *rest: seeds.append(seed) or FIGURES)
    for _ in range(3):
        verify.verify([NAME])
    assert len(set(seeds)) == 3 and min(seeds) >= 1_000_000


def test_what_is_measured_under_a_limit_belongs_to_the_record(tmp_path):
    shutil.copytree(store.entry("act_parity"), tmp_path / "act_parity")
    path = tmp_path / "act_parity" / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["against_limit"][0]["sequence_error"] /= 2
    path.write_text(json.dumps(metrics))
    checkpoints.write_manifest(tmp_path / "act_parity")
    digest = record_of_verify.digest
    assert digest("act_parity", tmp_path) != digest("act_parity")


FIGURES = {"figures": [], "published": "", "seed": 0}


def test_the_rule_passes_honest_figures():
    """Of honest counts and means at most 1 % have a p-value below 1 %, and none one of 1e-6."""
    rng = np.random.default_rng(0)
    counts, means = [], []
    for rate in (0.0005, 0.02, 0.3):
        for _ in range(200):
            first, second = rng.random((2, 1000)) < rate
            second = second[: rng.integers(20, 1000)]
            counts.append(compare_errors(first.sum(), 1000, second.sum(), len(second)))
            # Rare mistakes that are large: as hard for a test of means as it gets.
            wrong = [rows * rng.integers(1, 60, len(rows)) for rows in (first, second)]
            again = Ratio(wrong[1], np.full(len(second), 100), largest=1.0)
            means.append(compare_means(wrong[0].sum() / 1e5, 1000, again))
    for values in (np.array(counts), np.array(means)):
        assert (values < 0.01).mean() <= 0.01 and values.min() > 1e-6


@pytest.mark.parametrize(
    "published, measured, agree",
    [
        ((0, 2500), (46, 2500), False),
        ((0, 1000), (29, 1000), False),
        ((0, 2500), (25, 2500), False),
        ((1000, 1000), (950, 1000), False),
        ((2, 100), (0, 10), True),
        ((46, 2500), (70, 2500), True),
    ],
)
def test_the_rule_finds_a_zero_that_is_a_few_percent(published, measured, agree):
    """Among a thousand figures, as many as all entries have together."""
    assert (compare_errors(*published, *measured) >= limit_of(1000)) == agree


def test_one_more_step_among_a_thousand_sequences_is_no_other_mean():
    """Where all the others are alike, and so the spread of what was measured is 0."""
    again = Ratio(np.full(1000, 21.0), np.full(1000, 13))
    assert compare_means(21.001 / 13, 1000, again) > limit_of(1000)
    assert compare_means(22 / 13, 1000, again) < limit_of(1000)


def test_answers_that_are_worth_nothing_may_be_rare():
    """Of the areas of hulls, 6 of 5,000 were 0, and none of the second measurement."""
    again = Ratio(np.full(5000, 0.9995), np.ones(5000), largest=1.0)
    assert compare_means(0.998, 5000, again) > limit_of(1000)
    assert compare_means(0.99, 5000, again) < limit_of(1000)


def test_a_mean_that_is_another_is_found():
    steps = np.random.default_rng(0).normal(8, 2, 1000)
    again = Ratio(steps, np.ones(1000))
    assert compare_means(8.0, 10_000, again, ROUNDING) > limit_of(1000)
    assert compare_means(7.5, 10_000, again, ROUNDING) < limit_of(1000)


def test_the_record():
    """What is on record is of the entries as they are, and they agree; the page says the same."""
    entries = record_of_verify.read(ROOT / verify_page.RECORD)
    current = {name: one for name, one in entries.items() if record_of_verify.is_current(name, one)}
    assert current.keys() == entries.keys()
    assert not record_of_verify.verdict(current, [], [])["disagreements"]
    page = (ROOT / verify_page.PAGE).read_text(encoding="utf-8")
    assert ("Not on record" in page) == (set(store.names()) != set(current))
    # A figure of another entry makes it one of none.
    name = min(current)
    assert not record_of_verify.is_current(name, {**current[name], "published": "another"})


def test_published_entries_agree_with_each_other(tmp_path):
    """Such as what the card of an LSTM says of the Neural GPU beside it."""
    entries = tmp_path / "saved_models"  # Elsewhere than the tables.
    entries.symlink_to(store.root())
    assert not list(inconsistencies(store.names(), entries))


@pytest.mark.slow
def test_published_entries_agree_with_the_tables():
    """As tests/test_readme.py finds without a process of its own."""
    assert not list(inconsistencies(store.names()))


@pytest.mark.parametrize(
    "entry", [{}, {"published": "a", "seed": 1, "seconds": 1, "figures": [{}]}]
)
def test_a_record_from_which_something_is_missing(entry, tmp_path):
    path = tmp_path / "verify.json"
    path.write_text(json.dumps({"entries": {"act_parity": entry}}), encoding="utf-8")
    with pytest.raises(ValueError, match="is not a record of `verify`: KeyError"):
        record_of_verify.read(path)
