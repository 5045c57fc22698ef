"""The network without ACT that an entry is compared with; its weights are in the entry's folder."""

from pathlib import Path

import keras

NAME = "without_act.keras"


def load(metrics, folder):
    """The baseline of an entry, or None if its weights were not kept."""
    plain = metrics.get("without_act")
    if not plain or "weights" not in plain:
        return None
    return keras.saving.load_model(Path(folder) / plain["weights"], compile=False, safe_mode=True)


def share_of_training(metrics, training):
    """How many of the steps of an entry's training another had, at most 1.

    >>> share_of_training({"steps": 400}, {"steps": 100})
    0.25
    """
    return min(training["steps"] / metrics["steps"], 1.0)


def in_words(metrics):
    """Where the weights of the baseline are, for a card."""
    plain = metrics["without_act"]
    if "weights" in plain:
        return f"[weights]({plain['weights']})"
    return "weights not kept"
