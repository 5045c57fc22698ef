"""The families of networks of the zoo: one folder each, with one subclass of `Family`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..family_traits import traits_of

if TYPE_CHECKING:
    from ..recipe import Recipe
    from .family import Family

# The names of families in recipes.
NAMES = (
    "act",
    "baseline",
    "ham",
    "ham_baseline",
    "images",
    "language",
    "neural_gpu",
    "pointer",
    "pondernet",
    "recall",
    "translation",
    "words",
)


def of(recipe: "Recipe") -> "Family":
    """The family of a recipe's networks.

    Args:
        recipe: a `Recipe`.

    Returns:
        A `Family`.
    """
    # Families load Keras, which `keras-adaptive list` and the checks of options do not need.
    from .registry import CLASSES

    return CLASSES[recipe.family](recipe)


def without_keras(recipe: "Recipe", entry: Path) -> tuple[Any, Any] | None:
    """The network of an entry in NumPy, if there is one, for an answer without loading Keras.

    Args:
        recipe: the entry's `Recipe`.
        entry: its folder.

    Returns:
        A pair of a probe and the module `answers` of its family; or None.
    """
    if not traits_of(recipe).answers_in_numpy or recipe.hyperparameters["halting"] != "act":
        return None
    # It imports HDF5, which most commands do not need.
    from .act import answers

    return answers.probe(entry), answers
