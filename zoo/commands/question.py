"""The command that asks a network about one example; it loads Keras only where it must."""

import os

from .. import families
from ..command_check import recipe_asked
from ..entries import store
from ..training.progress import Estimated, interruptible
from .answers import answer


def predict(arguments):
    recipe, text = recipe_asked(arguments), arguments.input
    result, family = interruptible(lambda: ask(arguments, recipe, text))
    answer(arguments, result, family.format_answer(result))


def ask(arguments, recipe, text):
    """The answer, and what formats it."""
    # Whoever names a backend wants it to answer.
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
