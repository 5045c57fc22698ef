"""The README is what a newcomer meets first: its shape, its commands, its code and its tables."""

import re
import runpy
from pathlib import Path

import pytest

import tables
from keras_adaptive import datasets
from must_train import must_train

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = "python -m venv .venv && .venv/bin/pip install . && .venv/bin/keras-adaptive demo"
TEST = 'python -m venv .venv && .venv/bin/pip install ".[test]" && .venv/bin/pytest'
# Title, one sentence, one picture, one block of code.
OPENING = re.compile(
    r"# keras_adaptive\n\n([^\n]+\.)\n\n!\[[^\n]+\]\(([^\n]+)\)\n\n```python\n(.+?)```", re.DOTALL
)


@pytest.fixture
def opening():
    match = OPENING.match(TEXT)
    assert match, TEXT[:500]
    return match.groups()


def test_opens_with_a_sentence_a_picture_and_ten_lines(opening):
    sentence, picture, code = opening
    assert "\n" not in sentence and sentence.count(". ") == 0
    assert (ROOT / picture).is_file(), picture
    assert 8 <= len([line for line in code.splitlines() if line.strip()]) <= 12


def test_the_code_trains(opening):
    """The block as it is, except that it trains for a quarter of the time."""
    *_, code = opening
    assert code.count("epochs=4") == 1
    code = code.replace("epochs=4", "epochs=1")
    names = {}
    with must_train():
        exec(compile(code, "README", "exec"), names)
    batch = datasets.batch("act_parity", 500, seed=1, index=0, bits=4)
    found = names["model"].evaluate(batch["inputs"], batch["targets"], verbose=0, return_dict=True)
    assert found["accuracy"] > 0.6
    assert found["ponder_steps"] > 1


@pytest.mark.parametrize("command", [RUN, TEST])
def test_commands_are_the_promised_ones(command):
    assert f"\n{command}\n" in TEXT


def test_commands_come_right_after_the_code():
    before_the_first_section = TEXT.split("\n## ")[0]
    assert before_the_first_section.index(RUN) < before_the_first_section.index(TEST)


def test_the_check_runs_the_test_command():
    assert TEST in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_links_lead_somewhere_from_a_package_index():
    describe = runpy.run_path(str(ROOT / "setup.py"))["description"]
    text = describe(TEXT, "https://example.org/us/keras_adaptive/", "0.1.0")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20 and all(target.startswith("https://") for target in targets)
    assert "/raw/v0.1.0/docs/pictures/ponder_logic.png" in text
    assert "/blob/v0.1.0/CHANGELOG.md" in text
    assert re.sub(r"https://example.org/us/keras_adaptive/(raw|blob)/v0.1.0/", "", text) == TEXT


@pytest.mark.parametrize("document", tables.DOCUMENTS)
def test_tables_are_what_the_results_say(document):
    """If this fails: python docs/tables.py"""
    text = (ROOT / document).read_text(encoding="utf-8")
    assert tables.written(text, ROOT, document) == text


def test_is_read_to_its_end():
    assert len(TEXT.splitlines()) <= 150
    assert 800 <= len(TEXT.split()) <= 1060
