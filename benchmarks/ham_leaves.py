"""How far beyond their training the published networks with a memory are right.

The cards have errors with up to 128 leaves, as the paper. Here are more: examples fill more than
half of the leaves, those of networks without a controller all of them. Merging has no more than
300 different priorities, and is measured with 256 leaves alone. Networks without a controller are
also measured with twice as many leaves as operations. The examples are test examples of a seed
that no card has.

    python benchmarks/ham_leaves.py                     # all entries
    python benchmarks/ham_leaves.py ham_stack ham_sort  # these; the others stay as they are
"""

import os

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
from report import measure_entries

from keras_adaptive import zoo
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.entries import lengths
from keras_adaptive.zoo.families.ham.settings import is_raw

NAME = "ham_leaves"
ENTRIES = (
    "ham_reverse",
    "ham_search",
    "ham_merge",
    "ham_sort",
    "ham_stack",
    "ham_queue",
    "ham_priority_queue",
    # Trained on at most 32 leaves.
    "ham_merge_32",
    "ham_sort_32",
    "ham_priority_queue_32",
)
LEAVES = (256, 1024)
MOST = {"ham_merge": 300, "ham_merge_32": 300}
EXAMPLES = 200
# Numbers of operations, and of examples, with as many leaves and with twice as many.
OPERATIONS, MORE_EXAMPLES = (32, 128), 2500
SEED = 1024


def measured(name, examples):
    """The errors of an entry with each number of leaves, a list of dicts."""
    recipe, model, rows = recipes.load(name), zoo.load(name), []
    family = families.of(recipe)
    probe = family.probe(model)
    for leaves in LEAVES:
        if leaves > MOST.get(name, leaves):
            continue
        least = leaves if is_raw(recipe) else leaves // 2 + 1
        parameters = lengths.between(recipe, (least, leaves))
        results = family.measure(probe, examples, seed=SEED, parameters=parameters)
        rows.append({"leaves": leaves, "least": least, **family.summary(results)})
        print(name, rows[-1], flush=True)
    return rows


def with_room(name):
    """The errors of a network without a controller with as many leaves as operations, and twice."""
    recipe, model, rows = recipes.load(name), zoo.load(name), []
    family = families.of(recipe)
    for operations in OPERATIONS if is_raw(recipe) else ():
        for leaves in (operations, 2 * operations):
            family.set_limit(model, "leaves", leaves)
            model.compile()
            parameters = lengths.between(recipe, operations)
            results = family.measure(
                family.probe(model), MORE_EXAMPLES, seed=SEED, parameters=parameters
            )
            summary = family.summary(results)
            rows.append({"operations": operations, "leaves": leaves, **summary})
            print(name, rows[-1], flush=True)
    return rows


def both(name, examples):
    """What is written of an entry."""
    keras.backend.clear_session()
    return {"rows": measured(name, examples), "with_room": with_room(name)}


if __name__ == "__main__":
    backend = keras.backend.backend()
    measure_entries(NAME, __doc__, ENTRIES, EXAMPLES, both, backend=backend, seed=SEED)
