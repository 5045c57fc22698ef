"""What a model gets wrong at lengths far beyond those of its training.

Long examples take their time, so each measurement is kept in the folder of the training as soon
as it is done, and used again as long as the training has not gone on.
"""

import inspect
import json
import sys
import time

import keras

from .. import datasets
from . import families
from .evaluate import measure, summary
from .files import write_whole

NAME = "lengths.json"
# Those of the paper, in digits of a number and in positions.
LENGTHS = {"bits": (20, 25, 100, 200, 2000), "length": (41, 401, 4001)}
PROBES = {"bits": ("carries", "ones", "zeros", "powers", "unequal"), "length": ()}
PROBED = (20, 100)
# From here on fewer examples will do: they cost as the square of the length.
VERY_LONG = {"bits": 777, "length": 4001}
LONG_EXAMPLES = 100


def measured(run, examples, long_examples=None, lengths=None):
    """Measure a training at many lengths, and with what random numbers miss.

    Args:
        run: a `Run` whose recipe has `length_parameters`.
        examples: of each measurement, at least.
        long_examples: of those at `VERY_LONG` lengths; `LONG_EXAMPLES` by default.
        lengths: those to measure at; the paper's by default.

    Returns:
        A list of dicts: `probe` (None for random numbers), `least` and `length` (examples have
        lengths between the two), what `evaluate.summary` gives, `seconds`, and `backend`.
    """
    path = run.folder / NAME
    kept = {}
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
        if known["steps"] == run.position.step:
            kept = {identity(row): row for row in known["rows"]}
    probe = families.of(run.recipe).Probe(run.model)
    rows = []
    for what, count in plan(run.recipe, examples, long_examples, lengths):
        row = kept.get(identity(what))
        if row is None or row["examples"] < count:
            row = one(probe, run.recipe, what, count)
            kept[identity(what)] = row
            data = {"steps": run.position.step, "rows": list(kept.values())}
            write_whole(path, json.dumps(data, indent=1))
        rows.append(row)
    return rows


def identity(row):
    """What a measurement is of."""
    return row["probe"], row["least"], row["length"]


def plan(recipe, examples, long_examples=None, lengths=None):
    """What is to be measured, the quick ones first.

    Returns:
        A list of pairs: a dict of `probe`, `least` and `length`, and the number of examples.

    Raises:
        ValueError: a length below 1, or numbers of examples below 1.
    """
    shortest, longest = recipe.length_parameters
    long_examples = LONG_EXAMPLES if long_examples is None else long_examples
    lengths = sorted(set(LENGTHS[longest] if lengths is None else lengths))
    for name, value in (("examples", examples), ("long_examples", long_examples)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1. Received: {value}")
    if not lengths or lengths[0] < 1:
        raise ValueError(f"lengths must be whole numbers, at least 1. Received: {lengths}")
    sample = inspect.signature(datasets.task(recipe.dataset).sample)
    # The least that there is.
    least = sample.parameters[shortest].default
    found = [{"probe": None, "least": least, "length": recipe.parameters[longest]}]
    found += [{"probe": None, "least": length, "length": length} for length in lengths]
    found += [
        {"probe": name, "least": length, "length": length}
        for length in lengths
        if length in PROBED
        for name in PROBES[longest]
    ]
    found.sort(key=lambda what: what["length"])
    border = VERY_LONG[longest]
    return [(what, long_examples if what["length"] >= border else examples) for what in found]


def one(probe, recipe, what, examples):
    """One measurement: an element of what `measured` returns."""
    began = time.monotonic()
    parameters = dict(zip(recipe.length_parameters, (what["least"], what["length"]), strict=True))
    if what["probe"]:
        parameters["probe"] = what["probe"]
    # All trainings answer the same examples, whatever their own seed.
    found = summary(measure(probe, recipe, examples, seed=0, parameters=parameters), recipe)
    seconds = round(time.monotonic() - began, 1)
    name = f"{name_of(what)} {recipe.length_parameters[1]}"
    print(
        f"{name}: {found['errors']} of {found['examples']} wrong, {seconds} s",
        file=sys.stderr,
        flush=True,
    )
    return {**what, **found, "seconds": seconds, "backend": keras.backend.backend()}


def name_of(row):
    """The lengths of a measurement in words.

    >>> name_of({"probe": "ones", "least": 20, "length": 20})
    '20 (ones)'
    """
    lengths = str(row["length"]) if row["least"] == row["length"] else f"up to {row['length']}"
    return f"{lengths} ({row['probe']})" if row["probe"] else lengths
