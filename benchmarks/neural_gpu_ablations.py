"""What each part of the recipe of addition does for what the network gets right beyond training.

The first stage of `neural_gpu_addition` (numbers of up to 6 bits) is trained with one thing changed
at a time, with the same seeds each, and measured on validation examples of 15 bits, by which the
recipe chooses its seed; gates are not made sharper. What is there of an earlier run is not trained
again.

    python benchmarks/neural_gpu_ablations.py
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ |= {
    "OMP_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import keras
from report import write

from keras_adaptive import checkpoints, ensemble, relaxation
from keras_adaptive.checkpoints.files import write_file
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.training.train import train

RECIPE = "neural_gpu_addition"
# Words for the table, and what is changed in the hyperparameters or the training data.
ENTRY = "as the entry"
CHANGES = {
    ENTRY: {},
    "no dropout": {"dropout": 0.0},
    "smooth nonlinearities": {"nonlinearity": "smooth"},
    "smooth nonlinearities, gates not cut off": {"nonlinearity": "smooth", "gate_cutoff": False},
    "no diagonal gates": {"diagonal": False},
    "saturation cost 1e-3": {"saturation_cost": 1e-3},
    "gradient noise 1e-3": {"gradient_noise": 1e-3},
    "relaxation of 2 parameter sets, averaged at the end": {
        "relaxation": 2,
        "relaxation_pull": 5e-4,
        "relaxation_factor": 1.5,
    },
    "100 examples per length": {"examples_per_length": 100},
}
OF_DATA = ("examples_per_length",)
SEEDS = 4
ENSEMBLE = 5
EXAMPLES = 1000
# Trained on, and beyond.
BITS = {"trained": 6, "longer": 15}


def changed(changes):
    """The recipe with these changes."""
    recipe = recipes.load(RECIPE)
    data = {name: value for name, value in changes.items() if name in OF_DATA}
    network = {name: value for name, value in changes.items() if name not in OF_DATA}
    network["gate_sharpness"] = 1.0
    return recipe.replace(
        hyperparameters={**recipe.hyperparameters, **network},
        training_parameters={**recipe.training_parameters, **data},
    )


def errors(model, recipe):
    """Errors on the same validation examples for every network."""
    family, results = families.of(recipe), {}
    probe = family.probe(model)
    for name, bits in BITS.items():
        parameters = dict.fromkeys(recipe.length_parameters, bits)
        kinds = {"split": "validation", "seed": 0, "parameters": parameters}
        numbers = family.summary(family.measure(probe, EXAMPLES, **kinds))
        results[name] = {key: numbers[key] for key in ("symbol_error", "sequence_error")}
    return results


def trained(name, seed, folder):
    """The model and what it gets wrong, after the first stage."""
    recipe = changed(CHANGES[name])
    out = Path(folder) / name.replace(" ", "_") / f"seed-{seed}"
    began = time.process_time()
    begun = checkpoints.exists(out)
    run = train(recipe, out, seed=seed, resume=begun, until_stage=1)
    if recipe.hyperparameters.get("relaxation", 1) > 1:
        relaxation.average(run.model)
    path = out / "ablation.json"
    if not path.exists():
        row = {"seed": seed, **errors(run.model, recipe)}
        row["cpu_seconds"] = round(time.process_time() - began, 1)
        write_file(path, json.dumps(row))
    row = json.loads(path.read_text(encoding="utf-8"))
    print(name, row, flush=True)
    return run.model, row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="runs/neural_gpu_ablations", help="for the trainings")
    arguments = parser.parse_args()
    results = {name: [] for name in CHANGES}
    # Seed after seed, so that what is stopped early compares like with like.
    for seed in range(SEEDS):
        for name in CHANGES:
            results[name].append(trained(name, seed, arguments.folder)[1])
            keras.backend.clear_session()
        record(results)
    members = [trained(ENTRY, seed, arguments.folder) for seed in range(ENSEMBLE)]
    together = ensemble.average_outputs([model for model, _ in members])
    reached = errors(together, recipes.load(RECIPE))
    record(results, {"members": [row for _, row in members], **reached})


def record(results, together=None):
    """Writes what is known by now: rows by setting, and what the ensemble reached."""
    recipe = recipes.load(RECIPE)
    write(
        "neural_gpu_ablations",
        [],
        recipe=RECIPE,
        backend=keras.backend.backend(),
        steps=recipe.stages[0].steps,
        examples=EXAMPLES,
        bits=BITS,
        settings=[
            {"what": name, "changes": CHANGES[name], "runs": rows} for name, rows in results.items()
        ],
        ensemble=together,
    )


if __name__ == "__main__":
    main()
