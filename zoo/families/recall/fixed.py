"""The answers and errors of a recall network after a fixed number of steps."""

import contextlib
import json
import sys
import time

import keras
import numpy as np

from .... import halting
from ....checkpoints.files import keep, read_json
from ...entries import lengths
from .network import LAYER, Probe

NAME = "fixed_steps.json"
# The number of examples after which the results are saved.
PORTION = 100


@contextlib.contextmanager
def rule(model, of_halting):
    """A context in which the network has another halting rule; yields its probe."""
    layer = model.get_layer(LAYER)
    own, layer.halting = layer.halting, of_halting
    try:
        yield Probe(model)
    finally:
        layer.halting = own


def answer_after(model, inputs, steps):
    """Probabilities (batch, n, classes) after `steps` steps."""
    with rule(model, halting.Fixed(steps)):
        return keras.ops.convert_to_numpy(model(inputs))


def measure(family, run, length, steps, examples, seed=0):
    """The errors of a training after fixed numbers of steps, saved in its folder.

    Args:
        family: that of the run's recipe.
        run: a `Run`.
        length: of the examples.
        steps: the numbers of steps.
        examples: the number of examples of each measurement.
        seed: of the first examples.

    Returns:
        A list of dicts: `length`, `steps`, and the keys of `Family.summary` except
        `ponder_steps`.
    """
    kept = read_json(run.folder / NAME, ("rows",))
    known = {"seed": seed, **lengths.network(run)}
    if kept is None or any({"seed": 0, **kept}.get(key) != known[key] for key in known):
        kept = {**known, "rows": {}}
    rows = []
    for count in steps:
        results = kept["rows"].setdefault(f"{length} bits, {count} steps", {})
        with rule(run.model, halting.Fixed(count)) as probe:
            while (done := len(results.get("wrong", ()))) < examples:
                began = time.monotonic()
                more = family.measure(
                    probe,
                    min(PORTION, examples - done),
                    seed=seed + done,
                    parameters=lengths.between(family.recipe, length),
                )
                for name, values in more.items():
                    results.setdefault(name, []).extend(values.tolist())
                keep(run.folder / NAME, json.dumps(kept))
                print(
                    f"{length} bits, {count} steps: {sum(results['wrong'])} of "
                    f"{len(results['wrong'])} wrong, {time.monotonic() - began:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
        arrays = {name: np.array(values[:examples]) for name, values in results.items()}
        numbers = family.summary(arrays)
        numbers.pop("ponder_steps")
        rows.append({"length": length, "steps": count, **numbers})
    return rows
