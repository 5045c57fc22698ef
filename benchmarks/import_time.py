"""What `import keras_adaptive` costs by itself, and beside `import keras`.

    python benchmarks/import_time.py [--runs 7]

Each import is timed in processes of its own, in turns; the least is taken, which other work on the
machine disturbs least: wall time of the package alone, which does not import Keras, and processor
time of Keras with and without all of the package. Writes `results/import_time.json`.
"""

import argparse
import os
import resource
import subprocess
import sys
import time

import report

SECONDS = 0.3
RATIO = 1.15
ALONE, KERAS, BOTH = "keras_adaptive", "keras", "keras, keras_adaptive"


def cost(modules, backend):
    """Processor seconds and wall seconds of a Python that imports `modules`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(
        [sys.executable, "-c", f"import {modules}"],
        env=environment,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor, time.perf_counter() - began


def compare(backend, runs):
    """The least of all imports under one backend, and the ratio of those with Keras."""
    times = {modules: [] for modules in (ALONE, KERAS, BOTH)}
    for _ in range(runs + 1):
        for modules in times:
            times[modules].append(cost(modules, backend))
    # The first of each fills the caches of the file system.
    least = {
        modules: {
            "processor_seconds": round(min(run[0] for run in of[1:]), 3),
            "wall_seconds": round(min(run[1] for run in of[1:]), 3),
        }
        for modules, of in times.items()
    }
    ratio = least[BOTH]["processor_seconds"] / least[KERAS]["processor_seconds"]
    return {"runs": runs, "least": least, "ratio": round(ratio, 3)}


def main():
    """Measures, writes the results and prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    backends = {backend: compare(backend, runs) for backend in ("tensorflow", "jax")}
    alone = min(result["least"][ALONE]["wall_seconds"] for result in backends.values())
    what = "`import keras_adaptive`, in seconds"
    rows = [{"what": what, "ratio": alone, "limit": SECONDS}]
    for name, result in backends.items():
        what = f"`import {BOTH}` against `import {KERAS}` ({name})"
        rows.append({"what": what, "ratio": result["ratio"], "limit": RATIO})
    report.write("import_time", rows, backends=backends)
    for row in rows:
        print(f"{row['what']}: {row['ratio']:.2f} (at most {row['limit']})")


if __name__ == "__main__":
    main()
