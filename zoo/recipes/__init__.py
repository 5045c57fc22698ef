"""The recipes of the zoo: a file for each, which also has its `VARIANTS`, recipes made from it."""

import difflib
import functools
import importlib
import pkgutil

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
        near = difflib.get_close_matches(name, names()) or names()
        raise ValueError(f"there is no recipe {name!r}. Nearest: {', '.join(near)}")
    return known[name]


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
