"""The pretrained models: their names, loading them, and asking them questions."""

import inspect
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import checkpoints, saved_models
from ...datasets.arguments import nearest
from .. import families
from ..recipe import Recipe
from ..settings import check_option

if TYPE_CHECKING:
    import keras

# Files that every entry has.
NEEDED = ("model.keras", "recipe.json", "metrics.json")


def root() -> Path:
    """The folder of the entries that came with the package."""
    return Path(next(iter(saved_models.__path__)))


def names(folder: str | Path | None = None) -> list[str]:
    """Names of all entries, sorted.

    Args:
        folder: where entries lie; those of the package by default.
    """
    found = Path(folder or root()).glob(f"*/{checkpoints.MANIFEST}")
    entries = (path.parent.name for path in found)
    # The name of an entry that is being written begins with a dot.
    return sorted(name for name in entries if not name.startswith("."))


def without_manifest(folder: str | Path | None = None) -> list[str]:
    """Names of folders with files of an entry, but without its manifest, sorted.

    Args:
        folder: where entries lie; those of the package by default.
    """
    folders = {path.parent for file in NEEDED for path in Path(folder or root()).glob(f"*/{file}")}
    lost = (path.name for path in folders if not (path / checkpoints.MANIFEST).exists())
    return sorted(name for name in lost if not name.startswith("."))


def entry(name: str, folder: str | Path | None = None) -> Path:
    """The verified folder of an entry.

    Raises:
        ValueError: there is no entry of this name (the message has the nearest names), or one of
            its files is damaged.
    """
    check_name(name, folder)
    path = Path(folder or root()) / name
    listed = checkpoints.check_manifest(path)
    for file in NEEDED:
        if file not in listed:
            raise ValueError(f"the manifest of the entry {path} does not list {file}")
    return path


def check_name(name: str, folder: str | Path | None = None) -> None:
    """Raises a ValueError with the nearest names unless there is an entry of this name."""
    known = names(folder)
    if name not in known:
        if name in without_manifest(folder):
            raise ValueError(f"the entry {name} has no {checkpoints.MANIFEST}")
        text = f"Nearest: {nearest(name, known)}" if known else "There are no entries."
        raise ValueError(f"there is no model {name!r}. {text}")


def load(
    name: str,
    max_ponder: int | None = None,
    epsilon: float | None = None,
    folder: str | Path | None = None,
    leaves: int | None = None,
    beam: int | None = None,
    steps_multiplier: int | None = None,
) -> "keras.Model":
    """A pretrained model, ready for `predict`, `evaluate`, or more `fit`.

    Args:
        name: one of `names()`.
        max_ponder: the largest number of steps per input; the model's own by default (ACT).
        epsilon: ε of the halting threshold 1 - ε; the model's own by default (ACT).
        folder: where entries lie; those of the package by default.
        leaves: the number of leaves of the memory; by default as many as the input needs (HAM).
        beam: how many answers the search keeps, instead of one (pointer networks, translation).
        steps_multiplier: steps per symbol, instead of one (Neural GPU).

    Returns:
        A compiled `keras.Model` from inputs (batch, time, width), or symbols (batch, n), to
        probabilities.

    Raises:
        ValueError: an unknown name, a damaged file, weights that are not finite, a limit out of
            its range, or one that does not apply to the model.
    """
    # Names and cards need no Keras.
    from ...export import load_uncompiled

    limits = {"max_ponder": max_ponder, "epsilon": epsilon, "leaves": leaves, "beam": beam}
    limits["steps_multiplier"] = steps_multiplier
    for limit, value in limits.items():
        check_option(limit, value)
    path, family = entry(name, folder), families.of(recipe(name, folder))
    model = load_uncompiled(path / "model.keras")
    check_finite(model, path)
    family.apply_limits(model, limits)
    family.compile(model)
    return model


def check_finite(model: "keras.Model", where: Any) -> None:
    """Refuse a model with weights that are not finite.

    Args:
        model: a `keras.Model`.
        where: the path that it was loaded from.

    Raises:
        ValueError: a weight is not finite.
    """
    for variable in model.weights:
        values = np.asarray(variable)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"the weights {variable.path} of {where} are not finite numbers")


def recipe(name: str, folder: str | Path | None = None) -> Recipe:
    """The `Recipe` that an entry was trained with; it cannot be built.

    Raises:
        ValueError: an unknown name, or a damaged file.
    """
    path = entry(name, folder) / "recipe.json"
    try:
        loaded = Recipe.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error!r}") from error
    if loaded.family not in families.NAMES:
        raise ValueError(f"{path} is damaged: there is no family {loaded.family!r}")
    return loaded


def results(name: str, folder: str | Path | None = None) -> dict[str, Any]:
    """The measurements of an entry: the contents of `metrics.json`."""
    return read(entry(name, folder), "metrics.json")


def segmentation(name: str, folder: str | Path | None = None) -> list[dict[str, Any]]:
    """What was measured of an entry's boundaries in text.

    Raises:
        ValueError: it does not read text byte by byte.
    """
    rows = results(name, folder).get("segmentation")
    if rows is None:
        raise ValueError(f"{name} does not read text byte by byte, which `segment` needs")
    return rows


def read(entry: Path, file: str) -> Any:
    """The contents of a JSON file of an entry.

    Args:
        entry: the folder.
        file: its name.
    """
    return json.loads((entry / file).read_text(encoding="utf-8"))


def saved_model(name: str, folder: str | Path | None = None) -> Any:
    """The SavedModel of an entry, for inference: gradients through it are silently zero.

    Returns:
        The result of `tf.saved_model.load`. ACT: `serve(inputs)` and
        `serve_with_limits(inputs, max_ponder, epsilon)` return a dict of `outputs`, `ponder` and
        `ponder_steps`. Neural GPU and its baselines: `serve(symbols)`, int32 (batch, n), returns a
        dict of `outputs`. HAM: `serve(inputs)`, float32 (batch, m, width), returns such a dict too.
        Keep the result as long as its functions are used: its weights go with it.
    """
    # Only this function needs TensorFlow.
    import tensorflow as tf

    return tf.saved_model.load(str(entry(name, folder)))


def card(name: str, folder: str | Path | None = None) -> str:
    """The model card of an entry, Markdown."""
    return (entry(name, folder) / "README.md").read_text(encoding="utf-8")


def predict(
    name: str, text: str, folder: str | Path | None = None, **limits: Any
) -> dict[str, Any]:
    """Ask a pretrained model about one example in human form.

    Args:
        name: one of `names()`.
        text: the example, such as `"12+345+6"` for `act_addition` or `"110101+011011"` for
            `neural_gpu_addition`.
        folder: where entries lie; those of the package by default.
        **limits: how much the model computes, as `load` takes them, such as `max_ponder=2`.

    Returns:
        A dict: `model`, `input`, `answer`. ACT adds lists with an element for each input of the
        sequence: `inputs` and `answers` in human form, `confidence` (the probability of the
        answer), `ponder_steps` (N) and `ponder` (ρ = N + R); perhaps `note`, what the training did
        not see. The Neural GPU adds `symbols_read`
        and `symbols_written`, the numbers in the model's base (if the input has a digit that this
        base lacks, input and answer are decimal), `steps`, and `confidence` (the joint probability
        of all symbols). Its baselines add the same keys; their `steps` are the symbols written.
        Recall networks add them with the same number as `ponder_steps`.
        HAM adds `read`, the example as it was parsed, the number of `leaves` of its memory, and
        `confidence`. Pointer networks add ACT's lists with an element for each index of the
        answer, and `points`. Language models add `bits` and `entropy` to ACT's lists, and those of
        words `unknown`, the words read as `<unk>`; see `Language.predict` and `Words.predict`.
        Translation adds `unknown`, the characters that are not known, `inputs` and `outputs`, the
        subwords read and written, and for each of the latter `confidence`, `bits`, `entropy`,
        `ponder_steps` and `ponder`. Networks of images take the path of a picture; they add
        `confidence`, `flops`, `flops_share` (of the network without halting), `ponder_steps` (the
        mean units of each block) and `ponder` (the mean ρ of all blocks).

    Raises:
        ValueError: an unknown name, a text that is not an example of the task, outputs that are not
            finite, or a limit as in `load`.
    """
    known = inspect.signature(load).parameters.keys() - {"name", "folder"}
    for word, value in limits.items():
        if word not in known:
            allowed = ", ".join(sorted(known))
            raise TypeError(f"predict() takes the limits {allowed}. Received: {word}={value!r}")
    return ask(load(name, folder=folder, **limits), recipe(name, folder), text)


def ask(model: "keras.Model", recipe: Recipe, text: str, watched: Any = None) -> dict[str, Any]:
    """Ask a model about one example in human form.

    Args:
        model: a trained model.
        recipe: its `Recipe`.
        text: the example.
        watched: a class that wraps the model's probe, such as `long_calls.Estimated`; called with
            the probe and the power of the input's length that the time grows with.

    Returns:
        A dict as in `predict`; `model` is the name of the recipe.

    Raises:
        ValueError: a text that is not an example of the task, or outputs that are not finite.
    """
    check_text(text)
    family = families.of(recipe)
    probe = family.probe(model)
    probe = watched(probe, family.cost_power) if watched else probe
    return checked_answer(family.predict(probe, text), recipe, text)


def check_text(text: Any) -> None:
    """Refuse what is not a string of characters that can be written as UTF-8.

    Raises:
        ValueError: it is none.
    """
    try:
        text.encode()
    except (AttributeError, UnicodeEncodeError):
        raise ValueError(f"text must be a string of characters. Received: {text!r}") from None


def checked_answer(answer: dict[str, Any], recipe: Recipe, text: str) -> dict[str, Any]:
    """A family's answer to `text`, with the model's name; refuses outputs that are not finite."""
    shares = answer["confidence"]
    for share in shares if isinstance(shares, list) else [shares]:
        if share is not None and not math.isfinite(share):
            raise ValueError(
                f"{recipe.name} gives outputs that are not finite numbers for {text!r}"
            )
    return {"model": recipe.name, "input": text, **answer}
