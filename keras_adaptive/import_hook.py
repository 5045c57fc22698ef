"""Calls a function when another module is imported, without importing it."""

import contextlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any


def when_imported(
    name: str,
    action: Callable[[ModuleType], Any],
    within: Callable[[], AbstractContextManager[Any]] = contextlib.nullcontext,
) -> None:
    """Calls `action(module)` right after the module `name` is first loaded; one action per module.

    Args:
        name: full name of a module that is not loaded yet.
        action: function of the module. It is called before the import returns.
        within: function without arguments that returns a context manager for the loading.
    """
    if not any(isinstance(finder, _Finder) and finder.name == name for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(name, action, within))


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find a module, and learns when it is loaded."""

    def __init__(self, name, action, within):
        self.name, self.action, self.within = name, action, within
        self.searching = False

    def find_spec(self, fullname, path, target=None):
        if fullname != self.name or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.searching = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads a module with its own loader, and then acts."""

    def __init__(self, loader, finder):
        self.loader, self.finder = loader, finder

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # The module looks as if it had been loaded without this class.
        module.__loader__ = module.__spec__.loader = self.loader
        with self.finder.within():
            self.loader.exec_module(module)
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
        self.finder.action(module)
