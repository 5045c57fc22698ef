"""The first thing a newcomer runs: pretrained models answer, a small one is trained, a picture."""

import sys
import tempfile
import time
from pathlib import Path

from .. import datasets, plots
from . import families
from .entries import store
from .evaluate import evaluate
from .recipe import Curriculum, Stage
from .recipes.act_parity import RECIPE
from .training.train import train
from .words import truncated

# Enough bits to defeat a plain network of this size, few enough to wait for.
BITS = 16
# What is asked of each pretrained model, in words.
MODELS = {
    "act_addition": "the running sum of decimal numbers",
    "act_logic": "gates, applied one after the other to two bits",
    "act_parity": "whether the number of ones is odd",
}
# Examples of each model, and inputs of each example.
SHOWN, LINES = 3, 4
INPUT_WIDTH = 40


def small_recipe(steps_scale=1.0):
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
    ).scaled(steps_scale)


def demo(out=".", examples=1000, steps_scale=1.0, show=None):
    """Let the pretrained models answer, train a small network with and without ACT, draw ponder.

    Args:
        out: the folder for the picture.
        examples: fresh examples for each pretrained model, five times as many for the small ones.
        steps_scale: factor on the steps of the training.
        show: called with each part of the text as soon as there is something to read.

    Returns:
        A dict: `trained`, the test errors of the two small networks; `models`, what was measured
        of the pretrained ones; `picture`, its file; and `text`, all this to be read.

    Raises:
        OSError: the picture cannot be written.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parts = []

    def tell(text):
        parts.append(text)
        if show is not None:
            show(text)

    asked = {name: question(name, examples, tell) for name in MODELS if name in store.names()}
    trained = train_small(small_recipe(steps_scale), examples)
    tell(compared(trained))
    picture = draw(out, trained, examples)
    tell(f"\nPonder and error against difficulty are drawn in {picture}")
    for variant in ("act", "plain"):
        trained[variant].pop("rows")
    return {
        "trained": trained,
        "models": asked,
        "picture": str(picture),
        "text": "\n".join(parts),
    }


def say(text):
    """Tell the person what is going on."""
    print(text, file=sys.stderr, flush=True)


def train_small(recipe, examples):
    """Train a small network without and with ACT; numbers of both."""
    found = {"units": recipe.hyperparameters["units"]}
    for variant, words in (("plain", "a plain RNN"), ("act", "the same RNN with ACT")):
        say(f"Training {words} on the parity of {BITS} bits …")
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            run = train(recipe, folder, variant=variant)
        family = families.of(run.recipe)
        numbers = evaluate(run.model, run.recipe, 5 * examples)
        found[variant] = {
            "sequence_error": numbers["sequence_error"],
            "ponder_steps": numbers["ponder_steps"],
            "seconds": round(time.monotonic() - began, 1),
            "rows": family.against_difficulty(run.model, max(examples // 2, 1)),
        }
    return found


def question(name, examples, tell):
    """Let a pretrained model answer a few examples in human form, and measure it."""
    model, recipe = store.load(name), store.recipe(name)
    task, family = datasets.task(recipe.dataset), families.of(recipe)
    probe = family.probe(model)
    fresh = datasets.batch(recipe.dataset, SHOWN, seed=2, split="test", **recipe.parameters)
    tell(f"{name}: {MODELS[name]}")
    shown = []
    for inputs, difficulty in zip(fresh["inputs"], fresh["difficulty"], strict=True):
        real = inputs[difficulty > 0]
        if len(real) > 1 or not hasattr(task, "asked"):
            shown.append(family.predict_inputs(probe, real[None]))
            tell(in_lines(shown[-1]))
    numbers = evaluate(model, recipe, examples, seed=1)
    tell(
        f"  {numbers['sequence_error']:.2%} wrong of {examples} fresh examples, "
        f"{numbers['ponder_steps']:.1f} steps for each input\n"
    )
    kept = ("examples", "sequence_error", "ponder", "ponder_steps")
    return {**{key: numbers[key] for key in kept}, "shown": shown}


def in_lines(answered):
    """What a model answered to the inputs of one example, a line each."""
    rows = list(zip(answered["inputs"], answered["answers"], answered["ponder_steps"], strict=True))
    lines = [
        f"  {truncated(given, INPUT_WIDTH)}  →  {answer or '–'}   ({steps} steps)"
        for given, answer, steps in rows[:LINES]
    ]
    if len(rows) > LINES:
        lines.append(f"  … and {len(rows) - LINES} more")
    return "\n".join([*lines, ""] if len(rows) > 1 else lines)


def compared(trained):
    """The small networks without and with ACT, in lines to read."""
    return (
        f"Parity of {BITS} bits, learned just now by {trained['units']} tanh units:\n"
        f"  plain RNN   test error {trained['plain']['sequence_error']:6.1%}\n"
        f"  with ACT    test error {trained['act']['sequence_error']:6.1%}, "
        f"{trained['act']['ponder_steps']:.1f} steps for each input"
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
