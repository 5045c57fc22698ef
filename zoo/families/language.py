"""Networks that predict the next byte of a text: one adaptive recurrent layer, and a softmax."""

import math

import keras
import numpy as np

from ... import datasets, losses, metrics
from ...control import TargetPonder
from ...datasets.enwik8 import characters
from ...layers import ACTRNN
from ...models import AdaptiveModel
from ..agreement import of_mean
from . import act
from .act import before_chunk, training_batch

__all__ = [
    "LOGGED",
    "SCORE",
    "Probe",
    "ask",
    "before_chunk",
    "by_difficulty",
    "compile_model",
    "examples_at_once",
    "found",
    "predictor",
    "selection",
    "summary",
    "training_batch",
    "validate",
]

SCORE = "bits_per_character"
LOGGED = ("ponder", "ponder_steps")
CLASSES = 256
MEASURED = ("entropy", "ponder", "ponder_steps")
SMALLEST = 1e-30
# Of the windows of a split.
ALL = 10**9


def predictor(recipe):
    """A model from bytes (batch, time) to probabilities of the next one (batch, time, 256).

    Args:
        recipe: a `Recipe`, whose hyperparameters have `units`; `embedding`, the width of a learned
            vector for each byte, or None for one of 256 inputs that is 1; and those of
            `act.recurrent`. With a `target_ponder` τ never falls below 0: thought is not rewarded.
    """
    settings = recipe.hyperparameters
    target = None
    if settings["target_ponder"] is not None and settings["halting"] == "act":
        # Gains that stay the same, and this maximum, are what the published training had.
        target = TargetPonder(
            settings["target_ponder"], minimum=0.0, maximum=0.3, gain_scale=math.inf
        )
    inputs = keras.Input((None,), dtype="int32", name="inputs")
    if settings["embedding"] is None:
        layer = keras.layers.Embedding(
            CLASSES, CLASSES, embeddings_initializer="identity", trainable=False, name="bytes"
        )
    else:
        layer = keras.layers.Embedding(CLASSES, settings["embedding"], name="bytes")
    cell = keras.layers.LSTMCell(settings["units"], recurrent_initializer="orthogonal")
    states, *_ = ACTRNN(
        cell,
        max_ponder=settings["max_ponder"],
        epsilon=settings["epsilon"],
        time_penalty=recipe.stages[0].time_penalty,
        halting_bias=settings["halting_bias"],
        halting=settings["halting"],
        steps=settings["fixed_steps"],
        target_ponder=target,
        return_sequences=True,
        return_ponder=True,
        name="act",
    )(layer(inputs))
    answer = keras.layers.Dense(CLASSES, activation="softmax", name="answer")
    return AdaptiveModel(inputs, answer(states), name=recipe.name)


def compile_model(model, recipe, jit_compile="auto", steps_per_execution=1):
    """Compile `model` as `recipe` says: Adam, global norm clipping, loss and bits per character.

    The loss is a sum over time, so the clipping norm grows with the length of the windows.
    """
    model.compile(
        optimizer=keras.optimizers.Adam(
            recipe.stages[0].learning_rate, global_clipnorm=recipe.hyperparameters["clipnorm"]
        ),
        loss=losses.SequenceLoss(),
        weighted_metrics=[metrics.BitsPerCharacter()],
        jit_compile=jit_compile,
        steps_per_execution=steps_per_execution,
    )


def validate(run, probe):
    """Bits per character and ponder on validation data, as columns of the history."""
    from ..evaluate import measure, summary

    return _named(summary(measure(probe, run.recipe, ALL, split="validation"), run.recipe))


def selection(run, examples):
    """The variant, and bits per character and ponder on the same validation data."""
    return {"variant": run.recipe.variant, **validate(run, Probe(run.model))}


def _named(numbers):
    names = (SCORE, "ponder", "ponder_steps")
    return {f"validation_{name}": numbers[name] for name in names}


class Probe(act.Probe):
    """A model that also tells how long it thought, and what it expected.

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


def examples_at_once(recipe, parameters):
    """How many windows are measured in one batch; a split of the first megabyte is two of them."""
    return 53


def found(batch, answers):
    """What was read, and what it took, at each byte (windows, time).

    `bits` is the prediction loss at a byte: -log2 of the probability of the next one.
    """
    return {
        "inputs": batch["inputs"],
        "targets": batch["targets"],
        "bits": bits(answers["outputs"], batch["targets"]),
        "entropy": answers["entropy"],
        "ponder": answers["ponder"],
        "ponder_steps": answers["ponder_steps"],
    }


def bits(outputs, targets):
    """-log2 of the probabilities (windows, time, classes) of the targets (windows, time)."""
    given = np.take_along_axis(outputs, targets[..., None], axis=-1)[..., 0]
    return -np.log2(np.maximum(given, SMALLEST))


def summary(found):
    """Means over all bytes, and the 95 % confidence interval of the bits over windows.

    The interval takes windows for independent, which neighbours in a text are not quite.
    """
    windows = found["bits"].mean(axis=1)
    mean = float(windows.mean())
    return {
        SCORE: round(mean, 4),
        "confidence_interval": of_mean(mean, windows.std(ddof=1), len(windows)),
        **{name: round(float(found[name].mean()), 4) for name in MEASURED},
    }


def by_difficulty(found):
    """The numbers of an evaluation for each kind of byte that was read.

    Returns:
        A list of dicts: `kind`, `bytes`, and the means over them of `bits_per_character` (of the
        bytes that follow them), `entropy`, `ponder` and `ponder_steps`. The opening brackets of
        tags are counted among the tags, and also alone.
    """
    kinds = characters.kinds(found["inputs"])
    groups = [(name, kinds == place) for place, name in enumerate(characters.KINDS)]
    tags = kinds == characters.KINDS.index("XML tags")
    groups.append(("opening brackets of tags", tags & (found["inputs"] == ord("<"))))
    rows = []
    for name, those in groups:
        if those.any():
            means = {
                key: round(float(found[source][those].mean()), 4)
                for key, source in ((SCORE, "bits"), *((name, name) for name in MEASURED))
            }
            rows.append({"kind": name, "bytes": int(those.sum()), **means})
    return rows


def ask(probe, recipe, text):
    """What a model does while it reads a text.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        text: the text; it is read as UTF-8, from a state of zeros.

    Returns:
        A dict: `answer`, the most probable next byte after the text; and lists with an element for
        each byte: `inputs` and `answers` (the most probable next byte) in human form, `confidence`
        (its probability), `bits` (the prediction loss: -log2 of the probability of the byte that
        does follow; None for the last), `entropy` in bits, `ponder_steps` (N) and `ponder` (ρ).
    """
    task = datasets.task(recipe.dataset)
    inputs = task.encode(text)
    found = probe(inputs)
    outputs = found["outputs"][0]
    answers = task.decode(outputs)
    losses_of = bits(outputs[None, :-1], inputs[:, 1:])[0]
    return {
        "answer": answers[-1],
        "inputs": task.describe(inputs[0]),
        "answers": answers,
        "confidence": _rounded(outputs.max(-1)),
        "bits": [*_rounded(losses_of), None],
        "entropy": _rounded(found["entropy"][0]),
        "ponder_steps": [round(float(value)) for value in found["ponder_steps"][0]],
        "ponder": _rounded(found["ponder"][0]),
    }


def _rounded(values):
    return [round(float(value), 4) for value in values]
