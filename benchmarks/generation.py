"""What making a training batch costs, as a share of the training step that it is made for.

Each recipe is built and compiled as its training does, and learns batches of its last stage that
were made before, all of the median length (each length is compiled for itself); fresh batches of
all lengths are made from the stream. Both on one core with one thread, in CPU time, as medians. A
training that makes its batches on the same core loses that share. The network is untrained.

    python benchmarks/generation.py
"""

import argparse
import itertools
import os
import statistics
import time

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

from keras_adaptive import datasets
from keras_adaptive.zoo import recipes
from keras_adaptive.zoo.training import run

# Generation must take no more than this share of a training step.
LIMIT = 0.1
STEPS = 40


def cpu_seconds(function):
    """CPU time of all threads of this process while `function` runs."""
    start = time.process_time()
    function()
    return time.process_time() - start


def fresh(recipe, count, seed):
    """Batches of the recipe's last stage, as `fit` takes them."""
    stage = recipe.stages[-1]
    level = recipe.stop_of(stage.curriculum) if stage.curriculum else None
    batches = datasets.iterate(
        recipe.dataset, recipe.batch_size, seed, **recipe.parameters_at(stage, level)
    )
    return [next(batches) for _ in range(count)]


def measure(name, count, repetitions):
    """Milliseconds of a training step of a recipe, and of making its batch."""
    recipe = recipes.load(name)
    settings = {"recipe": name, "variant": None, "overrides": None, "steps_scale": None}
    model = run.start(recipe, "", settings | {"seed": None}).model
    batches = fresh(recipe, count, seed=0)
    length = sorted(inputs.shape[1] for inputs, _, _ in batches)[count // 2]
    typical = itertools.cycle(batch for batch in batches if batch[0].shape[1] == length)
    data = list(itertools.islice(typical, STEPS))

    def learn():
        model.fit(iter(data), steps_per_epoch=STEPS, shuffle=False, verbose=0)

    learn()  # compiles
    steps = [cpu_seconds(learn) for _ in range(repetitions)]
    made = [
        cpu_seconds(lambda seed=seed: fresh(recipe, count, seed))
        for seed in range(1, 3 * repetitions + 1)
    ]
    step = 1e3 * statistics.median(steps) / STEPS
    batch = 1e3 * statistics.median(made) / count
    return {
        "recipe": name,
        "batch_size": recipe.batch_size,
        "length": length,
        "training_step_milliseconds": round(step, 3),
        "generation_milliseconds": round(batch, 4),
        "share": round(batch / step, 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recipes", nargs="*", default=list(recipes.names()))
    parser.add_argument("--batches", type=int, default=160)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    results = []
    for name in arguments.recipes:
        results.append(measure(name, arguments.batches, arguments.repetitions))
        print(results[-1], flush=True)
    rows = [
        {
            "what": f"making a batch / the training step, {row['recipe']}",
            "ratio": row["share"],
            "limit": LIMIT,
        }
        for row in results
    ]
    write("generation", rows, backend=keras.backend.backend(), details=results)


if __name__ == "__main__":
    main()
