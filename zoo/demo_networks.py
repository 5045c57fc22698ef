"""The measurements, trainings and pictures of the demo; unlike `demo`, this module loads Keras."""

import sys
import tempfile
import time

from .. import plots
from . import families
from .entries import store
from .evaluate import evaluate
from .recipe import Curriculum, Stage
from .recipes.act_parity import RECIPE
from .training.train import train

# Too many bits for a plain network of this size, and few enough for a short training.
BITS = 16


def small_recipe():
    """The recipe `act_parity` for 16 bits, with a training of a minute or so."""
    curriculum = Curriculum(("positions",), start=2, stop="bits", threshold=0.12)
    stages = (
        Stage(steps=4000, learning_rate=2e-3, curriculum=curriculum, chunk=50),
        Stage(steps=4000, learning_rate=2e-3, schedule="cosine", hold=0.25, time_penalty=3e-3),
    )
    return RECIPE.replace(
        parameters={**RECIPE.parameters, "bits": BITS},
        hyperparameters={**RECIPE.hyperparameters, "halting_bias": -1.0, "max_ponder": 10},
        stages=stages,
    )


def measure(name, examples):
    """Errors and steps of a pretrained model on fresh examples."""
    numbers = evaluate(store.load(name), store.recipe(name), examples, seed=1)
    return {key: numbers[key] for key in ("examples", "sequence_error", "ponder", "ponder_steps")}


def say(text):
    """Print a message to standard error."""
    print(text, file=sys.stderr, flush=True)


def train_small(recipe, examples):
    """Train a small network without and with ACT; the results of both."""
    results = {"units": recipe.hyperparameters["units"]}
    for variant, words in (("plain", "a plain RNN"), ("act", "the same RNN with ACT")):
        say(f"Training {words} on the parity of {BITS} bits …")
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                run = train(recipe, folder, variant=variant)
            except KeyboardInterrupt as stop:  # Which says that the state is kept.
                raise type(stop)("interrupted") from None
        family = families.of(run.recipe)
        numbers = evaluate(run.model, run.recipe, 5 * examples)
        results[variant] = {
            "sequence_error": numbers["sequence_error"],
            "ponder_steps": numbers["ponder_steps"],
            "seconds": round(time.monotonic() - began, 1),
            "rows": family.against_difficulty(run.model, max(examples // 2, 1)),
        }
    return results


def compared(trained):
    """The small networks without and with ACT, in lines to read."""
    return (
        f"Parity of {BITS} bits, learned just now by {trained['units']} tanh units:\n"
        f"  plain RNN   test error {trained['plain']['sequence_error']:6.1%}\n"
        f"  with ACT    test error {trained['act']['sequence_error']:6.1%}, "
        f"{trained['act']['ponder_steps']:.1f} steps per input"
    )


def draw(out, trained, examples):
    """Write the picture of ponder against difficulty."""
    curves = {
        "plain RNN": trained["plain"]["rows"],
        "with ACT": trained["act"]["rows"],
    }
    label, title = "bits", "trained just now"
    if "act_logic" in store.names():
        recipe = store.recipe("act_logic")
        model = store.load("act_logic")
        rows = families.of(recipe).against_difficulty(model, min(examples, 300))
        curves, label, title = {"act_logic": rows}, recipe.figure.label, "act_logic"
    return plots.ponder_against_difficulty(out / "keras_adaptive_demo.png", curves, label, title)
