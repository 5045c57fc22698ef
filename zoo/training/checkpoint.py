"""The checkpoints of a recipe's training: settings, position and history beside the variables."""

import dataclasses
import math
import os
import types
import typing
from pathlib import Path
from typing import Any

from ... import checkpoints
from ...checkpoints.archive import NAME, PREVIOUS

__all__ = ["NAME", "PREVIOUS", "Position", "latest", "load"]


@dataclasses.dataclass
class Position:
    """Where a training is: everything beside the variables."""

    step: int = 0
    stage: int = 0
    stage_step: int = 0
    level: int | None = None
    seconds: float = 0.0
    validated: int = 0
    done: bool = False


# The keys of a training's state, and their types.
STATE = {
    "settings": {
        "recipe": str,
        "variant": str | None,
        "overrides": dict | None,
        "steps_scale": float | None,
        "seed": int | None,
    },
    "position": typing.get_type_hints(Position),
    "history": list,
    "keras": str,
    "backend": str,
}
ROW = {"step": int, "stage": int}


def load(path: str | os.PathLike) -> checkpoints.Saved:
    """The checkpoint of a training in a file, as `checkpoints.load` reads it."""
    return checkpoints.load(path, _check_state)


def latest(folder: str | os.PathLike) -> checkpoints.Saved:
    """The last checkpoint of a training in a folder, as `checkpoints.latest` reads it."""
    return checkpoints.latest(Path(folder), _check_state)


def _check_state(state: dict[str, Any]) -> None:
    """Refuses a state that is not that of a training."""
    _check(state, STATE)
    for row in state["history"]:
        _check(row, ROW, "a row of the history", others=(int, float, types.NoneType))


def _check(data, schema, name="its state", others=()):
    """Refuses data that lacks a key, or has a value of another type.

    Args:
        data: from JSON.
        schema: a dict from keys to types, or to dicts of such.
        name: of the data, for the message.
        others: the types of what `schema` does not name.
    """
    if not isinstance(data, dict):
        raise checkpoints.Damaged(f"{name} is {data!r}")
    if missing := [key for key in schema if key not in data]:
        raise checkpoints.Damaged(f"{name} lacks {missing[0]!r}")
    for key, value in data.items():
        kind = schema.get(key)
        if isinstance(kind, dict):
            _check(value, kind, key)
        elif not (_is_a(value, kind) if kind else type(value) in others):
            raise checkpoints.Damaged(f"{key!r} of {name} is {value!r}")


def _is_a(value, kind):
    """Whether a value from JSON is of a type; numbers must be finite and not negative."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if type(value) in (int, float):
        exact = type(value) is int and int in kinds
        return (exact or float in kinds) and math.isfinite(value) and value >= 0
    return type(value) in kinds
