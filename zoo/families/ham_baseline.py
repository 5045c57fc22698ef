"""What HAM is compared with: an encoder and a decoder of LSTMs, with and without attention.

They are trained by the curriculum of the network with memory, on as many batches, and write until
their own End Of Output.
"""

import keras

from ... import datasets, losses, metrics
from ...baselines import Seq2SeqLSTM, Vectors
from . import ham
from .ham import (
    Probe,
    before_chunk,
    by_difficulty,
    examples_at_once,
    found,
    ratios,
    selection,
    summary,
    training_batch,
    validate,
)

__all__ = [
    "LOGGED",
    "Probe",
    "ask",
    "before_chunk",
    "build",
    "by_difficulty",
    "compile_model",
    "examples_at_once",
    "found",
    "ratios",
    "selection",
    "summary",
    "training_batch",
    "validate",
]

LOGGED = ()


def build(recipe):
    """A sequence-to-sequence LSTM from vectors (batch, m, width) to probabilities.

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `num_layers`, `attention`, `dropout`
            and `max_outputs`.
    """
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    names = ("units", "num_layers", "attention", "dropout", "max_outputs")
    model = Seq2SeqLSTM(
        Vectors(sizes["width"]),
        Vectors(sizes["outputs"]),
        **{name: recipe.hyperparameters[name] for name in names},
        name=recipe.name,
    )
    model.build()
    return model


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


def compile_model(model, recipe, jit_compile="auto", steps_per_execution=1):
    """Compile `model` as `recipe` says; the loss is the mean over the vectors of the answers."""
    settings = recipe.hyperparameters
    model.compile(
        optimizer=keras.optimizers.Adam(
            recipe.stages[0].learning_rate,
            beta_2=settings["beta_2"],
            global_clipnorm=settings["clipnorm"],
        ),
        loss=BitLoss(per_target=True),
        weighted_metrics=[BitSequenceError()],
        jit_compile=jit_compile,
        steps_per_execution=steps_per_execution,
    )


def ask(probe, recipe, text):
    """What a model answers to one example in human form, a dict as of `ham.ask`; `leaves` is 0."""
    return {**ham.ask(probe, recipe, text), "leaves": 0}
