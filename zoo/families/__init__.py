"""The families of networks of the zoo: one folder each, with one subclass of `Family`."""

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
)


def of(recipe):
    """The family of a recipe's networks.

    Args:
        recipe: a `Recipe`.

    Returns:
        A `Family`.
    """
    # Families load Keras, which `keras-adaptive list` and the checks of options do not need.
    from .registry import CLASSES

    return CLASSES[recipe.family](recipe)


def without_keras(recipe, entry):
    """The network of an entry in NumPy, where there is such, for an answer that comes at once.

    Args:
        recipe: the entry's `Recipe`.
        entry: its folder.

    Returns:
        A pair of a probe and the module `answers` of its family; or None.
    """
    if recipe.family != "act" or recipe.hyperparameters["halting"] != "act":
        return None
    # HDF5, which most commands do not need.
    from .act import answers
    from .act.numpy_network import NumpyProbe

    return NumpyProbe(entry / "model.keras"), answers
