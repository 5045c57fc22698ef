"""The baselines of HAM: an encoder and a decoder of LSTMs, with and without attention.

They are trained by the curriculum of the network with memory, on as many batches, and write until
they output End Of Output.
"""

from typing import ClassVar

import keras

from .... import losses, metrics
from ...entries.card import Sections
from ..family import Family
from . import card, network
from .family import HAM
from .network import serve_vectors


class HAMBaseline(HAM):
    """Sequence-to-sequence LSTMs, measured and published like networks with a memory."""

    networks: ClassVar = {"seq2seq_lstm": network.seq2seq_lstm}
    logged_metrics = ()
    columns = Family.columns
    limits = ()

    def optimizer(self):
        """Adam with clipping of the global norm."""
        settings = self.recipe.hyperparameters
        return keras.optimizers.Adam(
            self.recipe.stages[0].learning_rate,
            beta_2=settings["beta_2"],
            global_clipnorm=settings["clipnorm"],
        )

    def loss(self, model):
        """The mean over the vectors of the answers."""
        return BitLoss(per_target=True)

    def metric(self):
        """The share of wrong answers."""
        return BitSequenceError()


    def predict(self, probe, text):
        """A dict as in `HAM.predict`; `leaves` is 0."""
        return {**super().predict(probe, text), "leaves": 0}

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoint, with free batch size and length, as `HAM` does."""
        serve_vectors(archive, model, model.source.width, model.target.width)

    def card_sections(self, metrics):
        """The sections of a network with memory, with the description of this network."""
        recipe = self.recipe
        return Sections(
            source=card.SOURCE,
            results=card.results(recipe, metrics),
            pictures=card.pictures(recipe),
            use=card.use(recipe, metrics),
            training=card.trainings(network_in_words(recipe), recipe, metrics),
        )

    def format_answer(self, answer):
        """The example as it was parsed, and the answer."""
        return "\n".join(
            [
                f"read: {answer['read']}",
                f"confidence {answer['confidence']:.1%}",
                f"answer: {answer['answer']}",
            ]
        )

    def check_plot(self, request):
        """Refuse all pictures."""
        raise ValueError(f"{self.recipe.name} has no memory to draw; plot is for HAM")


class BitLoss(losses.SequenceLoss):
    """The loss of vectors of bits, of probabilities of ones (batch, outputs, bits)."""

    def call(self, y_true, y_pred):
        """The cross-entropy of each vector."""
        return super().call(y_true, y_pred[..., None])


class BitSequenceError(metrics.SequenceError):
    """The share of answers with any wrong bit, by probabilities of ones (batch, outputs, bits)."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Counts the answers of a batch."""
        super().update_state(y_true, y_pred[..., None], sample_weight)


def network_in_words(recipe):
    """The network in words."""
    settings = recipe.hyperparameters
    layers = settings["num_layers"]
    return (
        f"A sequence-to-sequence LSTM {'with' if settings['attention'] else 'without'} attention, "
        f"{'one layer' if layers == 1 else f'{layers} layers'} of {settings['units']} units"
    )
