"""How far beyond their training the published Neural GPUs are right with sharper gates.

What goes into the gates of each network (of the stack RNN: into the actions on its stacks) is
multiplied by several numbers (`gate_sharpness`, `action_sharpness`), and it answers validation
examples that are many times longer than those of its training. Test examples are not looked at.
The recipes' own numbers were chosen by such examples before.

    python benchmarks/neural_gpu_sharpness.py                      # all entries
    python benchmarks/neural_gpu_sharpness.py neural_gpu_addition  # the others stay as they are
"""

import os

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
from report import measure_entries

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
    return {"unit": recipe.length_parameters[1], "sharpness": own, "rows": rows}


if __name__ == "__main__":
    backend = keras.backend.backend()
    measure_entries(NAME, __doc__, tuple(LENGTHS), EXAMPLES, measured, backend=backend)
