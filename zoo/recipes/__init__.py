"""The recipes of the zoo, one file each; the file's name is the recipe's."""

import difflib
import importlib
import pkgutil


def names():
    """Names of all recipes, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name):
    """The recipe called `name`.

    Returns:
        A `keras_adaptive.zoo.recipe.Recipe`.

    Raises:
        ValueError: there is none of this name; the message has the nearest names.
    """
    if name not in names():
        near = difflib.get_close_matches(name, names()) or names()
        raise ValueError(f"there is no recipe {name!r}. Nearest: {', '.join(near)}")
    return importlib.import_module(f".{name}", __name__).RECIPE
