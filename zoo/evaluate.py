"""Evaluation of a model on fresh examples: its errors, and how long it pondered."""

import platform
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np

from .. import __version__
from ..checkpoints.files import write_json
from ..evaluation import LimitedProbe
from . import families
from .recipe import Recipe


def evaluate(
    model: keras.Model,
    recipe: Recipe,
    examples: int = 10_000,
    seed: int | None = None,
    split: str = "test",
    parameters: Mapping[str, Any] | None = None,
    within: float | None = None,
    batch_size: int | None = None,
    given: Mapping[str, np.ndarray] | None = None,
) -> dict[str, Any]:
    """Measure a model on fresh examples of its recipe's distribution, or on those given.

    Args:
        model: a trained model.
        recipe: its `Recipe`.
        examples: the number of examples.
        seed: of the examples; the recipe's by default.
        split: `"test"` or `"validation"`.
        parameters: the data set's parameters that differ from the recipe's.
        within: time limit of each call of the model in seconds, see `halting.limits`; no limit by
            default.
        batch_size: number of examples in each call; 1 by default if `within` is given.
        given: a batch of examples to answer instead of fresh ones.

    Returns:
        A dict for JSON: `model`, `dataset`, `parameters`, `split`, `seed`, the keys of
        `Family.summary` and `Family.further_numbers`, `seconds`, `by_difficulty`, and with `within`
        the keys of `LimitedProbe.summary`.
    """
    began = time.monotonic()
    seed = recipe.seed if seed is None else seed
    family = families.of(recipe)
    parameters = {**recipe.parameters, **(parameters or {})}
    probe = family.probe(model)
    limited = None if within is None else LimitedProbe(probe, within)
    results = family.measure(
        limited or probe,
        examples,
        split=split,
        seed=seed,
        parameters=parameters,
        batch_size=batch_size if within is None else batch_size or 1,
        given=given,
    )
    # Before the numbers that need other examples, too.
    calls = {} if limited is None else limited.summary()
    return {
        "model": recipe.name,
        "dataset": recipe.dataset,
        "parameters": parameters,
        "split": split,
        "seed": seed,
        **family.summary(results),
        **family.further_numbers(limited or probe, results, split),
        **calls,
        "seconds": round(time.monotonic() - began, 3),
        "by_difficulty": family.by_difficulty(results),
    }


def evaluate_run(
    run: Any, examples: int = 10_000, seed: int = 0, write: Callable[..., None] = write_json
) -> dict[str, Any]:
    """Measure a finished training and write `metrics.json` into its folder.

    Choices between trainings use the error on validation data; the error on test data is
    reported.

    Args:
        run: a `Run`.
        examples: the number of examples of the test split, and of the validation split.
        seed: of the examples of the test split, the same for all trainings.
        write: function of a path and the dict, which writes `metrics.json`.

    Returns:
        The dict of `evaluate`, with the settings and duration of the training,
        `validation_error`, and `versions`.
    """
    metrics = {
        **evaluate(run.model, run.recipe, examples, seed=seed),
        "training_seed": run.recipe.seed,
        "training_backend": run.backend,
        "settings": run.settings,
        "steps": run.position.step,
        "finished": run.position.done,
        "training_seconds": round(run.position.seconds, 1),
        **({"accelerator": run.accelerator} if run.accelerator else {}),
        **families.of(run.recipe).selection_metrics(run, examples),
        "versions": versions(),
    }
    write(run.folder / "metrics.json", metrics)
    return metrics


def versions() -> dict[str, str]:
    """The versions of the packages that a result depends on."""
    backend = keras.backend.backend()
    return {
        "python": platform.python_version(),
        "keras": keras.__version__,
        "backend": backend,
        backend: sys.modules[backend].__version__,
        "numpy": np.__version__,
        "keras_adaptive": __version__,
    }
