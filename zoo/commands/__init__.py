"""The functions that run the commands; each takes the parsed arguments.

Keras takes seconds to load, and neither `--help` nor a mistake in the options should wait for it.
So the commands that need it are in modules that are imported when one of them runs.
"""

import functools

from .. import demo as demonstration
from .. import listing
from .answers import PROGRAM, answer
from .question import predict
from .resume import again, has_training

__all__ = [
    "PROGRAM",
    "again",
    "demo",
    "entry_commands",
    "has_training",
    "list_models",
    "model_commands",
    "predict",
    "training_commands",
]


def training_commands():
    """The module of the commands that train."""
    # It imports Keras.
    from . import trainings as module

    return module


def model_commands():
    """The module of the commands that ask a trained network."""
    # It imports Keras.
    from . import models as module

    return module


def entry_commands():
    """The module of the commands that publish models, and measure published ones."""
    # It imports Keras.
    from . import entries as module

    return module


def list_models(arguments):
    """List the pretrained models and the recipes."""
    data = listing.listing()
    answer(arguments, data, listing.table(data))


def demo(arguments):
    """Show what the pretrained models do."""
    show = None if arguments.json else functools.partial(print, flush=True)
    results = demonstration.demo(arguments.out, arguments.examples, show=show)
    if arguments.json:
        answer(arguments, results, results["text"])
