"""The pretrained models: their names, loading them, and asking them questions."""

import difflib
import json
from pathlib import Path

from . import manifest


def root():
    """The folder of the entries that came with the package."""
    from .. import saved_models

    return Path(next(iter(saved_models.__path__)))


def names(folder=None):
    """Names of all entries, sorted.

    Args:
        folder: where entries lie; those of the package by default.
    """
    return sorted(path.parent.name for path in Path(folder or root()).glob(f"*/{manifest.NAME}"))


def entry(name, folder=None):
    """The verified folder of an entry.

    Raises:
        ValueError: there is no entry of this name (the message has the nearest names), or one of
            its files is damaged.
    """
    known = names(folder)
    if name not in known:
        near = difflib.get_close_matches(str(name), known) or known
        text = f" Nearest: {', '.join(near)}" if near else " There are no entries."
        raise ValueError(f"there is no model {name!r}.{text}")
    path = Path(folder or root()) / name
    manifest.verify(path)
    return path


def load(name, max_ponder=None, epsilon=None, folder=None):
    """A pretrained model, ready for `predict`, `evaluate`, or more `fit`.

    Args:
        name: one of `names()`.
        max_ponder: the most steps for each input, instead of the model's own.
        epsilon: the halting threshold's ε, instead of the model's own.
        folder: where entries lie; those of the package by default.

    Returns:
        A compiled `keras.Model` from inputs (batch, time, width) to probabilities.

    Raises:
        ValueError: an unknown name, a damaged file, or a limit out of its range.
    """
    import keras

    # Registers the classes that the file names; no code is taken from the file.
    from .. import layers, losses, metrics, models  # noqa: F401
    from . import families

    path = entry(name, folder)
    model = keras.saving.load_model(path / "model.keras", compile=False, safe_mode=True)
    layer = model.get_layer("act")
    if max_ponder is not None:
        layer.max_ponder = max_ponder
    if epsilon is not None:
        layer.epsilon = epsilon
    known = recipe(name, folder)
    families.of(known).compile_model(model, known)
    return model


def recipe(name, folder=None):
    """The `Recipe` that an entry was trained with; it cannot be built."""
    from .recipe import Recipe

    data = json.loads((entry(name, folder) / "recipe.json").read_text(encoding="utf-8"))
    return Recipe.from_dict(data)


def results(name, folder=None):
    """What was measured of an entry: `metrics.json` as a dict."""
    return json.loads((entry(name, folder) / "metrics.json").read_text(encoding="utf-8"))


def saved_model(name, folder=None):
    """The SavedModel of an entry, for inference: gradients through it are silently zero.

    Returns:
        What `tf.saved_model.load` gives: `serve(inputs)` and
        `serve_with_limits(inputs, max_ponder, epsilon)` return a dict of `outputs`, `ponder` and
        `ponder_steps`.
    """
    import tensorflow as tf

    return tf.saved_model.load(str(entry(name, folder)))


def card(name, folder=None):
    """The model card of an entry, Markdown."""
    return (entry(name, folder) / "README.md").read_text(encoding="utf-8")


def predict(name, text, folder=None):
    """Ask a pretrained model about one example in human form.

    Args:
        name: one of `names()`.
        text: the example, such as `"12+345+6"` for `act_addition`.
        folder: where entries lie; those of the package by default.

    Returns:
        A dict: `model`, `input`, `answer`; and lists with an element for each input of the
        sequence: `inputs` and `answers` in human form, `confidence` (the probability of the
        answer), `ponder_steps` (N) and `ponder` (ρ = N + R).

    Raises:
        ValueError: an unknown name, or a text that is none of the task's examples.
    """
    from .. import datasets
    from . import families

    recipe_of_entry = recipe(name, folder)
    task = datasets.task(recipe_of_entry.dataset)
    inputs = task.encode(text, **recipe_of_entry.parameters)
    return {
        "model": name,
        "input": text,
        **ask(families.of(recipe_of_entry).Probe(load(name, folder=folder)), task, inputs),
    }


def ask(probe, task, inputs):
    """What a model answers to one example, in human form.

    Args:
        probe: a `Probe`.
        task: the module of the data set.
        inputs: (1, time, width).

    Returns:
        A dict as of `predict`, without `model` and `input`.
    """
    found = probe(inputs)
    outputs = found["outputs"][0]
    read, answers = task.describe(inputs[0]), task.decode(outputs)
    # Where answers follow the inputs, they are the answer; else it is the last one.
    following = [said for said, was in zip(answers, read, strict=True) if not was]
    return {
        "answer": " ".join(following) if following else answers[-1],
        "inputs": read,
        "answers": answers,
        "confidence": [round(float(value), 4) for value in confidence(outputs)],
        "ponder_steps": [round(float(value)) for value in found["ponder_steps"][0]],
        "ponder": [round(float(value), 3) for value in found["ponder"][0]],
    }


def confidence(outputs):
    """The probability of the answer at each step, from probabilities (time, …, classes)."""
    if outputs.shape[-1] == 1:
        return abs(outputs[:, 0] - 0.5) + 0.5
    best = outputs.max(-1)
    return best if best.ndim == 1 else best.prod(-1)
