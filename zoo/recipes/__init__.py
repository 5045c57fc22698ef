"""The recipes of the zoo: a file for each, which also has its `VARIANTS`, recipes made from it."""

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from ...datasets.arguments import nearest
from ..recipe import Recipe


def names() -> list[str]:
    """Names of all recipes, sorted."""
    return sorted(_recipes())


def load(name: str) -> Recipe:
    """The recipe called `name`.

    Returns:
        A `keras_adaptive.zoo.recipe.Recipe`.

    Raises:
        ValueError: there is none of this name; the message has the nearest names.
    """
    known = _recipes()
    if name not in known:
        near = nearest(name, names())
        raise ValueError(f"there is no recipe {name!r}. Nearest: {near}")
    return known[name]


def configure(settings: Mapping[str, Any], recipe: Recipe | None = None) -> Recipe:
    """The recipe that the settings of a run describe.

    Args:
        settings: a dict with `recipe` (its name), and `variant`, `overrides`, `steps_scale` and
            `seed`, each of which may be None.
        recipe: the `Recipe` to change, if it is not part of the zoo.

    Returns:
        A `Recipe`.
    """
    recipe = recipe or load(settings["recipe"])
    kinds = ("variant", "overrides", "steps_scale", "seed")
    return recipe.configured(**{kind: settings[kind] for kind in kinds})


@functools.cache
def _recipes():
    """A dict from names to recipes; they are data, so reading all of them takes no time."""
    modules = [
        importlib.import_module(f".{module.name}", __name__)
        for module in pkgutil.iter_modules(__path__)
    ]
    loaded = [
        recipe for module in modules for recipe in (module.RECIPE, *getattr(module, "VARIANTS", ()))
    ]
    return {recipe.name: recipe for recipe in loaded}
