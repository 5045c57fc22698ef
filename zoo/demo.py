"""The demonstration: pretrained models answer, and a small network is trained and plotted.

The answers come from NumPy, so that they appear before Keras is loaded.
"""

from pathlib import Path

from .. import datasets
from ..formatting import truncated
from . import families
from .entries import store

# The task of each pretrained model, in words.
MODELS = {
    "act_addition": "the running sum of decimal numbers",
    "act_logic": "gates, applied one after the other to two bits",
    "act_parity": "whether the number of ones is odd",
}
# Examples shown of each model, and lines of each example.
SHOWN, LINES = 3, 4
INPUT_WIDTH = 40


def demo(out=".", examples=1000, show=None):
    """Let the pretrained models answer, train a small network with and without ACT, draw ponder.

    Args:
        out: the folder for the picture.
        examples: fresh examples for each pretrained model, five times as many for the small ones.
        show: called with each part of the text as soon as it is written.

    Returns:
        A dict: `trained`, the test errors of the two small networks; `models`, the measurements of
        the pretrained models; `picture`, the path of the picture; and `text`, all of it as text.

    Raises:
        OSError: the picture cannot be written.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parts = []

    def write(text):
        parts.append(text)
        if show is not None:
            show(text)

    names = [name for name in MODELS if name in store.names()]
    shown = {name: answered(name, write) for name in names}
    # Here Keras is loaded, which takes seconds.
    from . import demo_networks as networks

    models = {}
    for name in names:
        models[name] = {**networks.measure(name, examples), "shown": shown[name]}
        write(summary_of(name, models[name]))
    trained = networks.train_small(networks.small_recipe(), examples)
    write(networks.compared(trained))
    picture = networks.draw(out, trained, examples)
    write(f"\nPonder and error against difficulty: {picture}")
    for variant in ("act", "plain"):
        trained[variant].pop("rows")
    return {
        "trained": trained,
        "models": models,
        "picture": str(picture),
        "text": "\n".join(parts),
    }


def answered(name, write):
    """The answers of a pretrained model to a few examples, which `write` prints."""
    recipe = store.recipe(name)
    probe, family = families.without_keras(recipe, store.entry(name))
    task = datasets.task(recipe.dataset)
    fresh = datasets.batch(recipe.dataset, SHOWN, seed=2, split="test", **recipe.parameters)
    write(f"{name}: {MODELS[name]}")
    answers = []
    for inputs, difficulty in zip(fresh["inputs"], fresh["difficulty"], strict=True):
        used = inputs[difficulty > 0]
        if len(used) > 1 or not hasattr(task, "asked"):
            answers.append(family.of_inputs(recipe, probe, used[None]))
            write(in_lines(answers[-1]))
    # An answer of several lines already ends with an empty line.
    if len(answers[-1]["answers"]) == 1:
        write("")
    return answers


def summary_of(name, numbers):
    """The results of a pretrained model in a line."""
    return (
        f"{name}: {numbers['sequence_error']:.2%} wrong of {numbers['examples']} fresh examples, "
        f"{numbers['ponder_steps']:.1f} steps per input"
    )


def in_lines(answered):
    """The answers of a model to the inputs of an example, a line each."""
    rows = list(zip(answered["inputs"], answered["answers"], answered["ponder_steps"], strict=True))
    lines = [
        f"  {truncated(question, INPUT_WIDTH)}  →  {answer or '–'}   ({steps} steps)"
        for question, answer, steps in rows[:LINES]
    ]
    if len(rows) > LINES:
        lines.append(f"  … and {len(rows) - LINES} more")
    return "\n".join([*lines, ""] if len(rows) > 1 else lines)
