"""Registers the builders with TensorFlow Datasets as soon as that is imported, and not before.

`import keras_adaptive.datasets` must neither cost the seconds that TensorFlow Datasets takes nor
need it at all; and `tfds.load("act_parity")` must work whichever of the two is imported first.
"""

import importlib
import importlib.abc
import importlib.util
import sys
import warnings

TFDS = "tensorflow_datasets"


def register(tasks):
    """Register the builders of `tasks` now if TFDS is imported, else when it will be.

    Args:
        tasks: names of tasks.
    """
    if sys.modules.get(TFDS) is not None:
        _import_builders(tasks)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(tasks))


def _import_builders(tasks):
    # A builder registers itself when its module is imported, which happens once.
    for name in tasks:
        try:
            importlib.import_module(f".{name}.{name}_dataset_builder", __package__)
        except Exception as error:  # a broken builder must not break the import of TFDS
            warnings.warn(
                f"the data set {name} is not registered with TFDS: {error!r}", stacklevel=2
            )


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find TFDS, and learns when it is loaded."""

    def __init__(self, tasks):
        self.tasks = tasks
        self.searching = False

    def find_spec(self, fullname, path, target=None):
        if fullname != TFDS or self.searching:
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
    """Loads TFDS with its own loader, and then the builders."""

    def __init__(self, loader, finder):
        self.loader = loader
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # The module looks as if it had been loaded without this class.
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
        _import_builders(self.finder.tasks)
