"""The state of a training in one file: weights, optimizer, position, and settings."""

import io
import json
from pathlib import Path

import numpy as np

from .files import write_whole

NAME = "checkpoint.npz"
FORMAT = 1


def variables(model):
    """All variables that a resumed training needs, with names: weights, seeds, optimizer."""
    passing = {id(variable) for variable in model.metrics_variables}
    kept = [variable for variable in model.variables if id(variable) not in passing]
    named = {f"model/{i}/{variable.path}": variable for i, variable in enumerate(kept)}
    model.optimizer.build(model.trainable_variables)
    for i, variable in enumerate(model.optimizer.variables):
        named[f"optimizer/{i}/{variable.path}"] = variable
    return named


def save(path, model, state):
    """Write the checkpoint of a compiled model, whole.

    Args:
        path: the file.
        model: a compiled `keras.Model`.
        state: plain data for JSON.
    """
    arrays = {name: np.asarray(variable) for name, variable in variables(model).items()}
    buffer = io.BytesIO()
    text = json.dumps({"format": FORMAT, **state})
    np.savez(buffer, state=np.array(text), **{k.replace("/", "|"): v for k, v in arrays.items()})
    write_whole(path, buffer.getvalue())


def read(path):
    """The state that `save` was given.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: the file is damaged or of another format.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
    try:
        with np.load(path) as file:
            state = json.loads(str(file["state"]))
    except Exception as error:
        raise ValueError(f"the checkpoint {path} is damaged: {error}") from error
    if state["format"] != FORMAT:
        raise ValueError(f"{path} has the format {state['format']}; this version reads {FORMAT}")
    return state


def restore(path, model):
    """Set the variables of a compiled model from a checkpoint.

    Raises:
        ValueError: the checkpoint is of another network.
    """
    with np.load(path) as file:
        # Keras numbers the names of layers in a process, so the place decides, and the shape.
        kept = {identity(key): key for key in file.files}
        for name, variable in variables(model).items():
            key = kept.get(identity(name))
            if key is None or file[key].shape != tuple(variable.shape):
                raise ValueError(
                    f"the checkpoint {path} does not fit the network: {variable.path} of shape "
                    f"{tuple(variable.shape)} is not in it"
                )
            variable.assign(file[key])


def identity(name):
    """`["model", "3"]` of `"model/3/act/lstm_cell_1/kernel"`, as a tuple."""
    return tuple(name.replace("|", "/").split("/")[:2])
