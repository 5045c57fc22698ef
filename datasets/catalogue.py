"""Finds the tasks: each is a folder here with a builder, laid out as TensorFlow Datasets has it."""

import difflib
import importlib
import sys
from pathlib import Path
from types import ModuleType


def names() -> tuple[str, ...]:
    """The names of all tasks whose examples are symbols or vectors, and generated.

    Data sets that are made of files, `enwik8` and those of images, are among `all_names`.

    >>> names()
    ('act_addition', 'act_logic', ...)
    """
    return tuple(name for name, folder in _folders().items() if not _is_made_of_files(folder))


def task(name: str) -> ModuleType:
    """The module of a task, with `sample`, `encode`, `describe`, `decode`, `sizes`, `PADDING`.

    Args:
        name: one of `all_names()`.

    Raises:
        ValueError: no such task; the message suggests the nearest names.

    >>> task("act_parity").sizes()
    {'width': 64, 'outputs': 1, 'classes': 2}
    """
    known = all_names()
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4) or known
        raise ValueError(f"unknown task {name!r}. Did you mean {' or '.join(near)}?")
    return importlib.import_module(f".{name}.{name}", __package__)


def all_names() -> tuple[str, ...]:
    """The names of all data sets, also of those that are downloaded."""
    return tuple(_folders())


def _folders():
    """The folder of each data set, by its name."""
    paths = [Path(path) for path in sys.modules[__package__].__path__]
    builders = (file for path in paths for file in path.glob("*/*_dataset_builder.py"))
    folders = {file.parent.name: file.parent for file in builders if _is_builder(file)}
    return dict(sorted(folders.items()))


def _is_builder(file):
    return file.stem == f"{file.parent.name}_dataset_builder"


def _is_made_of_files(folder):
    # Where TensorFlow Datasets keeps the checksums of files.
    return (folder / "checksums.tsv").is_file()
