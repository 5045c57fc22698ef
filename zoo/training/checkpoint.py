"""The checkpoints of a recipe's training: settings, position and history beside the variables."""

import dataclasses
import os
import types
import typing
from pathlib import Path
from typing import Any

from ... import checkpoints
from ...checkpoints.archive import NAME, PREVIOUS
from ...checkpoints.schema import check_types

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

    @property
    def trained_stage(self) -> int:
        """The stage of the last step, or the first one."""
        return self.stage if self.done or self.stage_step else max(self.stage - 1, 0)


# The keys of a training's state, and their types.
STATE = {
    "settings": {
        "recipe": str,
        "variant": str | None,
        "overrides": dict | None,
        "steps_scale": float | None,
        "seed": int | None,
        # Those that came later than the format.
        "precision": typing.NotRequired[str],
        "weights": typing.NotRequired[dict],
        "symbols": typing.NotRequired[list],
    },
    "position": typing.get_type_hints(Position),
    "history": list,
    "keras": str,
    "backend": str,
    # Later than the format.
    "accelerator": typing.NotRequired[str | None],
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
    check_types(state, STATE)
    for row in state["history"]:
        check_types(row, ROW, "a row of the history", (int, float, types.NoneType))
