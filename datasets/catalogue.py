"""Finds the tasks: each is a folder here, laid out as TensorFlow Datasets has it.

A folder has a builder; where TensorFlow Datasets has the data set itself, it has `checksums.tsv`
alone.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from .arguments import nearest


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
        raise ValueError(f"unknown task {name!r}. Nearest: {nearest(name, known)}")
    return importlib.import_module(f".{name}.{name}", __package__)


def all_names() -> tuple[str, ...]:
    """The names of all data sets, also of those that are downloaded."""
    return tuple(_folders())


def with_builders() -> tuple[str, ...]:
    """The names of all data sets that have a builder here.

    >>> "cifar10" in with_builders(), "cifar10" in all_names()
    (False, True)
    """
    return tuple(name for name, folder in _folders().items() if _has_builder(folder))


def _folders():
    """The folder of each data set, by its name."""
    paths = [Path(path) for path in sys.modules[__package__].__path__]
    folders = (folder for path in paths for folder in path.iterdir() if folder.is_dir())
    return {
        folder.name: folder
        for folder in sorted(folders, key=lambda folder: folder.name)
        if _has_builder(folder) or _is_made_of_files(folder)
    }


def _has_builder(folder):
    return (folder / f"{folder.name}_dataset_builder.py").is_file()


def _is_made_of_files(folder):
    # Where TensorFlow Datasets keeps the checksums of files.
    return (folder / "checksums.tsv").is_file()
