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
    from .act.family import ACT
    from .ham.baseline import HAMBaseline
    from .ham.family import HAM
    from .language.family import Language
    from .neural_gpu.baseline import NeuralGPUBaseline
    from .neural_gpu.family import NeuralGPU
    from .pondernet.family import PonderNetFamily
    from .recall.family import RecallFamily

    classes = {
        "act": ACT,
        "baseline": NeuralGPUBaseline,
        "ham": HAM,
        "ham_baseline": HAMBaseline,
        "language": Language,
        "neural_gpu": NeuralGPU,
        "pondernet": PonderNetFamily,
        "recall": RecallFamily,
    }
    return classes[recipe.family](recipe)
