"""Completion in a shell: Tab proposes commands, options, and the names of models and recipes.

It needs the library `argcomplete`.
"""

import contextlib
import os

from . import recipes
from .entries import store


def complete(parser):
    """Answer a shell that wants to complete a command line, and end the process.

    Does nothing if no shell asks for completion, or `argcomplete` is not installed.

    Args:
        parser: the parser of the command line. The `completer` of an argument is a function that
            returns the possible values.
    """
    if "_ARGCOMPLETE" not in os.environ:
        return
    with contextlib.suppress(ImportError):
        # An optional library.
        import argcomplete

        argcomplete.autocomplete(parser)


def recipe_names(**_):
    """The names of all recipes, as `argcomplete` asks for them."""
    return recipes.names()


def model_names(**_):
    """The names of all pretrained models, as `argcomplete` asks for them."""
    return store.names()
