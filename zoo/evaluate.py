"""Errors and ponder of a model on fresh examples."""

import importlib
import json
import math
import platform
import time

import keras
import numpy as np

from .. import __version__, datasets, metrics
from .files import write_whole

BATCH = 500


class Probe:
    """A model that also tells how long it thought.

    Args:
        model: a functional model with one `ACTRNN` called with `return_ponder=True`, and one
            output.
    """

    def __init__(self, model):
        layer = model.get_layer("act")
        # A layer's symbolic output is flat; its specification has the structure.
        sequences, *_ = keras.tree.flatten(layer.input)
        structure = layer.compute_output_spec(sequences)
        *_, ponder = keras.tree.pack_sequence_as(structure, layer.output)
        self.model = keras.Model(
            model.inputs,
            {
                "outputs": model.outputs[0],
                "ponder": ponder["steps"] + ponder["remainder"],
                "ponder_steps": ponder["steps"],
            },
            name=f"{model.name}_with_ponder",
        )

    def __call__(self, inputs):
        """Outputs, ponder and ponder steps for `inputs` (batch, time, width), as NumPy arrays."""
        answers = self.model.predict_on_batch(inputs)
        return {name: np.asarray(value) for name, value in answers.items()}


def measure(probe, recipe, examples, *, split="test", seed=None, parameters=None):
    """Let a model answer fresh examples.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        examples: how many that have a target (addition: a single number has none).
        split: `"test"` or `"validation"`.
        seed: of the examples; the recipe's by default.
        parameters: the data set's parameters that differ from the recipe's.

    Returns:
        A dict of arrays: `wrong` bool (examples,); `difficulty`, `ponder` and `ponder_steps`
        (examples, time), all three 0 where there is no input.

    Raises:
        ValueError: `examples` is below 1.
    """
    if examples < 1:
        raise ValueError(f"examples must be at least 1. Received: {examples}")
    parameters = {**recipe.parameters, **(parameters or {})}
    seed = recipe.seed if seed is None else seed
    size = min(BATCH, examples)
    found = []
    count = index = 0
    while count < examples:
        batch = datasets.batch(
            recipe.dataset, size, seed=seed, index=index, split=split, **parameters
        )
        index += 1
        answers = probe(batch["inputs"])
        counts = np.asarray(metrics.has_target(batch["weights"]))
        wrong = metrics.sequence_errors(batch["targets"], answers["outputs"], batch["weights"])
        real = answers["ponder_steps"] > 0
        part = {
            "wrong": np.asarray(wrong)[counts],
            "difficulty": np.where(real, batch["difficulty"], 0)[counts],
            "ponder": answers["ponder"][counts],
            "ponder_steps": answers["ponder_steps"][counts],
        }
        found.append(part)
        count += int(counts.sum())
    return {name: np.concatenate([part[name] for part in found])[:examples] for name in found[0]}


def summary(found):
    """The numbers of an evaluation from what `measure` found.

    Returns:
        A dict: `examples`, `errors`, `sequence_error` with `confidence_interval` (95 %, Wilson),
        and means over all inputs of `ponder` (ρ = N + R) and `ponder_steps` (N).
    """
    examples, errors = len(found["wrong"]), int(found["wrong"].sum())
    real = found["ponder_steps"] > 0
    return {
        "examples": examples,
        "errors": errors,
        "sequence_error": errors / examples,
        "confidence_interval": wilson(errors, examples),
        "ponder": round(float(found["ponder"][real].mean()), 4),
        "ponder_steps": round(float(found["ponder_steps"][real].mean()), 4),
    }


def by_difficulty(found):
    """The numbers of an evaluation for each difficulty.

    An example's difficulty is that of its hardest input; ponder is the mean over inputs of the
    difficulty.

    Returns:
        A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.
    """
    hardest = found["difficulty"].max(axis=1)
    rows = []
    for difficulty in np.unique(hardest):
        inputs = found["difficulty"] == difficulty
        examples = hardest == difficulty
        rows.append(
            {
                "difficulty": int(difficulty),
                "examples": int(examples.sum()),
                "sequence_error": round(float(found["wrong"][examples].mean()), 6),
                "ponder": round(float(found["ponder"][inputs].mean()), 4),
                "ponder_steps": round(float(found["ponder_steps"][inputs].mean()), 4),
            }
        )
    return rows


def wilson(errors, examples, z=1.959964):
    """The 95 % confidence interval of an error rate after Wilson (1927).

    Returns:
        A list of the lower and the upper bound.

    Example:

    >>> wilson(10, 1000)
    [0.005441, 0.018309]
    """
    rate = errors / examples
    scale = 1 + z * z / examples
    middle = (rate + z * z / (2 * examples)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / examples + (z / (2 * examples)) ** 2)
    return [round(max(middle - half, 0.0), 6), round(min(middle + half, 1.0), 6)]


def evaluate(model, recipe, examples=10_000, seed=None, split="test"):
    """Measure a model on fresh examples of its recipe's distribution.

    Args:
        model: a trained model.
        recipe: its `Recipe`.
        examples: how many.
        seed: of the examples; the recipe's by default.
        split: `"test"` or `"validation"`.

    Returns:
        A dict for JSON: `model`, `dataset`, `parameters`, `split`, `seed`, what `summary` gives,
        `seconds`, and `by_difficulty`.
    """
    began = time.monotonic()
    seed = recipe.seed if seed is None else seed
    found = measure(Probe(model), recipe, examples, split=split, seed=seed)
    return {
        "model": recipe.name,
        "dataset": recipe.dataset,
        "parameters": dict(recipe.parameters),
        "split": split,
        "seed": seed,
        **summary(found),
        "seconds": round(time.monotonic() - began, 3),
        "by_difficulty": by_difficulty(found),
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
    figure, probe = recipe.figure, Probe(model)
    rows = []
    for difficulty in range(figure.start, recipe.parameters[figure.stop] + 1):
        parameters = {**figure.fixed, **dict.fromkeys(figure.parameters, difficulty)}
        found = measure(
            probe, recipe, examples or figure.examples, seed=seed, parameters=parameters
        )
        numbers = summary(found)
        kept = ("examples", "sequence_error", "ponder", "ponder_steps")
        rows.append({"difficulty": difficulty, **{key: numbers[key] for key in kept}})
    return rows


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
    validation = evaluate(run.model, run.recipe, examples, seed=0, split="validation")
    found = {
        **evaluate(run.model, run.recipe, examples, seed=0),
        "variant": run.recipe.variant,
        "training_seed": run.recipe.seed,
        "training_backend": run.backend,
        "settings": run.settings,
        "steps": run.position.step,
        "finished": run.position.done,
        "training_seconds": round(run.position.seconds, 1),
        "validation_error": validation["sequence_error"],
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
