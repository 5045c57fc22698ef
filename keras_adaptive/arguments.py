"""One check for each kind of argument, which returns valid values and refuses others by name.

Every check takes the argument's name and value, and raises a `ValueError` that quotes both and says
what is allowed. NumPy's numbers are numbers; `True` and `False` are not.
"""

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn

LARGEST_INTEGER = 2**31 - 1  # of an int32, as loops count
LARGEST_NUMBER = (2 - 2**-23) * 2.0**127  # of a float32
LARGEST_SEED = 2**32 - 1


def refuse(name: str, value: Any, allowed: str) -> NoReturn:
    """Raises the `ValueError` of all checks.

    >>> refuse("units", 2.5, "an integer of at least 1")
    Traceback (most recent call last):
        ...
    ValueError: Argument `units` must be an integer of at least 1. Received: units=2.5
    """
    raise ValueError(f"Argument `{name}` must be {allowed}. Received: {name}={shown(value)}")


def shown(value: Any, most: int = 200) -> str:
    """The `repr` of a value, cut where it is long.

    >>> shown(10**5000)
    'an integer of 16610 bits'
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no integers of thousands of digits.
        return f"an integer of {value.bit_length()} bits"
    return text if len(text) <= most else f"{text[:most]}…"


def integer(
    name: str, value: Any, least: int | None = None, most: int | None = None, none: bool = False
) -> Any:
    """An integer, with both bounds among what is allowed.

    >>> integer("units", np.int64(3), least=1)
    3
    """
    if none and value is None:
        return None
    if least is None:
        allowed = "an integer" if most is None else f"an integer of at most {most}"
    elif most is None:
        allowed = f"an integer of at least {least}"
    else:
        allowed = f"an integer from {least} to {most}"
    fits = isinstance(value, Integral) and not isinstance(value, bool)
    fits = fits and (least is None or value >= least) and (most is None or value <= most)
    if fits and most is None and abs(value) > LARGEST_INTEGER:
        fits, allowed = False, f"{allowed} that an int32 can hold"
    if not fits:
        refuse(name, value, allowed + " or None" * none)
    return int(value)


def seed(name: str, value: Any) -> int | None:
    """A seed: an integer that fits into 32 bits, or None.

    >>> seed("seed", 1), seed("seed", None)
    (1, None)
    """
    return integer(name, value, 0, LARGEST_SEED, none=True)


def number(
    name: str,
    value: Any,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    none: bool = False,
) -> Any:
    """A finite number, as a float; `least` and `most` are allowed, `above` and `below` are not.

    >>> number("discount", 1, least=0, most=1)
    1.0
    >>> number("dropout", 1, least=0, below=1)
    Traceback (most recent call last):
        ...
    ValueError: Argument `dropout` must be a number in [0, 1). Received: dropout=1
    """
    if none and value is None:
        return None
    allowed = _interval(least, most, above, below)
    fits = isinstance(value, Real) and not isinstance(value, bool)
    fits = fits and abs(value) < math.inf
    if fits and abs(value) > LARGEST_NUMBER:
        fits, allowed = False, f"{allowed} that a float32 can hold"
    fits = fits and (least is None or value >= least) and (above is None or value > above)
    fits = fits and (most is None or value <= most) and (below is None or value < below)
    if not fits:
        refuse(name, value, allowed + " or None" * none)
    return float(value)


def _interval(least, most, above, below):
    low, high = (least if above is None else above), (most if below is None else below)
    if low is None and high is None:
        return "a finite number"
    if high is None:
        return f"a finite number {'of at least' if above is None else 'above'} {low:g}"
    if low is None:
        return f"a finite number {'of at most' if below is None else 'below'} {high:g}"
    ends = "[" if above is None else "(", "]" if below is None else ")"
    return f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}"


def boolean(name: str, value: Any, none: bool = False) -> Any:
    """True or False.

    >>> boolean("return_state", np.bool_(True))
    True
    """
    if none and value is None:
        return None
    # NumPy, whose booleans are `bool_` or `bool`, is not loaded for this.
    if type(value).__name__ not in ("bool", "bool_") or getattr(value, "shape", ()) != ():
        refuse(name, value, "True or False" + " or None" * none)
    return bool(value)


def choice(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """One of some words, among which may be None.

    >>> choice("baseline", None, ("learned", None))
    """
    if not (value is None or isinstance(value, str)) or value not in allowed:
        *others, last = (f'"{word}"' if isinstance(word, str) else repr(word) for word in allowed)
        refuse(name, value, f"{', '.join(others)} or {last}")
    return value


def text(name: str, value: Any, none: bool = False) -> Any:
    """A string that is not empty.

    >>> text("metric", "sequence_error")
    'sequence_error'
    """
    if none and value is None:
        return None
    if not isinstance(value, str) or not value:
        refuse(name, value, "a string that is not empty" + " or None" * none)
    return value


def path(name: str, value: Any) -> Path:
    """A path: a string that is not empty, or another path-like object.

    >>> path("folder", "runs/mine").name
    'mine'
    """
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        refuse(name, value, "a path")
    return Path(value)


def function(name: str, value: Any) -> Any:
    """What can be called.

    >>> function("sample", len)
    <built-in function len>
    """
    if not callable(value):
        refuse(name, value, "a function")
    return value


def instance(name: str, value: Any, kinds: type | tuple[type, ...], allowed: str) -> Any:
    """An object of one of some classes, which `allowed` describes.

    >>> instance("targets", {}, dict, "a dict")
    {}
    """
    if not isinstance(value, kinds):
        refuse(name, value, allowed)
    return value


def functional(kind: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Refuses the arguments of a functional model's constructor if they lack inputs or outputs.

    Args:
        kind: the name of the model's class.
        args, kwargs: of the constructor.
    """
    given = len(args) + len({"inputs", "outputs"} & kwargs.keys())
    if given < 2:
        raise ValueError(
            f"A functional model is made of inputs and outputs: `{kind}(inputs, outputs)`, in a "
            "subclass `super().__init__(inputs, outputs)`. For a model with layers and a `call` of "
            f"its own inherit from `keras.Model`. Received: {given} of both"
        )


def interpreted(name: str, value: Any, interpret: Callable[[Any], Any], allowed: str) -> Any:
    """What `interpret` makes of the value, for instance `keras.activations.get`.

    >>> interpreted("size", "3", int, "an integer")
    3
    """
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        return interpret(value)
    return refuse(name, value, allowed)


def cell(name: str, value: Any, none: bool = False) -> Any:
    """A Keras RNN cell, or, as a list, some of them.

    >>> cell("cell", "GRU")
    Traceback (most recent call last):
        ...
    ValueError: Argument `cell` must be an RNN cell with `state_size` and `call(inputs, states)`, \
or a list of cells. Received: cell='GRU'
    """
    allowed = "an RNN cell with `state_size` and `call(inputs, states)`, or a list of cells"
    allowed += " or None" * none
    if none and value is None:
        return None
    cells = value if isinstance(value, (list, tuple)) else [value]
    if not cells:
        refuse(name, value, f"{allowed}; there is none")
    for single in cells:
        if hasattr(single, "return_sequences") and hasattr(single, "cell"):
            refuse(name, value, f"{allowed}, not a layer. Pass {_cell_of(single)}")
        if isinstance(single, type) or not callable(single) or not hasattr(single, "state_size"):
            refuse(name, value, allowed)
    return value


def _cell_of(layer):
    """How to write the cell of a recurrent layer."""
    kind, size = type(layer.cell).__name__, getattr(layer.cell, "units", None)
    if size is None:
        return f"its cell, `{type(layer).__name__}(…).cell`"
    return f"`{kind}({size})` in place of `{type(layer).__name__}({size})`"


def one_tensor(name: str, value: Any) -> Any:
    """One tensor, whose rows have the same length; a NumPy array is one."""
    if not hasattr(value, "shape"):
        refuse(name, value, "one tensor")
    if hasattr(value, "row_splits"):
        refuse(name, value, "no ragged tensor: pad it by `to_tensor()`, and mask the padding")
    return value


def whole_numbers(name: str, values: Any, least: int, most: int) -> Any:
    """A NumPy array of whole numbers, with both bounds among what is allowed.

    >>> whole_numbers("path", np.array([[0, 2]]), 0, 1)
    Traceback (most recent call last):
        ...
    ValueError: Argument `path` must be whole numbers from 0 to 1. Received: path=[2]
    """
    wrong = values[(values < least) | (values > most) | (values % 1 != 0)]
    if len(wrong):
        refuse(name, wrong.tolist(), f"whole numbers from {least} to {most}")
    return values


def mask_of(mask: Any, inputs: Any, name: str = "mask", of: str = "inputs'") -> Any:
    """A mask, if it has as many rows and positions as the inputs, as far as shapes tell; or None.

    >>> mask_of(np.ones((2, 3)), np.ones((2, 4, 5)))
    Traceback (most recent call last):
        ...
    ValueError: Argument `mask` must have the shape (2, 4) of the inputs' positions. Received: \
mask of shape (2, 3)
    """
    if mask is None:
        return None
    received, wanted = mask.shape, inputs.shape[:2]
    fits = all(None in pair or pair[0] == pair[1] for pair in zip(received, wanted))
    if len(received) != 2 or not fits:
        raise ValueError(
            f"Argument `{name}` must have the shape {tuple(wanted)} of the {of} positions. "
            f"Received: {name} of shape {tuple(received)}"
        )
    return mask


def targets(name: str, value: Any) -> Any:
    """Targets of a model that cannot be trained or evaluated without.

    >>> targets("y", None)
    Traceback (most recent call last):
        ...
    ValueError: Argument `y` must be one tensor of targets. Received: y=None
    """
    if getattr(value, "shape", None) is None:
        refuse(name, value, "one tensor of targets")
    return value


def targets_of(targets: Any, rank: int) -> Any:
    """Targets of a rank; a further last axis of size 1 is taken off.

    >>> targets_of(np.ones((2, 3, 1)), 2).shape
    (2, 3)
    >>> targets_of(np.ones(2), 2)
    Traceback (most recent call last):
        ...
    ValueError: Argument `targets` must have 2 axes, one fewer than the predictions. Received: \
targets of shape (2,)
    """
    shape = tuple(targets.shape)
    if len(shape) == rank + 1 and shape[-1] == 1:
        return targets[..., 0]
    if len(shape) != rank:
        raise ValueError(
            f"Argument `targets` must have {rank} axes, one fewer than the predictions. "
            f"Received: targets of shape {shape}"
        )
    return targets
