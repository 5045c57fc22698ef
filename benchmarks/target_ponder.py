"""Whether `target_ponder` holds the mean number of steps, on parity and logic with several seeds.

    KERAS_BACKEND=jax python benchmarks/target_ponder.py [--seeds 10] [--steps 4000]

Writes `results/target_ponder.json`, and the figure of docs/automatic_time_penalty.md from it.
"""

import argparse
import itertools
import math
import time
from pathlib import Path

import keras
import report

from keras_adaptive import datasets
from keras_adaptive.layers import ACTRNN
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError
from keras_adaptive.models import AdaptiveModel

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "target_ponder.png"
TARGETS = (3.0, 6.0)
CHUNK = 100
# How far off the target the mean of the last quarter may be, relative to it.
LIMIT = 0.1
TASKS = {
    "parity": {
        "dataset": "act_parity",
        "parameters": {"bits": 8},
        "cell": lambda: keras.layers.SimpleRNNCell(128),
        "batch_size": 128,
    },
    "logic": {
        "dataset": "act_logic",
        "parameters": {"gates": 3, "vectors": 3, "max_vectors": 3},
        "cell": lambda: keras.layers.LSTMCell(128),
        "batch_size": 16,
    },
}


def deep_start(target):
    """A halting bias with which the untrained network takes half as many steps again."""
    activation = 1 / (1.5 * target)
    return math.log(activation / (1 - activation))


def train(task, target, seed, steps):
    """Trains a network with a target; the means of its chunks of `CHUNK` training steps."""
    keras.utils.set_random_seed(seed)
    module = datasets.task(task["dataset"])
    inputs = keras.Input((None, module.sizes(**task["parameters"])["width"]))
    hidden = keras.layers.Masking(module.PADDING)(inputs)
    hidden = ACTRNN(
        task["cell"](),
        max_ponder=20,
        target_ponder=target,
        halting_bias=deep_start(target),
        return_sequences=True,
    )(hidden)
    model = AdaptiveModel(inputs, keras.layers.Dense(1, activation="sigmoid")(hidden))
    model.compile(
        keras.optimizers.Adam(2e-3, global_clipnorm=1.0),
        SequenceLoss(),
        weighted_metrics=[SequenceError()],
    )
    batches = datasets.iterate(
        task["dataset"], task["batch_size"], seed=seed, **task["parameters"]
    )
    epochs = steps // CHUNK
    history = model.fit(
        batches, epochs=epochs, steps_per_epoch=CHUNK, shuffle=False, verbose=0
    ).history
    return {
        name: [round(float(value), 5) for value in history[name]]
        for name in ("ponder_steps", "time_penalty", "sequence_error")
    }


def settled(values):
    """The mean over the last quarter of the training."""
    last = values[-(len(values) // 4) :]
    return sum(last) / len(last)


def draw(runs):
    """The steps of every run over the training, one panel a task."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, len(TASKS), figsize=(8, 5), sharex=True, squeeze=False)
    for column, name in enumerate(TASKS):
        for run in (run for run in runs if run["task"] == name):
            color = f"C{TARGETS.index(run['target'])}"
            steps = [CHUNK * (i + 1) for i in range(len(run["ponder_steps"]))]
            panels[0, column].plot(steps, run["ponder_steps"], color=color, alpha=0.7)
            panels[1, column].plot(steps, run["time_penalty"], color=color, alpha=0.7)
        for number, target in enumerate(TARGETS):
            panels[0, column].axhline(target, color="black", linewidth=0.8, linestyle="--")
            panels[1, column].plot([], [], color=f"C{number}", label=f"target {target:g}")
        panels[1, column].axhline(0, color="black", linewidth=0.8)
        panels[0, column].set_title(name)
        panels[1, column].set_xlabel("training steps")
    panels[1, 0].legend()
    panels[0, 0].set_ylabel("mean steps N")
    panels[1, 0].set_ylabel("time penalty τ")
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)


def main():
    """Trains all combinations, writes the results and draws them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=4000)
    options = parser.parse_args()
    runs = []
    for name, task in TASKS.items():
        for target in TARGETS:
            for seed in range(options.seeds):
                began = time.process_time()
                curves = train(task, target, seed, options.steps)
                mean = settled(curves["ponder_steps"])
                run = {
                    "task": name,
                    "target": target,
                    "seed": seed,
                    "settled_steps": round(mean, 3),
                    "off_target": round(mean / target - 1, 4),
                    "settled_error": round(settled(curves["sequence_error"]), 4),
                    "processor_seconds": round(time.process_time() - began, 1),
                }
                print(run, flush=True)
                runs.append({**run, **curves})
    write(runs)


def write(runs):
    """Writes the record and the figure of all runs."""
    rows = []
    for name, target in itertools.product(TASKS, TARGETS):
        alike = [run for run in runs if (run["task"], run["target"]) == (name, target)]
        off = [run["off_target"] for run in alike]
        near = sum(abs(share) < LIMIT for share in off)
        what = f"the farthest of {len(off)} seeds ({near} of them within {LIMIT:.0%} either way)"
        rows.append(
            {
                "what": f"target_ponder={target:g}, {name}: steps reached / target, {what}",
                "ratio": round(1 + max(off, key=abs), 3),
                "limit": 1 + LIMIT,
            }
        )
    report.write("target_ponder", rows, backend=keras.backend.backend(), runs=runs)
    draw(runs)


if __name__ == "__main__":
    main()
