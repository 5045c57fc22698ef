"""The first command of a newcomer: pretrained models answer, a small one is trained and plotted.

The answers come from NumPy, so that they appear before Keras is loaded.
"""

from pathlib import Path

from .. import datasets
from . import families
from .entries import store
from .words import truncated

# What is asked of each pretrained model, in words.
MODELS = {
    "act_addition": "the running sum of decimal numbers",
    "act_logic": "gates, applied one after the other to two bits",
    "act_parity": "whether the number of ones is odd",
}
# Examples of each model, and inputs of each example.
SHOWN, LINES = 3, 4
INPUT_WIDTH = 40


def demo(out=".", examples=1000, steps_scale=1.0, show=None):
    """Let the pretrained models answer, train a small network with and without ACT, draw ponder.

    Args:
        out: the folder for the picture.
        examples: fresh examples for each pretrained model, five times as many for the small ones.
        steps_scale: factor on the steps of the training.
        show: called with each part of the text as soon as there is something to read.

    Returns:
        A dict: `trained`, the test errors of the two small networks; `models`, what was measured
        of the pretrained ones; `picture`, its file; and `text`, everything as text.

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

    names = [name for name in MODELS if name in store.names()]
    shown = {name: answered(name, tell) for name in names}
    # Here Keras is loaded, which takes seconds.
    from . import demo_networks as networks

    models = {}
    for name in names:
        models[name] = {**networks.measure(name, examples), "shown": shown[name]}
        tell(measured(name, models[name]))
    trained = networks.train_small(networks.small_recipe(steps_scale), examples)
    tell(networks.compared(trained))
    picture = networks.draw(out, trained, examples)
    tell(f"\nPonder and error against difficulty: {picture}")
    for variant in ("act", "plain"):
        trained[variant].pop("rows")
    return {
        "trained": trained,
        "models": models,
        "picture": str(picture),
        "text": "\n".join(parts),
    }


def answered(name, tell):
    """What a pretrained model answers to a few examples, which `tell` shows."""
    recipe = store.recipe(name)
    probe, family = families.without_keras(recipe, store.entry(name))
    task = datasets.task(recipe.dataset)
    fresh = datasets.batch(recipe.dataset, SHOWN, seed=2, split="test", **recipe.parameters)
    tell(f"{name}: {MODELS[name]}")
    answers = []
    for inputs, difficulty in zip(fresh["inputs"], fresh["difficulty"], strict=True):
        real = inputs[difficulty > 0]
        if len(real) > 1 or not hasattr(task, "asked"):
            answers.append(family.of_inputs(recipe, probe, real[None]))
            tell(in_lines(answers[-1]))
    # An answer of several lines ends with an empty one already.
    if len(answers[-1]["answers"]) == 1:
        tell("")
    return answers


def measured(name, numbers):
    """The results of a pretrained model in a line."""
    return (
        f"{name}: {numbers['sequence_error']:.2%} wrong of {numbers['examples']} fresh examples, "
        f"{numbers['ponder_steps']:.1f} steps for each input"
    )


def in_lines(answered):
    """The answers of a model to the inputs of an example, a line each."""
    rows = list(zip(answered["inputs"], answered["answers"], answered["ponder_steps"], strict=True))
    lines = [
        f"  {truncated(given, INPUT_WIDTH)}  →  {answer or '–'}   ({steps} steps)"
        for given, answer, steps in rows[:LINES]
    ]
    if len(rows) > LINES:
        lines.append(f"  … and {len(rows) - LINES} more")
    return "\n".join([*lines, ""] if len(rows) > 1 else lines)
