"""Lets Keras find the classes of this package in saved models, without importing Keras.

Keras looks a foreign class up in a dictionary, and imports no module to find it. So that
dictionary imports the modules with these classes when one of them is looked up.
"""

import importlib
import sys

from .import_hook import when_imported

# Where Keras keeps the dictionary, and its name there.
REGISTRY = "keras.src.saving.object_registration"
CLASSES = "GLOBAL_CUSTOM_OBJECTS"


def register(modules: tuple[str, ...]) -> None:
    """Lets Keras find what `modules` register, now if Keras is imported, else when it will be.

    Args:
        modules: full names of modules whose import registers classes of this package.
    """
    if REGISTRY in sys.modules:
        _import_all(modules)
        return

    def replace(registry):
        setattr(registry, CLASSES, _Classes(getattr(registry, CLASSES), modules))

    when_imported(REGISTRY, replace)


def _import_all(modules):
    for module in modules:
        importlib.import_module(module)


class _Classes(dict):
    """Keras's dictionary, which imports the classes of this package when one is looked up."""

    def __init__(self, classes, modules):
        super().__init__(classes)
        self.modules = modules

    def __contains__(self, name):
        if not super().__contains__(name) and str(name).startswith(f"{__package__}>"):
            _import_all(self.modules)
        return super().__contains__(name)

    def __missing__(self, name):
        if name in self:
            return self[name]
        raise KeyError(name)

    def get(self, name, default=None):
        return super().get(name, default) if name in self else default
