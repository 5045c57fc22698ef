"""How far beyond their training the published Neural GPUs are right with sharper gates.

What goes into the gates of each network (of the stack RNN: into the actions on its stacks) is
multiplied by several numbers (`gate_sharpness`, `action_sharpness`), and it answers validation
examples that are many times longer than those of its training. Test examples are not looked at.
The recipes' own numbers were chosen by such examples before.

    python benchmarks/neural_gpu_sharpness.py                      # all entries
    python benchmarks/neural_gpu_sharpness.py neural_gpu_addition  # the others stay as they are
"""

import argparse
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
from report import read, write

from keras_adaptive import zoo
from keras_adaptive.zoo import families, recipes

NAME = "neural_gpu_sharpness"
# Lengths in digits of a number, or in positions.
LENGTHS = {
    "neural_gpu_addition": (200, 1000),
    "neural_gpu_addition_paper": (100,),
    "neural_gpu_addition_stack_rnn": (100, 200),
    "neural_gpu_duplicate": (401, 1201),
    "neural_gpu_sort_bits": (401, 1201),
}
SHARPNESSES = (1.0, 1.1, 1.25, 1.5, 2.0)
EXAMPLES = 50


def setting(recipe):
    """The name of the setting that makes the recipe's network sharper."""
    known = "action_sharpness" in recipe.hyperparameters
    return "action_sharpness" if known else "gate_sharpness"


def sharpened(model, recipe, sharpness):
    """The network with gates or actions multiplied by this, ready for `predict`."""
    hyperparameters = {**recipe.hyperparameters, setting(recipe): sharpness}
    changed = recipe.replace(hyperparameters=hyperparameters)
    copy = families.of(changed).build()
    copy.set_weights(model.get_weights())
    copy.compile()
    return copy


def measured(name, examples):
    """The errors of an entry at its lengths with each sharpness."""
    recipe, model, rows = recipes.load(name), zoo.load(name), []
    for sharpness in SHARPNESSES:
        family = families.of(recipe)
        probe = family.probe(sharpened(model, recipe, sharpness))
        for length in LENGTHS[name]:
            parameters = dict.fromkeys(recipe.length_parameters, length)
            kinds = {"split": "validation", "seed": 1, "parameters": parameters}
            numbers = family.summary(family.measure(probe, examples, **kinds))
            rows.append({"sharpness": sharpness, "length": length, **numbers})
            print(name, rows[-1], flush=True)
        keras.backend.clear_session()
    own = recipe.hyperparameters.get(setting(recipe), 1.0)
    return {"entry": name, "unit": recipe.length_parameters[1], "sharpness": own, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help="default: all")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="of each measurement")
    options = parser.parse_args()
    if unknown := set(options.entries) - set(LENGTHS):
        parser.error(f"unknown entries: {', '.join(sorted(unknown))}; known: {', '.join(LENGTHS)}")
    found = {entry["entry"]: entry for entry in read(NAME).get("entries", ())}
    for name in options.entries or LENGTHS:
        found[name] = measured(name, options.examples)
        entries = [found[known] for known in LENGTHS if known in found]
        write(NAME, [], backend=keras.backend.backend(), entries=entries)


if __name__ == "__main__":
    main()
