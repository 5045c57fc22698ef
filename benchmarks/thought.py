"""How much error a given time buys: τ, targets, fixed steps and limits, compared on one task.

Small networks learn sequences of up to 3 vectors with up to 4 logic gates. Those with another time
penalty, another target of mean steps or another fixed number of steps are trainings of their own; a
limit on the steps or on the time changes a trained network. Each is measured twice: its error on
fresh test examples, and the median time of a warm call for 32 of them.

    python benchmarks/thought.py FOLDER          # trains what FOLDER lacks, then measures
    python benchmarks/thought.py FOLDER --draw   # only draws the picture again

It writes benchmarks/results/thought.json and docs/pictures/thought.png.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from report import write

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "thought.json"
PICTURE = HERE.parent / "docs" / "pictures" / "thought.png"
EXAMPLES, BATCH = 2048, 32
TASK = {"gates": 4, "vectors": 3, "validate_every": 100_000}
STEPS = {
    "stages.0.steps": 2500,
    "stages.1.steps": 500,
    "stages.2.steps": 4000,
    "max_ponder": 12,
}
# From the name of a training to what it sets.
TRAININGS = {
    **{f"tau_{tau:g}": {"time_penalty": tau} for tau in (0.1, 0.03, 0.01, 0.003)},
    **{f"target_{target}": {"target_ponder": target} for target in (1.5, 2.5, 4.0)},
    **{f"fixed_{steps}": {"variant": f"fixed-{steps}"} for steps in (1, 2, 4, 6)},
    "anytime": {"halting": "anytime"},
}
LIMITS, SECONDS = (1, 2, 3, 4, 6), (0.002, 0.004, 0.008)

# From a way to spend less to what it is, and how its setting is written.
WAYS = {
    "tau": ("trained with another τ", "τ = {:g}"),
    "target": ("trained with another target", "{:g} on average"),
    "fixed": ("trained with fixed steps", "N = {:g}"),
    "limit": ("ACT under a limit of steps", "at most {:g}"),
    "anytime": ("AnytimeACT under a limit of steps", "at most {:g}"),
    "seconds": ("AnytimeACT under a limit of time", "{:g} s"),
}


def train(folder, name, settings):
    """Train a network, unless it is there."""
    settings = dict(settings)
    variant = settings.pop("variant", "act")
    changed = {**TASK, **STEPS, **settings}
    if variant != "act":
        changed.pop("max_ponder")
    command = [sys.executable, "-m", "keras_adaptive", "train", "act_logic", "--backend", "jax"]
    command += ["--variant", variant, "--out", str(folder / name)]
    if (folder / name).exists():
        command.append("--resume")
    else:
        command += [word for key, value in changed.items() for word in ("--set", f"{key}={value}")]
    if not (folder / name / "metrics.json").exists():
        subprocess.run(command, check=True)


def measured(name, way, setting, run, **limits):
    """A row of the results: the error, the mean steps, and the time of a call."""
    import numpy as np

    from keras_adaptive import halting
    from keras_adaptive.evaluation import TimedProbe
    from keras_adaptive.zoo import families

    family = families.of(run.recipe)
    probe = TimedProbe(family.probe(run.model))
    with halting.limits(**limits):
        results = family.measure(probe, EXAMPLES, batch_size=BATCH)
    numbers = family.summary(results)
    row = {
        "way": way,
        "what": WAYS[way][0],
        "how": WAYS[way][1].format(setting),
        "training": name,
        "sequence_error": numbers["sequence_error"],
        "ponder_steps": numbers["ponder_steps"],
        "milliseconds": round(1000 * float(np.median(probe.seconds)), 3),
    }
    print(row, file=sys.stderr, flush=True)
    return row


def measure(folder):
    """All rows."""
    from keras_adaptive.zoo.training.run import restore

    runs = {name: restore(folder / name) for name in TRAININGS}
    rows = []
    for name, run in runs.items():
        way, _, setting = name.partition("_")
        if way != "anytime":
            rows.append(measured(name, way, float(setting), run))
    for way, name in (("limit", "tau_0.003"), ("anytime", "anytime")):
        rows += [
            measured(name, way, limit, runs[name], max_ponder=limit) for limit in (*LIMITS, 12)
        ]
    rows += [
        measured("anytime", "seconds", seconds, runs["anytime"], seconds=seconds)
        for seconds in SECONDS
    ]
    return rows


def draw(rows):
    """The error against the time of a call, a curve for each way."""
    from keras_adaptive.plots.figure import error_axis, new_figure, write_figure

    figure, [[panel]] = new_figure(PICTURE, 7.5, 4.2)
    for way, (words, _) in WAYS.items():
        points = sorted((r["milliseconds"], r["sequence_error"]) for r in rows if r["way"] == way)
        panel.plot(*zip(*points, strict=True), marker="o", markersize=4, label=words)
    panel.set_xlabel(f"milliseconds for a call with {BATCH} sequences")
    panel.set_ylabel("sequence error rate")
    panel.grid(alpha=0.3)
    error_axis(panel)
    panel.legend(fontsize="small")
    write_figure(figure, PICTURE, None)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the trainings lie")
    parser.add_argument("--draw", action="store_true", help="only draw what was measured")
    options = parser.parse_args()
    if not options.draw:
        for name, settings in TRAININGS.items():
            train(options.folder, name, settings)
        write(RESULTS.stem, [], points=measure(options.folder), batch=BATCH)
    draw(json.loads(RESULTS.read_text(encoding="utf-8"))["points"])


if __name__ == "__main__":
    main()
