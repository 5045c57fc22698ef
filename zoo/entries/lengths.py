"""What a model gets wrong at lengths far beyond those of its training.

Long examples take their time, so what was found is kept in the folder of the training as soon as it
is known, and used again as long as neither the training has gone on nor a setting has changed.
"""

import inspect
import json
import sys
import time

import keras
import numpy as np

from ... import datasets
from ...checkpoints.files import read_json, write_file

NAME = "lengths.json"
# Those of the paper, in digits of a number and in positions.
LENGTHS = {"bits": (20, 25, 100, 200, 2000), "length": (41, 401, 4001)}
PROBES = {"bits": ("carries", "ones", "zeros", "powers", "unequal"), "length": ()}
PROBED = (20, 100)
# From here on fewer examples will do: they cost as the square of the length.
VERY_LONG = {"bits": 777, "length": 4001}
LONG_EXAMPLES = 100
# So many of those are measured before what was found is kept.
PORTION = 10


def measure(family, run, examples, long_examples=None, lengths=None):
    """Measure a training at many lengths, and with what random numbers miss.

    Args:
        family: that of the run's recipe, which has `length_parameters`.
        run: a `Run`.
        examples: of each measurement.
        long_examples: of those at `VERY_LONG` lengths; `LONG_EXAMPLES` by default.
        lengths: those to measure at; the paper's by default.

    Returns:
        A list of dicts: `probe` (None for random numbers), `least` and `length` (examples have
        lengths between the two), what `Family.summary` gives, `seconds`, and `backend`.
    """
    kept = read(run)
    probe = family.probe(run.model)
    rows = []
    for what, count in plan(run.recipe, examples, long_examples, lengths):
        known = kept.setdefault(identity(what), {**what, "seconds": 0.0, "found": {}})
        while examples_in(known) < count:
            extend(known, family, probe, count)
            data = {**network(run), "rows": list(kept.values())}
            write_file(run.folder / NAME, json.dumps(data))
        rows.append(row_of(known, family, count))
    return rows


def read(run):
    """What was found before: a dict from `identity` to what `extend` keeps."""
    data = read_json(run.folder / NAME, ("rows",))
    if data is None or any(data.get(key) != value for key, value in network(run).items()):
        return {}
    return {identity(known): known for known in data["rows"]}


def network(run):
    """What decides whether the numbers that are kept are still those of the training."""
    # As JSON gives it back.
    hyperparameters = json.loads(json.dumps(dict(run.recipe.hyperparameters)))
    return {"steps": run.position.step, "hyperparameters": hyperparameters}


def identity(row):
    """What a measurement is of."""
    return row["probe"], row["least"], row["length"]


def examples_in(known):
    """How many examples were measured already."""
    return len(known["found"].get("wrong", ()))


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
    trained = recipe.parameters[longest]
    # The least that there is; where it is None, all examples have the same length.
    least = sample.parameters[shortest].default or trained
    pairs = dict.fromkeys([(least, trained), *((length, length) for length in lengths)])
    found = [{"probe": None, "least": least, "length": length} for least, length in pairs]
    found += [
        {"probe": name, "least": length, "length": length}
        for length in lengths
        if length in PROBED
        for name in PROBES[longest]
    ]
    found.sort(key=lambda what: what["length"])
    border = VERY_LONG[longest]
    return [(what, long_examples if what["length"] >= border else examples) for what in found]


def extend(known, family, probe, count):
    """Measure more examples, up to `count`, a portion of them where they are very long.

    Args:
        known: a dict of `probe`, `least`, `length`, `seconds`, and `found`, lists as of
            `Family.measure`; it is changed.
        family: that of the model's recipe.
        probe: of the model.
        count: of examples that are wanted.
    """
    recipe, began = family.recipe, time.monotonic()
    done, longest = examples_in(known), recipe.length_parameters[1]
    portion = PORTION if known["length"] >= VERY_LONG[longest] else count
    parameters = parameters_of(known, recipe)
    # All trainings answer the same examples, whatever their own seed.
    count = min(portion, count - done)
    more = family.measure(probe, count, seed=done, parameters=parameters)
    for name, values in more.items():
        known["found"].setdefault(name, []).extend(values.tolist())
    known["seconds"] = round(known["seconds"] + time.monotonic() - began, 1)
    known["backend"] = keras.backend.backend()
    print(
        f"{name_of(known)} {longest}: {sum(known['found']['wrong'])} of {examples_in(known)} "
        f"wrong, {known['seconds']} s",
        file=sys.stderr,
        flush=True,
    )


def parameters_of(row, recipe):
    """The data set's parameters for a measurement."""
    probe = {"probe": row["probe"]} if row["probe"] else {}
    return {**between(recipe, (row["least"], row["length"])), **probe}


def between(recipe, wanted):
    """The data set's parameters for a length, or for a pair of the least and the largest.

    >>> from keras_adaptive.zoo import recipes
    >>> between(recipes.load("neural_gpu_copy"), (3, 7))
    {'min_length': 3, 'length': 7}
    """
    least, most = wanted if isinstance(wanted, tuple) else (wanted, wanted)
    return dict(zip(recipe.length_parameters, (least, most), strict=True))


def row_of(known, family, count):
    """An element of what `measure` returns, of the first so many examples."""
    arrays = {name: np.array(values[:count]) for name, values in known["found"].items()}
    what = {key: known[key] for key in ("probe", "least", "length")}
    numbers = family.summary(arrays)
    return {**what, **numbers, "seconds": known["seconds"], "backend": known["backend"]}


def name_of(row):
    """The lengths of a measurement in words.

    >>> name_of({"probe": "ones", "least": 20, "length": 20})
    '20 (ones)'
    """
    lengths = str(row["length"]) if row["least"] == row["length"] else f"up to {row['length']}"
    return f"{lengths} ({row['probe']})" if row["probe"] else lengths
