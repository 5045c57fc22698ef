"""The notebooks of docs/ run from top to bottom, and show what they do."""

import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]


@pytest.fixture(scope="module")
def runner():
    specification = importlib.util.spec_from_file_location("notebooks", FOLDER / "run.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ran(runner, tmp_path_factory):
    """From the name of a notebook to the notebook as it has run and to its variables."""
    results = {}

    def run(name):
        if name not in results:
            notebook = runner.read(FOLDER / f"{name}.ipynb")
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(tmp_path_factory.mktemp(name))
                results[name] = notebook, runner.run(notebook)
        return results[name]

    return run


def kinds(notebook):
    """What each code cell shows: kinds of its outputs."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [[output["output_type"] for output in cell["outputs"]] for cell in cells]


# Some train for long.
trains = pytest.mark.slow


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=trains) if name == "adaptive_layer" else name for name in NAMES],
)
def test_a_notebook_shows_what_it_does(name, runner, ran):
    stored, (notebook, _) = runner.read(FOLDER / f"{name}.ipynb"), ran(name)
    assert kinds(stored) == kinds(notebook), "run docs/notebooks/run.py"
    assert sum("display_data" in shown for shown in kinds(stored)) == 2
    assert stored["nbformat"] == 4
    ids = [cell["id"] for cell in stored["cells"]]
    assert len(set(ids)) == len(ids)
    # Pictures are small.
    assert len(json.dumps(stored)) < 100_000


@trains
def test_the_layer_learns_what_one_step_does_not(ran):
    _, variables = ran("adaptive_layer")
    assert variables["accuracy"](variables["adaptive"]) > 0.97
    assert sum(variables["dear"]) < sum(variables["cheap"])


def test_the_answers_of_the_zoo_are_those_that_are_shown(runner, ran):
    stored, (notebook, _) = runner.read(FOLDER / "question_the_zoo.ipynb"), ran("question_the_zoo")
    compared = 0
    for before, now in zip(stored["cells"], notebook["cells"], strict=True):
        for old, new in zip(before.get("outputs", ()), now.get("outputs", ()), strict=True):
            if old["output_type"] == "stream":
                assert old["text"] == new["text"]
                compared += 1
    assert compared == 3


def test_the_site_has_them_as_pages(runner):
    page = runner.as_markdown(runner.read(FOLDER / "question_the_zoo.ipynb"))
    assert page.startswith("# Question the zoo\n")
    assert page.count("](data:image/png;base64,") == 2
    assert "```python\nanswer = zoo.predict(" in page and "22437  5 steps" in page


def test_a_cell_that_fails_is_not_passed_over(runner):
    cell = {"cell_type": "code", "source": ["1 / 0"]}
    with pytest.raises(ZeroDivisionError):
        runner.run({"cells": [cell]})
