"""The network without ACT that an entry is compared with; its weights are in the entry's folder."""

import operator
from pathlib import Path

import keras

from ..recipes import configure

NAME = "without_act.keras"


def load(metrics, folder):
    """The baseline of an entry, or None if its weights were not kept."""
    plain = metrics.get("without_act")
    if not plain or "weights" not in plain:
        return None
    return keras.saving.load_model(Path(folder) / plain["weights"], compile=False, safe_mode=True)


def share_of_training(metrics, training):
    """How many of the examples of an entry's training another one saw, at most 1.

    Args:
        metrics: the entry's `metrics.json`, with `settings` and `steps`.
        training: those of the other one.

    >>> settings = {"recipe": "act_parity", "variant": None, "overrides": None}
    >>> settings.update(steps_scale=None, seed=0)
    >>> one, other = ({"settings": settings, "steps": steps} for steps in (400, 100))
    >>> share_of_training(one, other)
    0.25
    """
    seen = (examples_seen(x["settings"], x["steps"]) for x in (training, metrics))
    return min(operator.truediv(*seen), 1.0)


def examples_seen(settings, steps):
    """How many examples a training saw, and the one before it whose weights it began with.

    Args:
        settings: of the training, see `recipes.configure`.
        steps: how many batches it had.
    """
    recipe = configure(settings)
    origin = settings.get("weights")
    seen = examples_seen(origin["settings"], origin["steps"]) if origin else 0
    for stage in recipe.stages[:-1]:
        own = min(steps, stage.chunks * stage.chunk)
        seen, steps = seen + own * recipe.batch_size_at(stage), steps - own
    return seen + steps * recipe.batch_size_at(recipe.stages[-1])


def in_words(metrics):
    """Where the weights of the baseline are, for a card."""
    plain = metrics["without_act"]
    if "weights" in plain:
        return f"[weights]({plain['weights']})"
    return "weights not kept"
