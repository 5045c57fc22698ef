"""The file of a checkpoint: what it holds, how it is checked, and how a model gets it back."""

import dataclasses
import hashlib
import io
import itertools
import json
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import arguments
from .files import write_file

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
class Saved:
    """What the file of a checkpoint holds.

    Attributes:
        path: of the file.
        state: a dict, as `save` was given it.
        arrays: a dict from names to values of variables.
        instead: why this is not the last checkpoint of its folder; None if it is.
    """

    path: Path
    state: dict[str, Any]
    arrays: dict[str, np.ndarray]
    instead: str | None = None


def exists(folder: str | os.PathLike) -> bool:
    """Whether there is a checkpoint in a folder, damaged or not."""
    folder = arguments.path("folder", folder)
    return any((folder / name).exists() for name in (NAME, PREVIOUS))


def variables(model: Any) -> dict[str, Any]:
    """All variables that a resumed training needs, by names: weights, seeds, optimizer."""
    if getattr(model, "optimizer", None) is None:
        arguments.refuse("model", model, "a compiled Keras model")
    of_metrics = {id(variable) for variable in model.metrics_variables}
    kept = [variable for variable in model.variables if id(variable) not in of_metrics]
    named = {f"model/{i}/{variable.path}": variable for i, variable in enumerate(kept)}
    # Built again, a LossScaleOptimizer would make its variables anew.
    if not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)
    for i, variable in enumerate(model.optimizer.variables):
        named[f"optimizer/{i}/{variable.path}"] = variable
    return named


def not_finite(model: Any) -> str | None:
    """The name of a variable of a compiled model or its optimizer that is not finite, or None.

    Example:

    >>> import keras
    >>> last = keras.layers.Dense(1, bias_initializer="zeros", name="last")
    >>> model = keras.Sequential([keras.Input((2,)), last], name="net")
    >>> model.compile("adam", "mse")
    >>> not_finite(model)
    >>> last.set_weights([np.ones((2, 1)), np.full(1, np.nan)])
    >>> not_finite(model)
    'net/last/bias'
    """
    return _first_not_finite({k: np.asarray(v) for k, v in variables(model).items()})


def _first_not_finite(arrays):
    """The name of the first array with a value that is not finite, or None."""
    for name, array in arrays.items():
        if array.dtype.kind not in "biu" and not np.isfinite(array).all():
            return "/".join(name.replace("|", "/").split("/")[2:]) or name
    return None


def save(path: str | os.PathLike, model: Any, state: Mapping[str, Any]) -> None:
    """Writes the checkpoint of a compiled model, and keeps the one before it beside it.

    Args:
        path: of the file. The one before it becomes `checkpoint.previous.npz`.
        model: a compiled `keras.Model`.
        state: plain data for JSON, which `load` gives back.

    Raises:
        FloatingPointError: if a variable is not finite; the old file is as it was.
        OSError: if the file cannot be written; the old file is as it was.

    Example:

    >>> import keras, tempfile
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> model.compile("adam", "mse")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/checkpoint.npz", model, {"epoch": 3})
    ...     saved = latest(folder)
    >>> saved.state
    {'epoch': 3}
    >>> restore(saved, model)
    """
    path = arguments.path("path", path)
    arguments.instance("state", state, Mapping, "a dict of plain data")
    arrays = {name: np.asarray(variable) for name, variable in variables(model).items()}
    if name := _first_not_finite(arrays):
        raise FloatingPointError(
            f"the variable {name} is not finite, so nothing was saved; the last good checkpoint "
            f"is kept: {path}"
        )
    buffer = io.BytesIO()
    text = json.dumps({"format": FORMAT, **state})
    members = {name.replace("/", "|"): array for name, array in arrays.items()}
    np.savez(buffer, state=np.array(text), **members)
    write_file(path, signed(buffer.getvalue()), keep_as=path.with_name(PREVIOUS))


def signed(archive: bytes) -> bytes:
    """The bytes of a zip archive without a comment, with their digest as its comment."""
    size = len(MARK) + 2 * hashlib.sha256().digest_size
    body = archive.removesuffix(NO_COMMENT) + struct.pack("<H", size)
    return body + MARK + hashlib.sha256(body).hexdigest().encode()


def _is_signed(content):
    """Whether bytes end with their digest."""
    body, _, digest = content.rpartition(MARK)
    return digest == hashlib.sha256(body).hexdigest().encode()


def load(
    path: str | os.PathLike, check: Callable[[dict[str, Any]], None] | None = None
) -> Saved:
    """Reads a checkpoint.

    Args:
        path: of the file.
        check: a function that raises `Damaged` where a state is not one of its own. Defaults to
            `None`: any dict is taken.

    Returns:
        A `Saved`.

    Raises:
        FileNotFoundError: if there is none.
        Damaged: if the file is not what was written.
        ValueError: if it is of a format that this version does not know.
    """
    path = arguments.path("path", path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
    if not path.is_file():
        raise Damaged("it is not a file")
    content = path.read_bytes()
    try:
        state, arrays = _parsed(content)
    except Exception as error:
        text = " ".join(str(error).split())[:200] or type(error).__name__
        raise Damaged(text) from error
    if not isinstance(state, dict):
        raise Damaged(f"its state is {state!r}")
    version = state.pop("format", None)
    if version != 1 and not _is_signed(content):
        raise Damaged("its SHA-256 is not the one that was written")
    if version not in FORMATS:
        known = " and ".join(map(str, FORMATS))
        raise ValueError(f"{path} has the format {version!r}; this version reads {known}")
    if check is not None:
        check(state)
    if name := _first_not_finite(arrays):
        raise Damaged(f"the variable {name} is not finite")
    return Saved(path, state, arrays)


def _parsed(content):
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
            raise ValueError(f"{name} is not an array")
    return json.loads(str(arrays.pop("state"))), arrays


def latest(
    folder: str | os.PathLike, check: Callable[[dict[str, Any]], None] | None = None
) -> Saved:
    """Reads the last checkpoint in a folder, or the one before it where the last is damaged.

    Args:
        folder: where `checkpoint.npz` lies.
        check: as in `load`.

    Returns:
        A `Saved`, whose `instead` says why it is not the last.

    Raises:
        FileNotFoundError: if there is no checkpoint.
        ValueError: if both are damaged, or of a format that this version does not know.
    """
    folder = arguments.path("folder", folder)
    path, previous = folder / NAME, folder / PREVIOUS
    if not exists(folder):
        raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
    try:
        return load(path, check)
    except FileNotFoundError:
        reason = f"the checkpoint {path} is missing"
    except Damaged as error:
        reason = f"the checkpoint {path} is damaged: {error}"
    try:
        return dataclasses.replace(load(previous, check), instead=reason)
    except FileNotFoundError:
        also = "there is none before it"
    except Damaged as error:
        also = f"the one before it, {previous}, is damaged too: {error}"
    raise ValueError(f"{reason}; {also}. Train again into another folder, or put a copy of it back")


def set_aside(folder: str | os.PathLike) -> None:
    """Renames the last checkpoint of a folder to `checkpoint.npz.damaged`, if it is there."""
    path = arguments.path("folder", folder) / NAME
    if path.exists():
        aside = (path.with_name(f"{NAME}.damaged{n or ''}") for n in itertools.count())
        os.replace(path, next(free for free in aside if not free.exists()))


def restore(saved: Saved, model: Any) -> None:
    """Sets the variables of a compiled model and its optimizer from a checkpoint.

    Args:
        saved: a `Saved`.
        model: a compiled `keras.Model` of the same layers.

    Raises:
        ValueError: if the checkpoint is of another network. The model is as it was.
    """
    arguments.instance("saved", saved, Saved, "a `checkpoints.Saved`")
    # Keras numbers the names of layers in a process, so the place decides, and the shape.
    kept = {identity(name): array for name, array in saved.arrays.items()}
    wanted = {identity(name): variable for name, variable in variables(model).items()}
    refused = f"the checkpoint {saved.path} does not fit the network:"
    if extra := sorted(set(kept) - set(wanted)):
        raise ValueError(f"{refused} the network has no variable {'/'.join(extra[0])}")
    for place, variable in wanted.items():
        array = kept.get(place)
        if array is None or array.shape != tuple(variable.shape) or not _alike(array, variable):
            raise ValueError(
                f"{refused} {variable.path} of shape {tuple(variable.shape)} is not in it"
            )
    for place, variable in wanted.items():
        variable.assign(kept[place])


def _alike(array, variable):
    """Whether both are whole numbers, or neither; a backend has its own sizes of them."""
    return (array.dtype.kind in "iu") == ("int" in str(variable.dtype))


def identity(name: str) -> tuple[str, ...]:
    """`("model", "3")` of `"model/3/act/lstm_cell_1/kernel"`."""
    return tuple(name.replace("|", "/").split("/")[:2])
