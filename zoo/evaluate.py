"""What a model gets wrong on fresh examples, and what it did for it."""

import importlib
import json
import platform
import time

import keras
import numpy as np

from .. import __version__
from . import families
from .training.files import write_whole


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
        A dict for JSON: `model`, `dataset`, `parameters`, `split`, `seed`, what `Family.summary`
        gives, `seconds`, and `by_difficulty`.
    """
    began = time.monotonic()
    seed = recipe.seed if seed is None else seed
    family = families.of(recipe)
    parameters = {**recipe.parameters, **(parameters or {})}
    kinds = {"split": split, "seed": seed, "parameters": parameters}
    results = family.measure(family.probe(model), examples, **kinds)
    return {
        "model": recipe.name,
        "dataset": recipe.dataset,
        "parameters": parameters,
        "split": split,
        "seed": seed,
        **family.summary(results),
        "seconds": round(time.monotonic() - began, 3),
        "by_difficulty": family.by_difficulty(results),
    }


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
        **families.of(run.recipe).selection_metrics(run, examples),
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
