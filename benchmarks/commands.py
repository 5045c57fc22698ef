"""How long commands take to answer, beside `import tensorflow`.

    python benchmarks/commands.py [--runs 3]

Each is started in processes of its own, in turns; the least wall time is taken, which other work on
the machine disturbs least. Of the demo it is the time until its first answer, where the process is
ended. Writes `results/commands.json`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import report

PROGRAM = (sys.executable, "-m", "keras_adaptive")
IMPORT = "import tensorflow"
PREDICT = "`keras-adaptive predict act_parity +-0+`"
# What is started -> its words, and the most seconds it may take.
STARTED = {
    IMPORT: ((sys.executable, "-c", IMPORT), None),
    "`keras-adaptive --help`": ((*PROGRAM, "--help"), 0.5),
    "`keras-adaptive list`": ((*PROGRAM, "list"), 1.0),
    PREDICT: ((*PROGRAM, "predict", "act_parity", "+-0+"), 2.0),
    "the first answer of `keras-adaptive demo`": ((*PROGRAM, "demo"), 20.0),
}
ANSWER = "→"


def seconds(words, folder):
    """The seconds until a process has ended, or has printed an answer of the demo."""
    began = time.perf_counter()
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(words, cwd=folder, env=environment, **streams) as process:
        for line in process.stdout:
            if ANSWER in line:
                process.kill()
                return time.perf_counter() - began
    if process.returncode:
        raise RuntimeError(f"{words} ended with {process.returncode}")
    return time.perf_counter() - began


def main():
    """Measures, writes the results and prints them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    times = {what: [] for what in STARTED}
    with tempfile.TemporaryDirectory() as folder:
        # The first of each fills the caches of the file system.
        for _ in range(runs + 1):
            for what, (words, _) in STARTED.items():
                times[what].append(seconds(words, folder))
    least = {what: round(min(of[1:]), 2) for what, of in times.items()}
    rows = [
        {"what": f"{what}, in seconds", "ratio": least[what], "limit": limit}
        for what, (_, limit) in STARTED.items()
        if what != IMPORT
    ]
    share = round(least[PREDICT] / least[IMPORT], 3)
    rows.append({"what": f"{PREDICT} / `{IMPORT}`", "ratio": share, "limit": 0.5})
    report.write("commands", rows, runs=runs, least=least)
    for row in rows:
        print(f"{row['what']}: {row['ratio']:.2f} ({IMPORT}: {least[IMPORT]:.2f} s)")


if __name__ == "__main__":
    main()
