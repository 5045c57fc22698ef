"""Writes the results of a benchmark, with the machine and the versions of the packages."""

import argparse
import json
import os
import platform
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("keras", "tensorflow", "numpy")


def read(name):
    """What `write` has written, or an empty dict."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write(name, rows, **more):
    """Writes `results/<name>.json`, whole or not at all.

    Args:
        name: of the benchmark.
        rows: list of dicts `what`, `ratio`, `limit` (or None), for the README's table.
        **more: anything else that was measured.
    """
    FOLDER.mkdir(exist_ok=True)
    record = {
        "rows": rows,
        **more,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "versions": {package: metadata.version(package) for package in PACKAGES},
    }
    path = FOLDER / f"{name}.json"
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(record, indent=1) + "\n")
    os.replace(temporary, path)
    print(f"written to {path.name}")


def measure_entries(name, description, known, examples, measured, **more):
    """The command line of a benchmark of entries: measures those that are named, or all.

    Args:
        name: of the benchmark.
        description: for `--help`.
        known: the names of its entries.
        examples: of each measurement, by default.
        measured: a function of an entry's name and the number of examples that returns a dict.
        **more: anything else to write.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help="default: all")
    parser.add_argument("--examples", type=int, default=examples, help="of each measurement")
    options = parser.parse_args()
    if unknown := set(options.entries) - set(known):
        parser.error(f"unknown entries: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    found = {entry["entry"]: entry for entry in read(name).get("entries", ())}
    for entry in options.entries or known:
        found[entry] = {"entry": entry, **measured(entry, options.examples)}
        write(name, [], **more, entries=[found[each] for each in known if each in found])
