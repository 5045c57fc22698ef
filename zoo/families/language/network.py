"""An adaptive recurrent layer that reads bytes and predicts the next one."""

import math

import keras
import numpy as np

from ....control import TargetPonder
from ....evaluation import PonderProbe
from ....models import AdaptiveModel
from ....models.adaptive import answer_dtype
from ..act.network import adaptive_layer

CLASSES = 256
SMALLEST = 1e-30


def predictor(recipe):
    """A model from bytes (batch, time) to probabilities of the next one (batch, time, 256).

    Args:
        recipe: a `Recipe`, whose hyperparameters have `units`; `embedding`, the width of a learned
            vector for each byte, or None for one of 256 inputs that is 1; and those of
            `act.network.recurrent`. With a `target_ponder` τ does not fall below
            `least_time_penalty`: at 0, its default, thought is not rewarded.
    """
    settings = recipe.hyperparameters
    target = None
    if settings["target_ponder"] is not None and settings["halting"] == "act":
        # Gains that stay the same, and this maximum, are what the published training had.
        target = TargetPonder(
            settings["target_ponder"],
            minimum=settings.get("least_time_penalty", 0.0),
            maximum=0.3,
            gain_scale=math.inf,
        )
    inputs = keras.Input((None,), dtype="int32", name="inputs")
    if settings["embedding"] is None:
        layer = keras.layers.Embedding(
            CLASSES, CLASSES, embeddings_initializer="identity", trainable=False, name="bytes"
        )
    else:
        layer = keras.layers.Embedding(CLASSES, settings["embedding"], name="bytes")
    cell = keras.layers.LSTMCell(settings["units"], recurrent_initializer="orthogonal")
    states, *_ = adaptive_layer(recipe, cell, target)(layer(inputs))
    answer = keras.layers.Dense(CLASSES, activation="softmax", dtype=answer_dtype(), name="answer")
    return AdaptiveModel(inputs, answer(states), name=recipe.name)


class Probe(PonderProbe):
    """A model with its ponder and the entropy of its predictions.

    Args:
        model: as `predictor` builds it.
    """

    def __call__(self, inputs):
        """What the model does at each byte.

        Args:
            inputs: bytes (batch, time).

        Returns:
            A dict of arrays: `outputs`, the probabilities of the next byte (batch, time, 256);
            `entropy` of these, in bits, `ponder` and `ponder_steps`, each (batch, time).
        """
        answers = super().__call__(inputs)
        outputs = answers["outputs"]
        entropy = -(outputs * np.log2(np.maximum(outputs, SMALLEST))).sum(-1)
        return {**answers, "entropy": entropy}


def bits(outputs, targets):
    """-log2 of the probabilities (windows, time, classes) of the targets (windows, time)."""
    given = np.take_along_axis(outputs, targets[..., None], axis=-1)[..., 0]
    return -np.log2(np.maximum(given, SMALLEST))
