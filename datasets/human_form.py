"""Examples in human form for readers of a page: code that encodes them, and what it gives."""

import inspect
import json
from collections.abc import Mapping
from typing import Any

from . import catalogue
from .stream import batch


def call(name: str, text: str, parameters: Mapping[str, Any]) -> str:
    """The call of a task's `encode` in Python, with the parameters that are not its defaults.

    Args:
        name: of the data set.
        text: the example.
        parameters: of the data set; others than those of `encode` are left out.

    >>> call("act_parity", "+-0+", {"bits": 8, "placement": "random"})
    'task.encode("+-0+", bits=8)'
    """
    taken = inspect.signature(catalogue.task(name).encode).parameters
    given = [
        f", {word}={value!r}"
        for word, value in sorted(parameters.items())
        if word in taken and value != taken[word].default
    ]
    return f"task.encode({json.dumps(text)}{''.join(given)})"


def fitting(name: str, text: str, parameters: Mapping[str, Any]) -> str:
    """The example `text`, or if the data have no room for it, one of their own.

    Args:
        name: of the data set.
        text: the example.
        parameters: of the data set.

    >>> fitting("act_parity", "+-0+", {"bits": 8}), len(fitting("act_parity", "+-0+", {"bits": 2}))
    ('+-0+', 2)
    """
    task = catalogue.task(name)
    try:
        task.encode(text, **parameters)
    except ValueError:
        drawn = batch(name, 1, split="test", **parameters)["inputs"][0]
        return " ".join(task.describe(drawn))
    return text


def layout(name: str, text: str, parameters: Mapping[str, Any]) -> str:
    """What the numbers of inputs and answers stand for, with an example.

    Args:
        name: of the data set.
        text: the example.
        parameters: of the data set.

    Returns:
        A paragraph; empty for a task that does not say it.

    >>> layout("neural_gpu_reverse", "0011", {}).partition("after them. ")[2]
    '`0011` is `[1, 1, 2, 2]`, and its answer `[2, 2, 1, 1]`.'
    """
    task = catalogue.task(name)
    if not hasattr(task, "layout"):
        return ""
    inputs = task.encode(text, **parameters)
    if inputs.ndim == 2:
        answer = task.answers(inputs)[0].tolist()
        shown = f"is `{inputs[0].tolist()}`, and its answer `{answer}`"
    else:
        first, last = (", ".join(f"{x:g}" for x in inputs[0, place]) for place in (0, -1))
        shown = f"begins with `[{first}]` and ends with `[{last}]`"
    return f"{task.layout(**parameters)} `{text}` {shown}."
