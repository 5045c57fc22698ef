"""Checks that the data beside the variables of a checkpoint has the right keys and types."""

import math
import types
import typing
from collections.abc import Collection, Mapping
from typing import Any

from .archive import Damaged


def check_types(
    data: Any,
    schema: Mapping[str, Any],
    name: str = "its state",
    other_types: Collection[type] = (),
) -> None:
    """Refuses data that lacks a key, or has a value of another type.

    It is for the function `check` of `checkpoints.load` and `checkpoints.latest`.

    Args:
        data: from JSON.
        schema: a dict from keys to types, unions of types, or dicts of such; a key whose type is
            `typing.NotRequired` may be missing. Numbers must be finite and not negative.
        name: of the data, for the message. Defaults to `"its state"`.
        other_types: the types of what `schema` does not name. Defaults to none.

    Raises:
        Damaged: if the data has another form; the message says where.

    Example:

    >>> check_types({"step": 3, "loss": None}, {"step": int, "loss": float | None})
    >>> check_types({"step": "3"}, {"step": int})
    Traceback (most recent call last):
        ...
    keras_adaptive.checkpoints.archive.Damaged: 'step' of its state is '3'
    """
    if not isinstance(data, dict):
        raise Damaged(f"{name} is {data!r}")
    optional = {key for key, kind in schema.items() if _is_optional(kind)}
    if missing := [key for key in schema if key not in data and key not in optional]:
        raise Damaged(f"{name} lacks {missing[0]!r}")
    for key, value in data.items():
        kind = schema.get(key)
        kind = typing.get_args(kind)[0] if key in optional else kind
        if isinstance(kind, dict):
            check_types(value, kind, key)
        elif not (_is_a(value, kind) if kind else type(value) in other_types):
            raise Damaged(f"{key!r} of {name} is {value!r}")


def _is_optional(kind):
    """Whether a key of this type may be missing."""
    return typing.get_origin(kind) is typing.NotRequired


def _is_a(value, kind):
    """Whether a value from JSON is of a type; numbers must be finite and not negative."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if type(value) in (int, float):
        exact = type(value) is int and int in kinds
        return (exact or float in kinds) and math.isfinite(value) and value >= 0
    return type(value) in kinds
