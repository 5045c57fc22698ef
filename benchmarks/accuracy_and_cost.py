"""The accuracy of trained residual networks against their FLOPs, and against their time.

    python benchmarks/accuracy_and_cost.py NAME PICTURE RUN RUN …

Each RUN is the folder of a training whose evaluation is finished (`keras-adaptive train`). FLOPs
and time are shares of those of the first one. The time is the CPU time of a call on one thread, for
32 test images; the networks run in turn, and the median over the turns counts. Writes
results/accuracy_and_cost.json, where NAME is one of the keys, and draws PICTURE.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from report import read, write
from residual import seconds

from keras_adaptive import datasets, plots
from keras_adaptive.zoo.training.run import restore

RECORD = "accuracy_and_cost"
IMAGES, TURNS = 32, 7
KINDS = {"plain": "plain", "act": "ACT", "sact": "SACT"}


def kind_of(run, reference):
    """What the picture calls a network; one with fewer units than the first is shallower."""
    kind, units = KINDS[run.recipe.variant], run.recipe.hyperparameters["residual_units"]
    fewer = units != reference.recipe.hyperparameters["residual_units"]
    return f"{kind}, {units} units per block" if fewer else kind


def main(name, picture, *folders):
    """Measures the networks, and writes the record and the picture."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    runs = [restore(folder) for folder in folders]
    metrics = [json.loads(Path(folder, "metrics.json").read_text()) for folder in folders]
    recipe = runs[0].recipe
    images = datasets.batch(recipe.dataset, IMAGES, split="test", **recipe.parameters)["inputs"]
    images = tf.constant(images)
    calls = [tf.function(run.model, autograph=False) for run in runs]
    for call in calls:
        call(images)
    times = np.median([[seconds(call, images) for call in calls] for _ in range(TURNS)], axis=0)
    networks = [
        {
            "kind": kind_of(run, runs[0]),
            "seed": measured["training_seed"],
            "setting": run.recipe.stages[-1].time_penalty
            if run.recipe.variant != "plain"
            else None,
            "steps": measured["steps"],
            "images": measured["examples"],
            "accuracy": measured["accuracy"],
            "flops_share": round(measured["flops"] / metrics[0]["flops"], 4),
            "time_share": round(float(time / times[0]), 3),
        }
        for run, measured, time in zip(runs, metrics, times, strict=True)
    ]
    # The kinds that every picture has come first, and so have the same colours.
    networks.sort(key=lambda network: list(KINDS.values()).index(network["kind"].split(",")[0]))
    networks.sort(key=lambda network: "," in network["kind"])
    for network in networks:
        print(json.dumps(network))
    write(RECORD, [], networks={**read(RECORD).get("networks", {}), name: networks})
    plots.accuracy_against_cost(picture, networks)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
