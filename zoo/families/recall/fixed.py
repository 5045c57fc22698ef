"""What a recall network answers after a fixed number of steps, however sure it is."""

import contextlib
import json
import sys
import time

import keras
import numpy as np

from .... import halting
from ....checkpoints.files import read_json, write_file
from ...entries import lengths
from .network import LAYER, Probe

NAME = "fixed_steps.json"
# So many examples are measured before what was found is kept.
PORTION = 100


@contextlib.contextmanager
def rule(model, of_halting):
    """In this context the network halts by another rule; yields a probe of it."""
    layer = model.get_layer(LAYER)
    own, layer.halting = layer.halting, of_halting
    try:
        yield Probe(model)
    finally:
        layer.halting = own


def answer_after(model, inputs, steps):
    """Probabilities (batch, n, classes) after so many steps."""
    with rule(model, halting.Fixed(steps)):
        return keras.ops.convert_to_numpy(model(inputs))


def measure(family, run, length, steps, examples):
    """The errors of a training after fixed numbers of steps, kept in its folder.

    Args:
        family: that of the run's recipe.
        run: a `Run`.
        length: of the examples.
        steps: the numbers of steps.
        examples: of each measurement.

    Returns:
        A list of dicts: `length`, `steps`, and what `Family.summary` gives, without `ponder_steps`.
    """
    kept = read_json(run.folder / NAME, ("rows",))
    known = lengths.network(run)
    if kept is None or any(kept.get(key) != value for key, value in known.items()):
        kept = {**known, "rows": {}}
    rows = []
    for count in steps:
        found = kept["rows"].setdefault(f"{length} bits, {count} steps", {})
        with rule(run.model, halting.Fixed(count)) as probe:
            while (done := len(found.get("wrong", ()))) < examples:
                began = time.monotonic()
                more = family.measure(
                    probe,
                    min(PORTION, examples - done),
                    seed=done,
                    parameters=lengths.between(family.recipe, length),
                )
                for name, values in more.items():
                    found.setdefault(name, []).extend(values.tolist())
                write_file(run.folder / NAME, json.dumps(kept))
                print(
                    f"{length} bits, {count} steps: {sum(found['wrong'])} of "
                    f"{len(found['wrong'])} wrong, {time.monotonic() - began:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
        arrays = {name: np.array(values[:examples]) for name, values in found.items()}
        numbers = family.summary(arrays)
        numbers.pop("ponder_steps")
        rows.append({"length": length, "steps": count, **numbers})
    return rows
