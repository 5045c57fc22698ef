"""The sections of the model card of an entry with a baseline of HAM."""

from .ham_card import DIFFERENCES, SOURCE, pictures, results, trainings, use

__all__ = ["DIFFERENCES", "SOURCE", "pictures", "results", "training", "use"]


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    return trainings(network(recipe), str(recipe.batch_size), recipe, metrics)


def network(recipe):
    """The network in words."""
    settings = recipe.hyperparameters
    layers = settings["num_layers"]
    return (
        f"A sequence-to-sequence LSTM {'with' if settings['attention'] else 'without'} attention, "
        f"{'one layer' if layers == 1 else f'{layers} layers'} of {settings['units']} units"
    )
