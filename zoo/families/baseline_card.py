"""The sections of the model card of an entry with a baseline of the Neural GPU."""

from . import neural_gpu_card
from .neural_gpu_card import DIFFERENCES, SOURCE, learning_curve, results, trainings

__all__ = ["DIFFERENCES", "SOURCE", "pictures", "results", "training", "use"]


def pictures(recipe):
    """The picture and what it shows."""
    return learning_curve(recipe)


def use(recipe, metrics):
    """How to load and serve the model."""
    return (
        neural_gpu_card.use(recipe, metrics)
        + " Behind the end of what the model writes stand blanks with probability 1."
    )


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    return trainings(network(recipe), recipe, metrics)


def network(recipe):
    """The network in words."""
    settings = recipe.hyperparameters
    if "num_stacks" in settings:
        limit = settings["stack_depth"]
        return (
            f"A stack RNN with {settings['units']} hidden units and {settings['num_stacks']} "
            f"stacks {'without limit' if limit is None else f'of {limit} numbers'}"
            f"{', which feeds back its hidden units too' if settings['recurrent'] else ''}"
        )
    layers = settings["num_layers"]
    return (
        f"A sequence-to-sequence LSTM {'with' if settings['attention'] else 'without'} attention, "
        f"{'one layer' if layers == 1 else f'{layers} layers'} of {settings['units']} units"
    )
