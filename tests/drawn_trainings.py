"""Draws cases of training and counts in how many all ways of training agree.

    python tests/drawn_trainings.py 1000 drawn_trainings.json

Each case is a model of one layer with its settings, trained for two steps by `fit`: eagerly, and in
a graph, by XLA or on JAX; an ACTRNN also by the equations in NumPy. The record is written after
each case. The same command goes on where it was, and the record says what was compared, how far
weights were apart at most, and which cases do not agree. The exit code is 1 if there are any.
"""

import argparse
import gc
import importlib.metadata
import json
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
from training_choices import draw, name_of

import other_backend
import training_cases

PACKAGES = ("keras", "tensorflow", "jax", "numpy")
# After so many cases a backend forgets what it has compiled.
FORGET = 20


def begin(seed=None):
    """A record without cases.

    Args:
        seed: of all cases, which is drawn if it is not given.
    """
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "seed": seed,
        "versions": versions,
        "cases": 0,
        "agreed": 0,
        "cpu_seconds": 0.0,
        "compared": {},
        "disagreed": [],
    }


def case_of(seed, number):
    """The case of that number, whichever came before."""
    return training_cases.settled(draw(np.random.default_rng([seed, number])))


def add(record, case):
    """Compare one more case, and write down what was found."""
    found, error = {}, None
    try:
        found = training_cases.differences(case)
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"
    for way, (difference, tolerance) in found.items():
        row = record["compared"].setdefault(f"{way}, {case['dtype']}", {"cases": 0, "largest": 0.0})
        row["cases"] += 1
        row["largest"], row["allowed"] = max(row["largest"], difference), tolerance
    agrees = error is None and all(difference <= most for difference, most in found.values())
    record["cases"] += 1
    record["agreed"] += agrees
    if not agrees:
        row = {"number": record["cases"] - 1, "case": case, "found": found, "error": error}
        record["disagreed"].append(row)


def run(path, count, seed=None, say=print):
    """Go on until the record at `path` has `count` cases; the record."""
    path = Path(path)
    record = json.loads(path.read_text()) if path.exists() else begin(seed)
    if seed not in (None, record["seed"]):
        raise ValueError(f"{path} has cases of the seed {record['seed']}. Received: seed={seed}")
    while record["cases"] < count:
        case = case_of(record["seed"], record["cases"])
        before = _cpu_seconds()
        add(record, case)
        record["cpu_seconds"] = round(record["cpu_seconds"] + _cpu_seconds() - before, 1)
        say(f"{record['agreed']} of {record['cases']} agree: {name_of(case)}")
        beside = path.with_name(path.name + ".part")
        beside.write_text(json.dumps(record, indent=1) + "\n")
        os.replace(beside, path)
        if record["cases"] % FORGET == 0:
            _forget()
    return record


def _cpu_seconds():
    """Of this process and of that with JAX."""
    return time.process_time() + other_backend.call("jax", "time", "process_time")


def _forget():
    import keras

    training_cases.eagerly_trained.cache_clear()
    keras.utils.clear_session()
    other_backend.call("jax", "jax", "clear_caches")
    gc.collect()


def describe(record):
    """The record in a few lines."""
    lines = [f"{record['agreed']:,} of {record['cases']:,} cases agree (seed {record['seed']})"]
    for what, row in sorted(record["compared"].items()):
        largest, allowed = row["largest"], row["allowed"]
        lines.append(f"{what}: {row['cases']} cases, at most {largest:.1e} apart of {allowed:.0e}")
    lines += [
        f"case {row['number']} does not: {name_of(row['case'])}: {row['error'] or row['found']}"
        for row in record["disagreed"]
    ]
    seconds = record["cpu_seconds"] / max(record["cases"], 1)
    return "\n".join([*lines, f"{seconds:.1f} CPU seconds a case"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("count", type=int, help="how many cases the record has in the end")
    parser.add_argument("record", type=Path, help="a JSON file, which is continued if it exists")
    parser.add_argument("--seed", type=int, help="of the cases; by default drawn anew")
    arguments = parser.parse_args()
    warnings.filterwarnings("error", message="Gradients do not exist")
    record = run(arguments.record, arguments.count, arguments.seed)
    print(describe(record))
    return 1 if record["disagreed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
