"""A translation network for a data set of sentence pairs."""

import math

from .... import datasets
from ....control import TargetPonder
from ....models import TranslationNetwork


def build(recipe):
    """A `TranslationNetwork`, built, for the subwords of the recipe's data set.

    The variant `"plain"` takes one step for each subword that it writes.

    Args:
        recipe: a `Recipe`, whose hyperparameters have `units`, `dropout`, `place`, `halting`
            (`"act"` or `"fixed"`), `fixed_steps`, `max_ponder`, `halting_bias`,
            `target_ponder`, `least_time_penalty` and `max_outputs`.
    """
    settings = recipe.hyperparameters
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    plain = recipe.variant == "plain"
    target = None
    if settings["target_ponder"] is not None and settings["halting"] == "act":
        # The loss of a subword is a few nats, so the default gains would change τ too fast.
        gains = {"proportional_gain": 0.1, "integral_gain": 1e-4, "gain_scale": math.inf}
        least = settings["least_time_penalty"]
        target = TargetPonder(settings["target_ponder"], minimum=least, **gains)
    model = TranslationNetwork(
        sizes["symbols"],
        sizes["classes"],
        settings["units"],
        halting=None if plain else settings["halting"],
        steps=None if plain else settings["fixed_steps"],
        place=settings["place"],
        max_ponder=settings["max_ponder"],
        time_penalty=recipe.stages[0].time_penalty,
        target_ponder=target,
        halting_bias=settings["halting_bias"],
        dropout=settings["dropout"],
        max_outputs=tuple(settings["max_outputs"]),
        name=recipe.name,
    )
    model.build((None, None))
    return model
