"""The first thing a newcomer runs: train, question the pretrained models, draw a picture."""

import sys
import tempfile
import time
from pathlib import Path

from .. import datasets, plots
from . import store
from .evaluate import against_difficulty, evaluate
from .families.act import Probe, ask_inputs

# Enough bits to defeat a plain network of this size, few enough to wait for.
BITS = 16
MODELS = ("act_parity", "act_logic", "act_addition")
SHOWN = 3


def small_recipe(steps_scale=1.0):
    """The recipe `act_parity` for 16 bits, with a training of a minute or so."""
    from .recipe import Curriculum, Stage
    from .recipes.act_parity import RECIPE

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


def demo(out=".", examples=1000, steps_scale=1.0):
    """Train a small network with and without ACT, question the pretrained models, draw ponder.

    Args:
        out: the folder for the picture.
        examples: fresh examples for each pretrained model, a fifth of those for the small ones.
        steps_scale: factor on the steps of the training.

    Returns:
        A dict: `trained`, the test errors of the two small networks; `models`, what was measured
        of the pretrained ones; `picture`, its file; and `text`, all this to be read.

    Raises:
        OSError: the picture cannot be written.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    trained = train_small(small_recipe(steps_scale), examples)
    lines = [
        f"Parity of {BITS} bits, learned just now by {trained['units']} tanh units:",
        f"  plain RNN   test error {trained['plain']['sequence_error']:6.1%}",
        f"  with ACT    test error {trained['act']['sequence_error']:6.1%}, "
        f"{trained['act']['ponder_steps']:.1f} steps for each input",
    ]
    found = {name: question(name, examples) for name in MODELS if name in store.names()}
    for name, answers in found.items():
        lines += ["", *told(name, answers)]
    picture = draw(out, trained, examples)
    lines += ["", f"Ponder and error against difficulty are drawn in {picture}"]
    for variant in ("act", "plain"):
        trained[variant].pop("rows")
    return {
        "trained": trained,
        "models": found,
        "picture": str(picture),
        "text": "\n".join(lines),
    }


def say(text):
    """Tell the person what is going on."""
    print(text, file=sys.stderr, flush=True)


def train_small(recipe, examples):
    """Train a small network without and with ACT; numbers of both."""
    from .train import train

    found = {"units": recipe.hyperparameters["units"]}
    for variant, words in (("plain", "a plain RNN"), ("act", "the same RNN with ACT")):
        say(f"Training {words} on the parity of {BITS} bits …")
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            run = train(recipe, folder, variant=variant)
        numbers = evaluate(run.model, run.recipe, 5 * examples)
        found[variant] = {
            "sequence_error": numbers["sequence_error"],
            "ponder_steps": numbers["ponder_steps"],
            "seconds": round(time.monotonic() - began, 1),
            "rows": against_difficulty(run.model, run.recipe, max(examples // 2, 1)),
        }
    return found


def question(name, examples):
    """Measure a pretrained model, and let it answer a few examples in human form."""
    say(f"Questioning {name} …")
    model, recipe = store.load(name), store.recipe(name)
    numbers = evaluate(model, recipe, examples, seed=1)
    task, probe = datasets.task(recipe.dataset), Probe(model)
    fresh = datasets.batch(recipe.dataset, SHOWN, seed=2, split="test", **recipe.parameters)
    shown = []
    for inputs, difficulty in zip(fresh["inputs"], fresh["difficulty"], strict=True):
        real = inputs[difficulty > 0]
        if len(real) > 1 or not hasattr(task, "asked"):
            shown.append(ask_inputs(probe, task, real[None]))
    kept = ("examples", "sequence_error", "ponder", "ponder_steps")
    return {**{key: numbers[key] for key in kept}, "shown": shown}


def told(name, found):
    """What a pretrained model did, in lines to read."""
    lines = [
        f"{name}: {found['sequence_error']:.2%} wrong of {found['examples']} fresh examples, "
        f"{found['ponder_steps']:.1f} steps for each input. For example:"
    ]
    for shown in found["shown"]:
        rows = zip(shown["inputs"], shown["answers"], shown["ponder_steps"], strict=True)
        lines += [f"  {given}  →  {said or '–'}   ({steps} steps)" for given, said, steps in rows]
        lines.append("")
    return lines[:-1]


def draw(out, trained, examples):
    """Write the picture of ponder against difficulty."""
    curves = {
        "plain RNN": trained["plain"]["rows"],
        "with ACT": trained["act"]["rows"],
    }
    label, title = "bits", "trained just now"
    if "act_logic" in store.names():
        recipe = store.recipe("act_logic")
        rows = against_difficulty(store.load("act_logic"), recipe, min(examples, 300))
        curves, label, title = {"act_logic": rows}, recipe.figure.label, "act_logic"
    return plots.ponder_against_difficulty(out / "keras_adaptive_demo.png", curves, label, title)
