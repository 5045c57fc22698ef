"""The search space over a recipe's settings: lists of values, and ranges."""

import dataclasses
import itertools
import json
import math
from collections.abc import Iterable, Mapping

from ..settings import plain

METHODS = ("grid", "random", "bayesian", "hyperband")
DEFAULT_METHOD = "random"

# Graves (2016), section 3: i × 10^-j with i from 1 to 10 and j from 1 to 4.
TIME_PENALTIES = tuple(sorted({float(f"{i}e-{j}") for i in range(1, 11) for j in range(1, 5)}))


@dataclasses.dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, integers if both are; sampled on a logarithmic scale if
    `low` is positive.

    Raises:
        ValueError: `low` is not below `high`, or one of them is not finite.
    """

    low: float
    high: float

    def __post_init__(self):
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"a range must have low < high. Received: {self}")

    def __str__(self):
        return f"{self.low}:{self.high}"

    @property
    def is_integer(self):
        """Whether all values are integers."""
        return isinstance(self.low, int) and isinstance(self.high, int)


def read(text):
    """The values of a text, as in `--over NAME=…` of the command line.

    Args:
        text: `"low:high"`, a range, or values separated by commas, each JSON or a word.

    Returns:
        A `Range`, or a tuple.

    Raises:
        ValueError: the text is neither.

    Example:

    >>> read("1e-4:1e-1"), read("8,16,none")
    (Range(low=0.0001, high=0.1), (8, 16, 'none'))
    """
    low, colon, high = text.partition(":")
    if colon:
        try:
            ends = [json.loads(low), json.loads(high)]
        except ValueError:
            ends = []
        if len(ends) != 2 or not all(type(end) in (int, float) for end in ends):
            raise ValueError(f"expected low:high with two numbers, received {text!r}")
        return Range(*ends)
    if not text or text != text.strip(","):
        raise ValueError(f"expected low:high, or values separated by commas, received {text!r}")
    try:
        return tuple(json.loads(f"[{text}]"))
    except ValueError:
        return tuple(map(word, text.split(",")))


def word(text):
    """A value of a list that is not JSON as a list."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def space_of(recipe, over=None, method="random", **shared):
    """The values that a search tries for each setting.

    Args:
        recipe: a `Recipe`.
        over: a mapping from settings, as in `Recipe.with_overrides`, to a list of values, to a
            text as in `read`, or to None for the values that the recipe declares in `search`. A
            name may lack its stage (`time_penalty` for `stages.1.time_penalty`) where the recipe
            declares it with one, and `tau` is `time_penalty`. By default all that it declares.
        method: one of `METHODS`. Of a range a grid has the values that the recipe declares.
        **shared: what all trainings have: `variant`, `overrides` and `steps_scale`, as in
            `Recipe.configured`.

    Returns:
        A dict from settings to a tuple of values, or a `Range`.

    Raises:
        ValueError: an unknown method or setting, an invalid value or values that contradict each
            other, an empty space, or a setting that all trainings have.

    Example:

    >>> from keras_adaptive.zoo import recipes
    >>> space_of(recipes.load("act_sort"), {"tau": "1e-4:5e-4"}, "grid")
    {'time_penalty': (0.0001, 0.0002, 0.0003, 0.0004, 0.0005)}
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}. Received: {method!r}")
    if over is None:
        over = dict.fromkeys(recipe.search)
    if not over:
        raise ValueError(f"{recipe.name} declares nothing to search over; name settings in `over`")
    if not isinstance(over, Mapping):
        raise ValueError(f"over must map settings to values. Received: {over!r}")
    space = {}
    for name, values in over.items():
        name = full_name(recipe, name)
        if name in space:
            raise ValueError(f"over has {name} twice")
        space[name] = values_for(recipe, name, values, method)
    check_space(recipe, space, shared)
    return space


def check_space(recipe, space, shared):
    """Refuse settings that do not go together, or not with what all trainings have."""
    if "seed" in space:
        raise ValueError("over: each training of a trial has a seed of its own, see `seeds`")
    overrides = shared.get("overrides") or {}
    for name in overrides:
        if full_name(recipe, name) in space:
            raise ValueError(f"{name} is both set and searched over: give one of the two")
    recipe.configured(**shared)
    for tried in combinations(space):
        try:
            recipe.configured(**{**shared, "overrides": {**overrides, **tried}})
        except (TypeError, ValueError) as error:
            values = ", ".join(f"{name}={value!r}" for name, value in tried.items())
            raise ValueError(f"over: {values}: {error}") from error


def combinations(space):
    """Settings that a search may try, among which are those that contradict each other, if any.

    They are each value of a setting, and the least and largest ones of every two; the other
    settings have their first value.

    Example:

    >>> [tuple(tried.values()) for tried in combinations({"units": (8, 16), "bits": Range(2, 9)})]
    [(8, 2), (16, 2), (8, 2), (8, 9), (8, 2), (8, 9), (16, 2), (16, 9)]
    """
    values = {name: (v.low, v.high) if isinstance(v, Range) else v for name, v in space.items()}
    first = {name: tried[0] for name, tried in values.items()}
    for name, tried in values.items():
        yield from ({**first, name: value} for value in tried)
    for pair in itertools.combinations(values, 2):
        for ends in itertools.product(*(_ends(values[name]) for name in pair)):
            yield {**first, **dict(zip(pair, ends, strict=True))}


def _ends(values):
    """The least and the largest of some numbers; of other values all."""
    are_numbers = all(type(value) in (int, float) for value in values)
    return (min(values), max(values)) if are_numbers else values


def full_name(recipe, name):
    """The full name of a setting, with its stage if the recipe declares it so."""
    name = recipe.full_name(name)
    longer = [declared for declared in recipe.search if declared.endswith(f".{name}")]
    if name not in recipe.search and len(longer) == 1:
        name = longer[0]
    return name


def values_for(recipe, name, values, method):
    """The values to try for one setting, checked against the recipe."""
    declared = tuple(recipe.search.get(name, ()))
    values = read(values) if isinstance(values, str) else values
    values = declared if values is None else values
    if isinstance(values, Range) and method == "grid":
        values = tuple(value for value in declared if values.low <= value <= values.high)
    ends = values
    if isinstance(values, Range):
        if values.is_integer and _takes(recipe, name, values.low + 0.5):
            values = Range(float(values.low), float(values.high))
        ends = (values.low, values.high)
    elif isinstance(values, Iterable):
        ends = values = tuple(plain(list(values)))
    else:
        raise ValueError(f"over: {name} must have a list of values. Received: {values!r}")
    if not ends:
        raise ValueError(
            f"over: there is no value of {name} to try. {recipe.name} declares "
            f"{', '.join(map(str, declared)) or 'none'}; others are given as a list"
        )
    if any(value in ends[:place] for place, value in enumerate(ends)):
        raise ValueError(f"over: {name} has a value twice. Received: {ends}")
    for value in ends:
        try:
            recipe.check_setting(name, value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"over: {name}={value!r}: {error}") from error
    return values


def _takes(recipe, name, value):
    """Whether a setting may have a value, whatever the others are."""
    try:
        recipe.check_setting(name, value)
    except (TypeError, ValueError):
        return False
    return True


def to_json(space):
    """A space as plain data: lists of values, and texts for ranges."""
    return {k: str(v) if isinstance(v, Range) else list(v) for k, v in space.items()}


def space_in(settings):
    """The space of a search, from its settings."""
    space = settings["space"].items()
    return {name: read(v) if isinstance(v, str) else tuple(v) for name, v in space}
