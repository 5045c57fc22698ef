"""The command `predict`; it loads Keras only if the model needs it."""

import os

from ...formatting import printable
from ...long_calls import Estimated, interruptible
from .. import families
from ..command_check import option, recipe_asked
from ..entries import store
from ..settings import LIMITED
from .answers import answer


def predict(arguments):
    """Ask a network about one example."""
    recipe, text = recipe_asked(arguments), arguments.input
    result, family = interruptible(lambda: ask(arguments, recipe, text))
    answer(arguments, result, printable(family.format_answer(result)))


def ask(arguments, recipe, text):
    """The answer of a model, and the family that formats it."""
    limits = {name: getattr(arguments, name) for name in LIMITED if name != "within"}
    limited = any(value is not None for value in limits.values())
    # A backend that the user names is used, even where NumPy would be enough.
    chosen = arguments.backend or os.environ.get("KERAS_BACKEND")
    if arguments.run is None and not (chosen or limited):
        light = families.without_keras(recipe, store.entry(arguments.name))
        if light is not None:
            probe, family = light
            result = family.of_text(recipe, Estimated(probe), text)
            return store.checked_answer(result, recipe, text), family

    # It imports Keras.
    from .models import model_asked

    family = families.of(recipe)
    family.check_limits(limits, option)
    model = model_asked(arguments, recipe, limits)
    return store.ask(model, recipe, text, Estimated), family
