"""The command `predict`; it loads Keras only if the model needs it."""

import os

from ...long_calls import Estimated, interruptible
from .. import families
from ..command_check import recipe_asked
from ..entries import store
from .answers import answer


def predict(arguments):
    """Ask a network about one example."""
    recipe, text = recipe_asked(arguments), arguments.input
    result, family = interruptible(lambda: ask(arguments, recipe, text))
    answer(arguments, result, family.format_answer(result))


def ask(arguments, recipe, text):
    """The answer of a model, and the family that formats it."""
    # A backend that the user names is used, even where NumPy would be enough.
    if arguments.run is None and not (arguments.backend or os.environ.get("KERAS_BACKEND")):
        light = families.without_keras(recipe, store.entry(arguments.name))
        if light is not None:
            probe, family = light
            result = family.of_text(recipe, Estimated(probe), text)
            return store.checked_answer(result, recipe, text), family

    # It imports Keras.
    from .models import model_asked

    model = model_asked(arguments, recipe)
    return store.ask(model, recipe, text, Estimated), families.of(recipe)
