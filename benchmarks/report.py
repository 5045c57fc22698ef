"""Writes the results of a benchmark, with the machine and the versions of the packages."""

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
