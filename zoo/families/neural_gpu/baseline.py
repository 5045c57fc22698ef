"""What Neural GPUs are compared with: networks that write an answer until their own end symbol."""

import functools
from typing import ClassVar

import numpy as np

from .... import datasets, plots
from ...entries.card import Sections
from . import baseline_network, card
from .family import CURVES, NeuralGPU

# What is measured in one batch, in positions.
LARGEST_BATCH = 200_000


class NeuralGPUBaseline(NeuralGPU):
    """Sequence-to-sequence LSTMs and stack RNNs, measured and published as Neural GPUs are."""

    networks: ClassVar = {
        "seq2seq_lstm": baseline_network.seq2seq_lstm,
        "stack_rnn": baseline_network.stack_rnn,
    }
    limits = ()
    cost_power = 1
    can_be_averaged = False

    def training_batch(self, batch, parameters):
        """Inputs, targets and weights; the targets end with the end of the longest answer."""
        recipe = self.recipe
        length = parameters[recipe.length_parameters[1]]
        fixed = {**recipe.parameters, **dict.fromkeys(recipe.length_parameters, length)}
        steps = longest_answer(recipe.dataset, frozenset(fixed.items()))
        return batch["inputs"], batch["targets"][:, :steps], batch["weights"][:, :steps]

    def evaluation_batch_size(self, parameters):
        """Fewer of longer examples."""
        batch = datasets.batch(self.recipe.dataset, 1, split="validation", **parameters)
        return int(np.clip(LARGEST_BATCH // batch["inputs"].shape[1], 1, 500))

    def predict(self, probe, text):
        """A dict as in `NeuralGPU.predict`; `steps` is how many symbols were written.

        The end symbol is among them.
        """
        answer = super().predict(probe, text)
        task = datasets.task(self.recipe.dataset)
        most = task.encode(text, **self.recipe.parameters).shape[1]
        return {**answer, "steps": min(len(answer["symbols_written"]) + 1, most)}

    def card_sections(self, metrics):
        """Those of a Neural GPU, without a mental image, and with another network in words."""
        end = " After the end of the answer, blanks have probability 1."
        return Sections(
            source=card.SOURCE,
            results=card.results(self.recipe, metrics),
            pictures=card.learning_curve(self.recipe),
            use=card.use(self.recipe, metrics) + end,
            training=card.trainings(network_in_words(self.recipe), self.recipe, metrics),
        )

    def draw_card(self, folder, model, metrics, history):
        """Write the learning curve."""
        plots.learning_curve(folder / "learning_curve.png", history, CURVES)

    def check_plot(self, request):
        """Refuse all pictures."""
        raise ValueError(
            f"{self.recipe.name} has no mental image to draw; plot is for Neural GPUs and adaptive "
            "computation time"
        )


@functools.cache
def longest_answer(dataset, parameters):
    """The symbols of an answer with its end symbol, for parameters that allow a single length."""
    targets = datasets.batch(dataset, 1, seed=0, **dict(parameters))["targets"]
    return int((targets > 0).sum()) + 1


def network_in_words(recipe):
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
