"""Completion in a shell: Tab proposes commands, options, and the names of models and recipes.

The library `argcomplete` does it, if it is installed.
"""

import contextlib
import os

from . import recipes

# The first word after these commands is the name of a recipe, after those of a pretrained model.
TAKE_RECIPES = ("train", "tune", "study")
TAKE_MODELS = ("evaluate", "verify", "predict", "plot", "segment")


def complete(parser):
    """Answer a shell that wants to complete a command line, and end the process.

    Does nothing where no shell asks, or `argcomplete` is missing.

    Args:
        parser: the parser of the command line, with its `commands`.
    """
    if "_ARGCOMPLETE" not in os.environ:
        return
    with contextlib.suppress(ImportError):
        import argcomplete

        for commands, completer in ((TAKE_RECIPES, recipe_names), (TAKE_MODELS, model_names)):
            for command in commands:
                for action in parser.commands[command]._actions:
                    if action.dest in ("name", "names"):
                        action.completer = completer
        argcomplete.autocomplete(parser)


def recipe_names(**_):
    return recipes.names()


def model_names(**_):
    from . import store

    return store.names()
