"""Completion in a shell: Tab proposes commands, options, and the names of models and recipes.

The library `argcomplete` does it, if it is installed.
"""

import contextlib
import os

from . import recipes
from .entries import store


def complete(parser):
    """Answer a shell that wants to complete a command line, and end the process.

    Does nothing where no shell asks, or `argcomplete` is missing.

    Args:
        parser: the parser of the command line. The names that can stand for an argument are
            given by its `completer`, a function.
    """
    if "_ARGCOMPLETE" not in os.environ:
        return
    with contextlib.suppress(ImportError):
        import argcomplete

        argcomplete.autocomplete(parser)


def recipe_names(**_):
    """The names of all recipes, as `argcomplete` asks for them."""
    return recipes.names()


def model_names(**_):
    """The names of all pretrained models, as `argcomplete` asks for them."""
    return store.names()
