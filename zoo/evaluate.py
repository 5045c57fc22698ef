"""What a model gets wrong on fresh examples, and what it did for it."""

import importlib
import itertools
import json
import math
import platform
import time

import keras
import numpy as np

from .. import __version__, datasets, metrics
from . import families
from .agreement import wilson
from .files import write_whole

# Batches without any target, before it is told.
PATIENCE = 100


def measure(probe, recipe, examples, *, split="test", seed=None, parameters=None, seconds=math.inf):
    """Let a model answer fresh examples.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        examples: how many that have a target (addition: a single number has none); at most all
            windows of a text.
        split: `"test"` or `"validation"`.
        seed: of the examples; the recipe's by default.
        parameters: the data set's parameters that differ from the recipe's.
        seconds: after so many no further batch is begun; there are fewer examples then.

    Returns:
        A dict of arrays: `wrong` bool (examples,), unless the family has a score of its own, and
        what the family measures (`families`).

    Raises:
        ValueError: `examples` is below 1, or no example has a target.
    """
    if examples < 1:
        raise ValueError(f"examples must be at least 1. Received: {examples}")
    parameters = {**recipe.parameters, **(parameters or {})}
    seed = recipe.seed if seed is None else seed
    family = families.of(recipe)
    size = min(family.examples_at_once(recipe, parameters), examples)
    began = time.monotonic()
    parts = []
    count = 0
    batches = fresh_batches(recipe.dataset, size, seed, split, parameters)
    for number, batch in enumerate(batches):
        if number == PATIENCE and not count:
            raise ValueError(
                f"hardly any example of {recipe.dataset} has a target with {parameters}"
            )
        answers = probe(batch["inputs"])
        counts = np.asarray(metrics.has_target(batch["weights"]))
        part = family.found(batch, answers)
        if families.score_of(recipe) == "sequence_error":
            arrays = batch["targets"], answers["outputs"], batch["weights"]
            part = {"wrong": np.asarray(metrics.sequence_errors(*arrays)), **part}
        parts.append({name: values[counts] for name, values in part.items()})
        count += int(counts.sum())
        if count >= examples or time.monotonic() - began >= seconds:
            break
    return {name: np.concatenate([part[name] for part in parts])[:examples] for name in parts[0]}


def fresh_batches(dataset, size, seed, split, parameters):
    """Endless batches; of a text, all its windows once, in random order."""
    windows = getattr(datasets.task(dataset), "windows", None)
    if windows is None:
        for index in itertools.count():
            yield datasets.batch(dataset, size, seed=seed, index=index, split=split, **parameters)
        return
    found = windows(split, **parameters)
    order = np.random.default_rng(seed).permutation(len(found["inputs"]))
    for start in range(0, len(order), size):
        yield {name: values[order[start : start + size]] for name, values in found.items()}


def summary(found, recipe):
    """The numbers of an evaluation from what `measure` found.

    Returns:
        A dict: `examples`, `errors`, `sequence_error` with `confidence_interval` (95 %, Wilson),
        and what the recipe's family adds; without the errors where it has a score of its own.
    """
    if "wrong" not in found:
        examples = len(next(iter(found.values())))
        return {"examples": examples, **families.of(recipe).summary(found)}
    examples, errors = len(found["wrong"]), int(found["wrong"].sum())
    return {
        "examples": examples,
        "errors": errors,
        "sequence_error": errors / examples,
        "confidence_interval": wilson(errors, examples),
        **families.of(recipe).summary(found),
    }


def evaluate(model, recipe, examples=10_000, seed=None, split="test", parameters=None):
    """Measure a model on fresh examples of its recipe's distribution.

    Args:
        model: a trained model.
        recipe: its `Recipe`.
        examples: how many.
        seed: of the examples; the recipe's by default.
        split: `"test"` or `"validation"`.
        parameters: the data set's parameters that differ from the recipe's.

    Returns:
        A dict for JSON: `model`, `dataset`, `parameters`, `split`, `seed`, what `summary` gives,
        `seconds`, and `by_difficulty`.
    """
    began = time.monotonic()
    seed = recipe.seed if seed is None else seed
    family = families.of(recipe)
    parameters = {**recipe.parameters, **(parameters or {})}
    probe = family.Probe(model)
    found = measure(probe, recipe, examples, split=split, seed=seed, parameters=parameters)
    return {
        "model": recipe.name,
        "dataset": recipe.dataset,
        "parameters": parameters,
        "split": split,
        "seed": seed,
        **summary(found, recipe),
        "seconds": round(time.monotonic() - began, 3),
        "by_difficulty": family.by_difficulty(found),
    }


def against_difficulty(model, recipe, examples=None, seed=None):
    """Error and ponder for each difficulty, on examples that have no other.

    Args:
        model: a trained model.
        recipe: its `Recipe`, whose `figure` says how the paper does it.
        examples: sequences for each difficulty; the paper's by default.
        seed: of the examples; the recipe's by default.

    Returns:
        A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.

    Source: Graves (2016), Figures 6, 10, 14 and 19.
    """
    figure, probe = recipe.figure, families.of(recipe).Probe(model)
    rows = []
    for difficulty in range(figure.start, recipe.parameters[figure.stop] + 1):
        parameters = difficulty_parameters(recipe, difficulty)
        found = measure(
            probe, recipe, examples or figure.examples, seed=seed, parameters=parameters
        )
        numbers = summary(found, recipe)
        kept = ("examples", "sequence_error", "ponder", "ponder_steps")
        rows.append({"difficulty": difficulty, **{key: numbers[key] for key in kept}})
    return rows


def difficulty_parameters(recipe, difficulty):
    """The data set's parameters for examples of one difficulty."""
    return {**recipe.figure.fixed, **dict.fromkeys(recipe.figure.parameters, difficulty)}


def evaluate_run(run, examples=10_000):
    """Measure a finished training and write `metrics.json` into its folder.

    The error on validation data is what a choice between trainings may look at; the error on
    test data is what is reported.

    Args:
        run: a `Run`.
        examples: how many, of the test split; as many of the validation split.

    Returns:
        A dict as of `evaluate`, with what was trained and how long, `validation_error`, and
        `versions`.
    """
    # All trainings answer the same examples, whatever their own seed.
    found = {
        **evaluate(run.model, run.recipe, examples, seed=0),
        "training_seed": run.recipe.seed,
        "training_backend": run.backend,
        "settings": run.settings,
        "steps": run.position.step,
        "finished": run.position.done,
        "training_seconds": round(run.position.seconds, 1),
        **families.of(run.recipe).selection(run, examples),
        "versions": versions(),
    }
    write_whole(run.folder / "metrics.json", json.dumps(found, indent=1, ensure_ascii=False))
    return found


def versions():
    """Versions of what a result depends on."""
    backend = keras.backend.backend()
    return {
        "python": platform.python_version(),
        "keras": keras.__version__,
        "backend": backend,
        backend: importlib.import_module(backend).__version__,
        "numpy": np.__version__,
        "keras_adaptive": __version__,
    }
