"""What the committed models answer to fixed examples, on whichever backend Keras runs."""

import functools
import os

import numpy as np
from keras import ops

from keras_adaptive import datasets
from keras_adaptive.datasets.cifar10 import cifar10
from keras_adaptive.datasets.enwik8 import enwik8
from keras_adaptive.datasets.tatoeba import tatoeba
from keras_adaptive.datasets.wikitext2 import wikitext2
from keras_adaptive.zoo import families
from keras_adaptive.zoo.entries import store
from support import enwik8_text

# Once for both tests of an entry, which takes seconds to trace.
loaded = functools.cache(store.load)


@functools.cache
def probe_of(name):
    return families.of(store.recipe(name)).probe(loaded(name))


def on_this_backend(name, text):
    """As `outputs`, in a process that does not know the first megabyte of enwik8 yet."""
    os.environ[enwik8.VARIABLE] = text
    return outputs(name)


def outputs(name):
    """The inputs of fixed examples, and the outputs (examples, any) and the steps of an entry."""
    recipe = store.recipe(name)
    inputs = examples_of(recipe)
    if recipe.family == "translation":
        found = ops.convert_to_numpy(loaded(name)(inputs, targets=translations(name)))
        return inputs, found.reshape(8, -1), None
    found = dict(probe_of(name)(inputs))
    if recipe.family == "words":
        found["outputs"] = ops.convert_to_numpy(loaded(name)(inputs))
    steps = found.get("ponder_steps")
    steps = None if steps is None else steps.reshape(8, -1)
    return inputs, found["outputs"].reshape(8, -1), steps


@functools.cache
def translations(name):
    """What a network writes that has its own weights."""
    return ops.convert_to_numpy(loaded(name).search(examples_of(store.recipe(name))).symbols)


SENTENCES = (
    *("How old are you?", "I have a cat.", "He is my brother.", "Where is the station?"),
    *("She likes music.", "It is cold today.", "We will be late.", "Can you help me?"),
)


TEXTS = (
    *("in the United States and", "at the end of the", "as a result of the", "he was able to be"),
    *("in the early 20th century", "in the middle of the", "the rest of the season"),
    "from the age of 18",
)


def examples_of(recipe):
    """Fixed inputs of a recipe; where users bring the data, squares of color, or texts."""
    rng = np.random.default_rng(11)
    # Weights that are the same at all lengths show in short inputs, too.
    lengths = {name: min(recipe.parameters[name], 8) for name in recipe.length_parameters or ()}
    parameters = {**recipe.parameters, **lengths}
    if recipe.dataset == "tatoeba":
        rows = map(tatoeba.encode, SENTENCES)
        return np.concatenate([np.pad(row, ((0, 0), (0, 12 - row.shape[1]))) for row in rows])
    if recipe.dataset == "wikitext2":
        return np.concatenate([wikitext2.encode(text) for text in TEXTS])
    if recipe.dataset == "enwik8":
        parameters = {**parameters, "size": enwik8_text.SIZE}
    if recipe.dataset == "cifar10":
        coarse = rng.integers(0, 256, (8, 8, 8, 3)).astype(np.uint8)
        return cifar10.standardized(coarse.repeat(4, axis=1).repeat(4, axis=2))
    return datasets.batch(recipe.dataset, 8, seed=11, split="test", **parameters)["inputs"]
