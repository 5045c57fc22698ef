"""Every example that the project shows runs: in docstrings, in docs/ and in the cards."""

import doctest
import importlib
import re
import textwrap
from pathlib import Path

import pytest

import graphs
from must_train import must_train

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "keras_adaptive": "keras_adaptive",
    "datasets": "keras_adaptive.datasets",
    "zoo": "keras_adaptive.zoo",
}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^( *)```python\n(.*?)^\1```", re.DOTALL | re.MULTILINE)


def module_names():
    """Modules with an example in a docstring; those of `backend` are of one backend each."""
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT / folder).with_suffix("").parts
                yield ".".join([package, *parts]).removesuffix(".__init__")


def python_blocks(path):
    """The fenced Python of a document, each with its number."""
    text = path.read_text(encoding="utf-8")
    return [textwrap.dedent(match.group(2)) for match in FENCE.finditer(text)]


def documents():
    paths = [*ROOT.glob("docs/*.md"), *ROOT.glob("datasets/*/README.md")]
    # Its examples choose devices, which takes a process for each: test_distributed.py.
    paths.remove(ROOT / "docs" / "distributed.md")
    return sorted(path for path in paths if python_blocks(path))


@pytest.fixture
def names(monkeypatch, tmp_path):
    """What examples of docstrings take for granted, in a folder where they may write."""
    monkeypatch.chdir(tmp_path)
    modules = {"keras": "keras", "keras_adaptive": "keras_adaptive", "np": "numpy"}
    return {short: importlib.import_module(name) for short, name in modules.items()}


def run_session(source, names, where):
    """Run `>>>` lines and compare what they show."""
    session = doctest.DocTestParser().get_doctest(source, names, where, where, 0)
    failures = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    runner.run(session, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)


def run_docstrings(module_name, names):
    module = importlib.import_module(module_name)
    # A file's examples use its package as users do, with the names that the package exports.
    package = importlib.import_module(module_name.rpartition(".")[0])
    if package.__name__ != "keras_adaptive":
        exported = getattr(package, "__all__", ())
        names |= {name: vars(package)[name] for name in exported if name in vars(package)}
    finder = doctest.DocTestFinder(exclude_empty=True)
    for session in finder.find(module, extraglobs=names):
        failures = []
        doctest.DocTestRunner(verbose=False, optionflags=OPTIONS).run(session, out=failures.append)
        assert not failures, "".join(failures)


@pytest.mark.parametrize("module_name", module_names())
def test_docstrings(module_name, names, eager):
    """What they show is the same without a graph, for which a small `fit` takes seconds."""
    run_docstrings(module_name, names)


@pytest.mark.slow
@pytest.mark.parametrize("module_name", module_names())
def test_docstrings_in_graphs(module_name, names):
    run_docstrings(module_name, names)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


# They train for a few steps, which take less than their graphs.
SHORT = [ROOT / "docs" / name for name in ("ham.md", "pointer.md")]


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_documents(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with graphs.functions(run_eagerly=path in SHORT):
        run_document(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", SHORT, ids=name_of)
def test_short_documents_in_graphs(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    run_document(path)


def run_document(path):
    """A document's blocks run from top to bottom as one session, which begins without names."""
    names = {}
    for number, source in enumerate(python_blocks(path), start=1):
        where = f"{path.name}, block {number}"
        with must_train():
            if ">>> " in source:
                run_session(source, names, where)
            else:
                exec(compile(source, where, "exec"), names)
