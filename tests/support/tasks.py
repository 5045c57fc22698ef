"""What the tests of all data sets run over. Everything follows from a task's own folder."""

import inspect
import re
from pathlib import Path

import numpy as np

from keras_adaptive import datasets

FEATURES = ("inputs", "targets", "weights", "difficulty")
# Between the forms of the steps of an example, where `describe` returns a list.
SEPARATORS = ("", " ", "+", "; ", ", ")
EXAMPLE = re.compile(r'task\.encode\("(.+?)"')
# What an option cannot be without.
NEEDS = {"largest_digit": {"base": 10}}


def variants(name):
    """Parameters of `sample` that change one thing each: the paper's, half of all sizes, options.

    An option is a share of the examples, a switch, or a number that is None by default.
    """
    defaults = {
        key: parameter.default
        for key, parameter in inspect.signature(datasets.task(name).sample).parameters.items()
        if parameter.kind == parameter.KEYWORD_ONLY
    }
    sizes = {key: max(2, x // 2) for key, x in defaults.items() if type(x) is int and x > 1}
    options = {}
    for key, default in defaults.items():
        if default is False:
            options[key] = True
        elif isinstance(default, float):
            options[key] = 0.5 if key.endswith("_share") else default + 0.05
        elif default is None and key != "probe":
            options[key] = 5
    return [{}, sizes, *({**sizes, **NEEDS.get(key, {}), key: x} for key, x in options.items())]


def path(name, file="README.md"):
    """A file in the folder of a data set."""
    return Path(inspect.getfile(datasets.task(name))).parent / file


def example_text(name):
    """The example in human form that its README shows."""
    return EXAMPLE.search(path(name).read_text(encoding="utf-8")).group(1)


def as_text(task, inputs, **parameters):
    """One example as a text for `encode`, and the inputs that this gives back."""
    forms = task.describe(inputs)
    for separator in SEPARATORS if isinstance(forms, list) else [None]:
        text = forms if separator is None else separator.join(forms)
        try:
            found = task.encode(text, **parameters)
        except ValueError:
            continue
        if task.describe(found[0]) == forms:
            return text, found[0]
    raise AssertionError(f"`encode` does not read what `describe` writes: {forms!r}")


def output_length(task, length):
    """The number of targets of an example of `length` inputs."""
    return getattr(task, "output_length", int)(length)


def rng(seed=0):
    return np.random.default_rng(seed)
