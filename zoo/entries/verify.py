"""Measures every published figure of the entries again, and reports disagreements.

The published figures are those that users read. So the card must match `metrics.json`, the tables
of the README and of the pages must match all `metrics.json`, and each number must agree with a
second measurement on other examples, by the tests in `statistics`.
"""

import contextlib
import functools
import secrets
import sys
import time

import keras

from ... import halting, statistics
from ...checkpoints.files import target_of, write_json
from ...checkpoints.lock import lock_folder
from .. import families
from ..settings import check_option
from . import baseline, store, thinking_less
from .consistency import inconsistencies
from .figures import ERROR
from .record import agrees, digest, in_words, is_current, read, verdict

# Smaller seeds are, or were, those of published measurements and trainings.
FIRST_SEED = 1_000_000
SECONDS = 60.0
# Published means have four decimals.
ROUNDING = 5e-5
QUICK = {"examples": 200, "seconds": 5.0}


def verify(names=(), *, examples=None, seconds=None, seed=None, folder=None, out=None):
    """Measure every published figure of entries again.

    Args:
        names: of the entries; by default all whose data is available.
        examples: the largest number of examples of each measurement; by default as many as were
            published.
        seconds: time after which a measurement starts no further batch; 60 by default.
        seed: of the examples; drawn by default.
        folder: where entries lie; those of the package by default.
        out: a file for the record. Entries that it contains are not measured again, unless they
            changed.

    Returns:
        A dict for JSON: `entries`, a dict from names to what `again` returns; `figures`, the number
        of compared figures; `limit`, the smallest p-value at which a figure agrees;
        `disagreements`, a list of sentences; and `skipped`, sentences on entries that could not
        be measured.

    Raises:
        ValueError: an unknown entry, a number out of its range, or a seed that was used for the
            published figures.
        FileNotFoundError: the data of an entry in `names` is not available.
        OSError: `out` cannot be written, or another process is writing it (`lock.InUse`).
    """
    check_option("examples", examples)
    check_option("seconds", seconds)
    selected = list(dict.fromkeys(names)) or store.names(folder)
    if not names:
        selected += store.without_manifest(folder)
    damaged = {name: text for name in selected if (text := damage(name, folder))}
    selected = [name for name in selected if name not in damaged]
    for name in selected:
        check_seed(name, seed, folder)
    asked = seed
    seed = FIRST_SEED + secrets.randbelow(2**31 - FIRST_SEED) if seed is None else seed
    records, skipped, file = {}, [], out and target_of(out)
    with lock_folder(file.parent, file.name) if file else contextlib.nullcontext():
        recorded = read(out)
        for name in selected:
            try:
                record = recorded.get(name)
                known = record is not None and is_current(name, record, folder)
                if not known or asked not in (None, record["seed"]):
                    record = again(name, seed, examples, seconds or SECONDS, folder)
            except FileNotFoundError as missing:
                if names:
                    raise
                skipped.append(f"{name} was not measured: {missing}")
                continue
            records[name] = recorded[name] = record
            if out:
                write_json(out, {"entries": recorded})
    return verdict(records, skipped, [*damaged.values(), *inconsistencies(selected, folder)])


def damage(name, folder):
    """A sentence on what is wrong with the files of an entry, or None.

    Raises:
        ValueError: there is no such entry.
    """
    if name not in store.without_manifest(folder):
        store.check_name(name, folder)
    try:
        store.entry(name, folder)
    except ValueError as error:
        return str(error)
    return None


def check_seed(name, seed, folder):
    """Refuse a seed that was used for the published figures or for the training."""
    check_option("seed", seed)
    if seed is None:
        return
    metrics = store.results(name, folder)
    used = {metrics["seed"], *(run["training_seed"] for run in metrics["runs"])}
    # Long examples were measured in portions; the seed of a portion is the number of earlier ones.
    used |= set(range(0, 1000, 10))
    if seed in used:
        raise ValueError(
            f"the figures of {name}, or its training, come from seed {seed}: give another"
        )


def again(name, seed, examples=None, seconds=SECONDS, folder=None):
    """Measure the figures of an entry.

    Returns:
        A dict: `published`, the `digest` of the entry; `seed`; `backend`; `seconds`, the duration;
        and `figures`, a list of dicts with `what`, `figure`, `published` and `measured`. Figures
        that depend on the examples also have the numbers of examples (`published_examples`,
        `examples`), both 95 % intervals, `p`, and `drawn`, whether the figure is published in a
        picture only; the others have `tolerance`.
    """
    began = time.monotonic()
    path, recipe = store.entry(name, folder), store.recipe(name, folder)
    metrics, model = store.results(name, folder), store.load(name, folder=folder)
    family = families.of(recipe)
    models = {None: model, baseline.NAME: baseline.load(metrics, path)}
    models |= dict(enumerate(x for x in model.layers if isinstance(x, keras.Model)))

    # Compiled once for all measurements.
    @functools.cache
    def probe_of(member, steps):
        if steps is None:
            return family.probe(models[member])
        return family.probe(store.load(name, folder=folder, steps_multiplier=steps))

    figures = [{**vars(measurement)} for measurement in family.exact_figures(metrics, model, path)]
    for measurement in (*family.measurements(metrics), *thinking_less.measurements(metrics)):
        count = min(examples or measurement.row["examples"], measurement.row["examples"])
        kinds = {"split": measurement.split, "seed": seed, "parameters": measurement.parameters}
        with halting.limits(max_ponder=measurement.max_ponder):
            probe = probe_of(measurement.member, measurement.steps_multiplier)
            results = family.measure(probe, count, seconds=seconds, **kinds)
        compared = [*comparisons(measurement, results, family.ratios(results))]
        figures += compared
        print(f"{name}, {in_words(compared[0])}", file=sys.stderr, flush=True)
    return {
        "published": digest(name, folder),
        "seed": seed,
        "backend": keras.backend.backend(),
        "seconds": round(time.monotonic() - began, 1),
        "figures": figures,
    }


def comparisons(measurement, results, ratios):
    """The figures of one measurement, as in `again`."""
    row, count = measurement.row, len(results["wrong"])
    common = {"what": measurement.what, "drawn": measurement.drawn}
    common |= {"published_examples": row["examples"], "examples": count}
    errors = int(results["wrong"].sum())
    counts = (round(row["examples"] * row[ERROR]), row["examples"]), (errors, count)
    yield {
        **common,
        "figure": ERROR,
        "published": row[ERROR],
        "published_interval": statistics.error_interval(*counts[0]),
        "measured": errors / count,
        "interval": statistics.error_interval(*counts[1]),
        "p": statistics.compare_errors(*counts[0], *counts[1]),
    }
    interval = statistics.mean_interval
    for name, ratio in ratios.items():
        if name in row and count > 1:  # One example has no spread.
            yield {
                **common,
                "figure": name,
                "published": row[name],
                "published_interval": interval(row[name], ratio.spread, row["examples"]),
                "measured": round(ratio.value, 6),
                "interval": interval(ratio.value, ratio.spread, count),
                "p": statistics.compare_means(row[name], row["examples"], ratio, ROUNDING),
            }


def report(results):
    """The results of `verify` as text."""
    lines = []
    for name, entry in results["entries"].items():
        wrong = [figure for figure in entry["figures"] if not agrees(figure, results["limit"])]
        lines.append(f"{name}, seed {entry['seed']}, {entry['seconds']:g} s on {entry['backend']}:")
        lines += [
            f"  {'    ' if agrees(figure, results['limit']) else 'NO: '}{in_words(figure)}"
            for figure in entry["figures"]
            if not figure.get("drawn") or figure in wrong
        ]
        drawn = sum(figure.get("drawn", False) for figure in entry["figures"])
        if drawn:
            lines.append(f"      and {drawn} numbers of the picture")
    compared, wrong = results["figures"], results["disagreements"]
    lines += [*results["skipped"], *(f"does not agree: {text}" for text in wrong)]
    lines.append(
        f"{compared} figures of {len(results['entries'])} entries measured again, "
        + (f"{len(wrong)} disagreements" if wrong else "all agree")
        + f" (limit of p: {results['limit']:.2g})"
    )
    return "\n".join(lines)
