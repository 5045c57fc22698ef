"""What `import keras_adaptive` costs beside `import keras`, which it contains.

    python benchmarks/import_time.py [--runs 7]

Each import is timed in processes of its own, in turns; the medians of their processor time are
compared, which other work on the machine disturbs least. Writes `results/import_time.json`.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

import report

LIMIT = 1.15
MODULES = ("keras", "keras_adaptive")


def cost(module, backend):
    """Processor seconds and wall seconds of a Python that imports `module`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor, time.perf_counter() - began


def compare(backend, runs):
    """Medians of both imports under one backend, and their ratio."""
    for module in MODULES:  # fills the caches of the file system
        cost(module, backend)
    times = {module: [] for module in MODULES}
    for _ in range(runs):
        for module in MODULES:
            times[module].append(cost(module, backend))
    medians = {
        module: {
            "processor_seconds": round(statistics.median(run[0] for run in of), 3),
            "wall_seconds": round(statistics.median(run[1] for run in of), 3),
        }
        for module, of in times.items()
    }
    keras, ours = (medians[module]["processor_seconds"] for module in MODULES)
    return {"runs": runs, "medians": medians, "ratio": round(ours / keras, 3)}


def main():
    """Measures, writes the results and prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    backends = {backend: compare(backend, runs) for backend in ("tensorflow", "jax")}
    rows = [
        {
            "what": f"`import keras_adaptive` against `import keras` ({name})",
            "ratio": result["ratio"],
            "limit": LIMIT,
        }
        for name, result in backends.items()
    ]
    report.write("import_time", rows, backends=backends)
    for row in rows:
        print(f"{row['what']}: {row['ratio']:.2f} (at most {row['limit']})")


if __name__ == "__main__":
    main()
