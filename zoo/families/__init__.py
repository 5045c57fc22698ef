"""The families of networks of the zoo: one folder each, with one subclass of `Family`."""

# The names by which recipes know them.
NAMES = (
    "act",
    "baseline",
    "ham",
    "ham_baseline",
    "language",
    "neural_gpu",
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
    # Families load Keras, which `keras-adaptive list` and the checks of options do without.
    from .registry import CLASSES

    return CLASSES[recipe.family](recipe)
