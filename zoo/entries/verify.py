"""Measures every published figure of the entries again, and says where it does not agree.

Published is what users read: the card. So the card must be what `metrics.json` says, the tables of
the README and of the pages must be what all `metrics.json` say, and each number must agree with a
second measurement on other examples, by the rule of `agreement`.
"""

import functools
import json
import secrets
import sys
import time

import keras

from ... import halting
from ...checkpoints.files import write_file
from .. import families
from . import agreement, baseline, store, thinking_less
from .consistency import inconsistencies
from .figures import ERROR
from .record import agrees, digest, in_words, is_current, read, verdict

# Seeds below are those of publications and of trainings, or were.
FIRST_SEED = 1_000_000
SECONDS = 60.0
QUICK = {"examples": 200, "seconds": 5.0}


def verify(names=(), *, examples=None, seconds=None, seed=None, folder=None, out=None):
    """Measure every published figure of entries again.

    Args:
        names: of the entries; all by default, without those whose data is not at hand.
        examples: of each measurement, at most; by default as many as were published.
        seconds: after so many a measurement begins no further batch; 60 by default.
        seed: of the examples; drawn by default.
        folder: where entries lie; those of the package by default.
        out: a file for the record. Entries that it has are not measured again, unless they changed.

    Returns:
        A dict for JSON: `entries`, a dict by their names of what `again` returns; `figures`, how
        many were compared; `limit`, the least p-value at which one agrees; `disagreements`, a list
        of sentences; and `skipped`, sentences on entries that could not be measured.

    Raises:
        ValueError: an unknown entry, numbers out of their range, or a seed that was used for what
            is published.
        FileNotFoundError: the data of an entry that was named is not at hand.
    """
    for name, value in (("examples", examples), ("seconds", seconds)):
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be positive. Received: {value}")
    wanted = list(dict.fromkeys(names)) or store.names(folder)
    damaged = {name: text for name in wanted if (text := damage(name, folder))}
    wanted = [name for name in wanted if name not in damaged]
    for name in wanted:
        check_seed(name, seed, folder)
    seed = FIRST_SEED + secrets.randbelow(2**31 - FIRST_SEED) if seed is None else seed
    kept, found, skipped = read(out), {}, []
    for name in wanted:
        try:
            known = kept.get(name)
            if known is None or not is_current(name, known, folder):
                known = again(name, seed, examples, seconds or SECONDS, folder)
        except FileNotFoundError as missing:
            if names:
                raise
            skipped.append(f"{name} was not measured: {missing}")
            continue
        found[name] = kept[name] = known
        if out:
            write_file(out, json.dumps({"entries": kept}, indent=1, ensure_ascii=False) + "\n")
    return verdict(found, skipped, [*damaged.values(), *inconsistencies(wanted, folder)])


def damage(name, folder):
    """What is wrong with the files of an entry, a sentence, or None.

    Raises:
        ValueError: there is no such entry.
    """
    store.check_name(name, folder)
    try:
        store.entry(name, folder)
    except ValueError as error:
        return str(error)
    return None


def check_seed(name, seed, folder):
    """Refuse a seed whose examples the published figures, or the training, come from."""
    if seed is None:
        return
    if type(seed) is not int or seed < 0:
        raise ValueError(f"seed must be a whole number, not negative. Received: {seed!r}")
    metrics = store.results(name, folder)
    used = {metrics["seed"], *(run["training_seed"] for run in metrics["runs"])}
    # Long examples were measured in portions, whose seed is the number of those before.
    used |= set(range(0, 1000, 10))
    if seed in used:
        raise ValueError(
            f"the figures of {name}, or its training, come from seed {seed}: give another"
        )


def again(name, seed, examples=None, seconds=SECONDS, folder=None):
    """Measure the figures of an entry.

    Returns:
        A dict: `published`, as of `digest`; `seed`; `backend`; `seconds`, what it took; and
        `figures`, a list of dicts: `what`, `figure`, `published` and `measured`; of those that
        depend on the examples also how many these were (`published_examples`, `examples`), both 95
        % intervals, `p`, and `drawn`, whether it is published in a picture only; else `tolerance`.
    """
    began = time.monotonic()
    path, recipe = store.entry(name, folder), store.recipe(name, folder)
    metrics, model = store.results(name, folder), store.load(name, folder=folder)
    family = families.of(recipe)
    answering = {None: model, baseline.NAME: baseline.load(metrics, path)}
    answering |= dict(enumerate(x for x in model.layers if isinstance(x, keras.Model)))
    # Compiled once for all measurements.
    probe_of = functools.cache(lambda member: family.probe(answering[member]))
    figures = [{**vars(one)} for one in family.exact_figures(metrics, model, path)]
    for one in (*family.measurements(metrics), *thinking_less.measurements(metrics)):
        count = min(examples or one.row["examples"], one.row["examples"])
        kinds = {"split": one.split, "seed": seed, "parameters": one.parameters}
        with halting.limits(max_ponder=one.max_ponder):
            found = family.measure(probe_of(one.member), count, seconds=seconds, **kinds)
        compared = [*comparisons(one, found, family.ratios(found))]
        figures += compared
        print(f"{name}, {in_words(compared[0])}", file=sys.stderr, flush=True)
    return {
        "published": digest(name, folder),
        "seed": seed,
        "backend": keras.backend.backend(),
        "seconds": round(time.monotonic() - began, 1),
        "figures": figures,
    }


def comparisons(measurement, found, ratios):
    """The figures of one measurement, as of `again`."""
    row, count = measurement.row, len(found["wrong"])
    common = {"what": measurement.what, "drawn": measurement.drawn}
    common |= {"published_examples": row["examples"], "examples": count}
    errors = int(found["wrong"].sum())
    counts = (round(row["examples"] * row[ERROR]), row["examples"]), (errors, count)
    yield {
        **common,
        "figure": ERROR,
        "published": row[ERROR],
        "published_interval": agreement.wilson(*counts[0]),
        "measured": errors / count,
        "interval": agreement.wilson(*counts[1]),
        "p": agreement.counts_agree(*counts[0], *counts[1]),
    }
    for name, ratio in ratios.items():
        if name in row:
            yield {
                **common,
                "figure": name,
                "published": row[name],
                "published_interval": agreement.of_mean(row[name], ratio.spread, row["examples"]),
                "measured": round(ratio.value, 6),
                "interval": agreement.of_mean(ratio.value, ratio.spread, count),
                "p": agreement.means_agree(row[name], row["examples"], ratio),
            }


def report(found):
    """What `verify` found, in lines to read."""
    lines = []
    for name, entry in found["entries"].items():
        wrong = [one for one in entry["figures"] if not agrees(one, found["limit"])]
        lines.append(f"{name}, seed {entry['seed']}, {entry['seconds']:g} s on {entry['backend']}:")
        lines += [
            f"  {'    ' if agrees(one, found['limit']) else 'NO: '}{in_words(one)}"
            for one in entry["figures"]
            if not one.get("drawn") or one in wrong
        ]
        drawn = sum(one.get("drawn", False) for one in entry["figures"])
        if drawn:
            lines.append(f"      and {drawn} numbers of the picture")
    compared, wrong = found["figures"], found["disagreements"]
    lines += [*found["skipped"], *(f"does not agree: {text}" for text in wrong)]
    lines.append(
        f"{compared} figures of {len(found['entries'])} entries measured again, "
        + (f"{len(wrong)} disagreements" if wrong else "all agree")
        + f" (limit of p: {found['limit']:.2g})"
    )
    return "\n".join(lines)
