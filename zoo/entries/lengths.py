"""Errors of a model at lengths far beyond those of its training.

Long examples take long, so results are saved in the folder of the training as soon as they are
measured, and reused until the training continues or a setting changes. A folder that cannot be
written keeps none.
"""

import inspect
import json
import sys
import time

import keras
import numpy as np

from ... import datasets
from ...checkpoints.files import keep, read_json
from ..settings import check_option

NAME = "lengths.json"
# Those of the paper, in digits of a number and in positions.
LENGTHS = {"bits": (20, 25, 100, 200, 2000), "length": (41, 401, 4001)}
PROBES = {"bits": ("carries", "ones", "zeros", "powers", "unequal"), "length": ()}
PROBED = (20, 100)
# From these lengths on, fewer examples are measured: their cost grows quadratically.
VERY_LONG = {"bits": 777, "length": 4001}
LONG_EXAMPLES = 100
# Number of very long examples after which the results are saved.
PORTION = 10


def measure(family, run, examples, long_examples=None, lengths=None, seed=0):
    """Measure a training at many lengths, and on probes of inputs that are rarely drawn.

    Args:
        family: that of the run's recipe, which has `length_parameters`.
        run: a `Run`.
        examples: number of examples of each measurement.
        long_examples: the same at `VERY_LONG` lengths; `LONG_EXAMPLES` by default.
        lengths: the lengths to measure at; the paper's by default.
        seed: of the first examples.

    Returns:
        A list of dicts: `probe` (None for random numbers), `least` and `length` (the range of
        the examples' lengths), the keys of `Family.summary`, `seconds`, and `backend`.
    """
    records = read(run, seed)
    probe = family.probe(run.model)
    rows = []
    for what, count in plan(run.recipe, examples, long_examples, lengths):
        record = records.setdefault(identity(what), {**what, "seconds": 0.0, "found": {}})
        while examples_in(record) < count:
            extend(record, family, probe, count, seed)
            data = {**network(run), "seed": seed, "rows": list(records.values())}
            keep(run.folder / NAME, json.dumps(data))
        rows.append(row_of(record, family, count))
    return rows


def read(run, seed=0):
    """The saved results for a seed: a dict from `identity` to the records of `extend`."""
    data, valid = read_json(run.folder / NAME, ("rows",)), {"seed": seed, **network(run)}
    if data is None or any({"seed": 0, **data}.get(key) != valid[key] for key in valid):
        return {}
    return {identity(record): record for record in data["rows"]}


def network(run):
    """The state of the training; saved results are valid as long as it is the same."""
    # As a round trip through JSON returns them.
    hyperparameters = json.loads(json.dumps(dict(run.recipe.hyperparameters)))
    return {"steps": run.position.step, "hyperparameters": hyperparameters}


def identity(row):
    """The key of a measurement."""
    return row["probe"], row["least"], row["length"]


def examples_in(record):
    """The number of examples that were measured already."""
    return len(record["found"].get("wrong", ()))


def plan(recipe, examples, long_examples=None, lengths=None):
    """The measurements to make, the quick ones first.

    Returns:
        A list of pairs: a dict of `probe`, `least` and `length`, and the number of examples.

    Raises:
        ValueError: a length below 1, or numbers of examples below 1.
    """
    shortest, longest = recipe.length_parameters
    long_examples = LONG_EXAMPLES if long_examples is None else long_examples
    lengths = sorted(set(LENGTHS[longest] if lengths is None else lengths))
    check_option("examples", examples)
    check_option("long_examples", long_examples)
    if not lengths:
        raise ValueError("lengths must have at least one element. Received: []")
    for length in lengths:
        check_option("length", length)
    sample = inspect.signature(datasets.task(recipe.dataset).sample)
    trained = recipe.parameters[longest]
    # The smallest length of the task; if None, all examples have the same length.
    least = sample.parameters[shortest].default or trained
    pairs = dict.fromkeys([(least, trained), *((length, length) for length in lengths)])
    measurements = [{"probe": None, "least": least, "length": length} for least, length in pairs]
    measurements += [
        {"probe": name, "least": length, "length": length}
        for length in lengths
        if length in PROBED
        for name in PROBES[longest]
    ]
    measurements.sort(key=lambda what: what["length"])
    border = VERY_LONG[longest]
    return [
        (what, long_examples if what["length"] >= border else examples) for what in measurements
    ]


def extend(record, family, probe, count, seed=0):
    """Measure more examples: all that are missing, or a portion of very long ones.

    Args:
        record: a dict of `probe`, `least`, `length`, `seconds`, and `found`, which has lists with
            the keys of `Family.measure`; it is changed.
        family: that of the model's recipe.
        probe: of the model.
        count: the total number of examples to reach.
        seed: of the first examples.
    """
    recipe, began = family.recipe, time.monotonic()
    done, longest = examples_in(record), recipe.length_parameters[1]
    portion = PORTION if record["length"] >= VERY_LONG[longest] else count
    parameters = parameters_of(record, recipe)
    # All trainings answer the same examples, whatever their own seed.
    count = min(portion, count - done)
    more = family.measure(probe, count, seed=seed + done, parameters=parameters)
    for name, values in more.items():
        record["found"].setdefault(name, []).extend(values.tolist())
    record["seconds"] = round(record["seconds"] + time.monotonic() - began, 1)
    record["backend"] = keras.backend.backend()
    print(
        f"{name_of(record)} {longest}: {sum(record['found']['wrong'])} of {examples_in(record)} "
        f"wrong, {record['seconds']} s",
        file=sys.stderr,
        flush=True,
    )


def parameters_of(row, recipe):
    """The data set's parameters for a measurement."""
    probe = {"probe": row["probe"]} if row["probe"] else {}
    return {**between(recipe, (row["least"], row["length"])), **probe}


def between(recipe, lengths):
    """The data set's parameters for a length, or for a pair of the least and the largest.

    >>> from keras_adaptive.zoo import recipes
    >>> between(recipes.load("neural_gpu_copy"), (3, 7))
    {'min_length': 3, 'length': 7}
    """
    least, most = lengths if isinstance(lengths, tuple) else (lengths, lengths)
    return dict(zip(recipe.length_parameters, (least, most), strict=True))


def row_of(record, family, count):
    """A row of `measure`, from the first `count` examples of a record."""
    arrays = {name: np.array(values[:count]) for name, values in record["found"].items()}
    what = {key: record[key] for key in ("probe", "least", "length")}
    numbers = family.summary(arrays)
    return {**what, **numbers, "seconds": record["seconds"], "backend": record["backend"]}


def name_of(row):
    """The lengths of a measurement as text.

    >>> name_of({"probe": "ones", "least": 20, "length": 20})
    '20 (ones)'
    """
    lengths = str(row["length"]) if row["least"] == row["length"] else f"up to {row['length']}"
    return f"{lengths} ({row['probe']})" if row["probe"] else lengths
