"""The state of a training in one file: weights, optimizer, position, and settings.

The file is an `.npz` archive whose comment is the SHA-256 of all bytes before it, so that any
damage is noticed. When it is written, the one before it stays beside it, and is what a training
goes on from if the last one turns out to be damaged.
"""

import dataclasses
import hashlib
import io
import itertools
import json
import math
import os
import struct
import types
import typing
import zipfile
from pathlib import Path

import numpy as np

from .files import write_whole

NAME = "checkpoint.npz"
PREVIOUS = "checkpoint.previous.npz"
FORMAT = 2
# Files of format 1 have no SHA-256, but only the checksums of their archive.
FORMATS = (1, FORMAT)
MARK = b"sha256:"
NO_COMMENT = struct.pack("<H", 0)


class Damaged(ValueError):
    """The file of a checkpoint is not what was written."""


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


# What the state of a training has, and the types of it.
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


@dataclasses.dataclass
class Checkpoint:
    """What a file holds.

    Attributes:
        path: of the file.
        state: as `save` was given it.
        arrays: a dict from names to values of variables.
        instead: why it is not the last one, or None if it is.
    """

    path: Path
    state: dict
    arrays: dict
    instead: str | None = None


def begun(folder):
    """Whether there is a checkpoint in `folder`, whole or not."""
    return any((Path(folder) / name).exists() for name in (NAME, PREVIOUS))


def variables(model):
    """All variables that a resumed training needs, with names: weights, seeds, optimizer."""
    passing = {id(variable) for variable in model.metrics_variables}
    kept = [variable for variable in model.variables if id(variable) not in passing]
    named = {f"model/{i}/{variable.path}": variable for i, variable in enumerate(kept)}
    model.optimizer.build(model.trainable_variables)
    for i, variable in enumerate(model.optimizer.variables):
        named[f"optimizer/{i}/{variable.path}"] = variable
    return named


def not_finite(model):
    """The name of a variable that a resumed training needs and that is not finite, or None."""
    return first_not_finite({k: np.asarray(v) for k, v in variables(model).items()})


def first_not_finite(arrays):
    """The name of the first array with a value that is not finite, or None."""
    for name, array in arrays.items():
        if array.dtype.kind not in "biu" and not np.isfinite(array).all():
            return "/".join(name.replace("|", "/").split("/")[2:]) or name
    return None


def save(path, model, state):
    """Write the checkpoint of a compiled model, whole, and keep the one before it.

    Args:
        path: the file.
        model: a compiled `keras.Model`.
        state: plain data for JSON, as in `STATE`.

    Raises:
        FloatingPointError: a variable is not finite; the old file is as it was.
        OSError: the file cannot be written; the old one is as it was.
    """
    path = Path(path)
    arrays = {name: np.asarray(variable) for name, variable in variables(model).items()}
    if name := first_not_finite(arrays):
        raise FloatingPointError(
            f"the variable {name} is not finite, so nothing was saved; the last good checkpoint "
            f"is kept: {path}"
        )
    buffer = io.BytesIO()
    text = json.dumps({"format": FORMAT, **state})
    np.savez(buffer, state=np.array(text), **{k.replace("/", "|"): v for k, v in arrays.items()})
    write_whole(path, signed(buffer.getvalue()), before=path.with_name(PREVIOUS))


def signed(archive):
    """The bytes of a zip archive without a comment, with their digest as its comment."""
    size = len(MARK) + 2 * hashlib.sha256().digest_size
    body = archive.removesuffix(NO_COMMENT) + struct.pack("<H", size)
    return body + MARK + hashlib.sha256(body).hexdigest().encode()


def is_signed(content):
    """Whether bytes end with their digest."""
    body, _, digest = content.rpartition(MARK)
    return digest == hashlib.sha256(body).hexdigest().encode()


def load(path):
    """The checkpoint in a file.

    Raises:
        FileNotFoundError: there is none.
        Damaged: the file is not what was written.
        ValueError: it is of a format that this version does not know.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
    if not path.is_file():
        raise Damaged("it is no file")
    content = path.read_bytes()
    try:
        state, arrays = parsed(content)
    except Exception as error:
        text = " ".join(str(error).split())[:200] or type(error).__name__
        raise Damaged(text) from error
    if not isinstance(state, dict):
        raise Damaged(f"its state is {state!r}")
    version = state.pop("format", None)
    if version != 1 and not is_signed(content):
        raise Damaged("its SHA-256 is not the one that was written")
    if version not in FORMATS:
        known = " and ".join(map(str, FORMATS))
        raise ValueError(f"{path} has the format {version!r}; this version reads {known}")
    check(state, STATE)
    for row in state["history"]:
        check(row, ROW, "a row of the history", others=(int, float, types.NoneType))
    if name := first_not_finite(arrays):
        raise Damaged(f"the variable {name} is not finite")
    return Checkpoint(path, state, arrays)


def parsed(content):
    """State and arrays of an archive whose checksums are right."""
    if not content:
        raise ValueError("it is empty")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        bad = archive.testzip()
        names = archive.namelist()
    if bad or len(set(names)) < len(names):
        raise ValueError(f"{bad or 'a member'} of the archive is not as it was written")
    if "state.npy" not in names:
        raise ValueError("it lacks the state")
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{name} is no array")
    return json.loads(str(arrays.pop("state"))), arrays


def check(found, wanted, name="its state", others=()):
    """Refuse data that lacks a key, or has a value of another type.

    Args:
        found: data from JSON.
        wanted: a dict from keys to types, or to dicts of such.
        name: of the data, for the message.
        others: the types of what `wanted` does not name.
    """
    if not isinstance(found, dict):
        raise Damaged(f"{name} is {found!r}")
    if missing := [key for key in wanted if key not in found]:
        raise Damaged(f"{name} lacks {missing[0]!r}")
    for key, value in found.items():
        kind = wanted.get(key)
        if isinstance(kind, dict):
            check(value, kind, key)
        elif not (is_a(value, kind) if kind else type(value) in others):
            raise Damaged(f"{key!r} of {name} is {value!r}")


def is_a(value, kind):
    """Whether a value from JSON is of a type; numbers must be finite and not negative."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if type(value) in (int, float):
        whole = type(value) is int and int in kinds
        return (whole or float in kinds) and math.isfinite(value) and value >= 0
    return type(value) in kinds


def read(path):
    """The state in a file, as in `load`."""
    return load(path).state


def latest(folder):
    """The last checkpoint in a folder, or the one before it where the last is damaged.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: both are damaged, or of a format that this version does not know.
    """
    path, previous = Path(folder) / NAME, Path(folder) / PREVIOUS
    if not begun(folder):
        raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
    try:
        return load(path)
    except FileNotFoundError:
        reason = f"the checkpoint {path} is missing"
    except Damaged as error:
        reason = f"the checkpoint {path} is damaged: {error}"
    try:
        return dataclasses.replace(load(previous), instead=reason)
    except FileNotFoundError:
        also = "there is none before it"
    except Damaged as error:
        also = f"the one before it, {previous}, is damaged too: {error}"
    raise ValueError(f"{reason}; {also}. Train again into another folder, or put a copy of it back")


def set_aside(folder):
    """Move the last checkpoint of a folder, which is damaged, out of the way, if it is there."""
    path = Path(folder) / NAME
    if path.exists():
        aside = (path.with_name(f"{NAME}.damaged{n or ''}") for n in itertools.count())
        os.replace(path, next(free for free in aside if not free.exists()))


def restore(checkpoint, model):
    """Set the variables of a compiled model from a `Checkpoint`.

    Raises:
        ValueError: the checkpoint is of another network.
    """
    # Keras numbers the names of layers in a process, so the place decides, and the shape.
    kept = {identity(name): array for name, array in checkpoint.arrays.items()}
    wanted = {identity(name): variable for name, variable in variables(model).items()}
    refused = f"the checkpoint {checkpoint.path} does not fit the network:"
    if extra := sorted(set(kept) - set(wanted)):
        raise ValueError(f"{refused} the network has no variable {'/'.join(extra[0])}")
    for place, variable in wanted.items():
        array = kept.get(place)
        if array is None or array.shape != tuple(variable.shape) or not alike(array, variable):
            raise ValueError(
                f"{refused} {variable.path} of shape {tuple(variable.shape)} is not in it"
            )
    for place, variable in wanted.items():
        variable.assign(kept[place])


def alike(array, variable):
    """Whether both are whole numbers, or neither; a backend has its own sizes of them."""
    return (array.dtype.kind in "iu") == ("int" in str(variable.dtype))


def identity(name):
    """`("model", "3")` of `"model/3/act/lstm_cell_1/kernel"`."""
    return tuple(name.replace("|", "/").split("/")[:2])
