"""What is asked of an RNN cell: a step, and the shapes of what comes out of it."""

from typing import Any

import keras
from keras import ops, tree

from .types import Shape, Tensor


def takes_training(cell: Any) -> bool:
    """Whether a cell's `call` has the argument `training`."""
    return isinstance(cell, keras.layers.Layer) and cell._call_has_training_arg


def advance(cell: Any, inputs: Any, states: Any, training: bool) -> tuple[Tensor, Any]:
    """One step: the cell's output, and its new states, in structure and dtype like the old.

    Some cells change the dtype: in float64 on JAX, Keras's tanh gives float32.
    """
    arguments = {"training": training} if takes_training(cell) else {}
    output, new = cell(inputs, states, **arguments)
    new, old = tree.flatten(new), tree.flatten(states)
    # A cell's output is mostly one of its states, and stays it.
    like = {id(x): _as(x, y.dtype) for x, y in zip(new, old)}
    output = like[id(output)] if id(output) in like else _as(output, old[0].dtype)
    return output, tree.pack_sequence_as(states, [like[id(x)] for x in new])


def _as(x, dtype):
    same = keras.backend.standardize_dtype(x.dtype) == keras.backend.standardize_dtype(dtype)
    return x if same else ops.cast(x, dtype)


def is_image_like(cell: Any) -> bool:
    """Whether states are images, whose shape the cell knows when it is built (`ConvLSTM2D`)."""
    return any(size == -1 for size in tree.flatten(cell.state_size))


def output_shape(cell: Any, inputs_shape: Shape) -> Shape:
    """The shape of a built cell's output, and of each of its states if they are images."""
    if is_image_like(cell):
        return tuple(cell.compute_output_shape(tuple(inputs_shape))[0])
    size = getattr(cell, "output_size", None)
    return inputs_shape[0], tree.flatten(cell.state_size)[0] if size is None else size


def config(cell: Any) -> dict[str, Any]:
    """The cell as Keras saves it; `ConvLSTMCell` forgets its rank, and cannot build itself."""
    found = keras.saving.serialize_keras_object(cell)
    if is_image_like(cell):
        found["config"].setdefault("rank", getattr(cell, "rank", None))
        found.pop("build_config", None)
    return found


def check_image_like(name: str, cell: Any) -> None:
    """Refuses what a layer cannot do with images."""
    if isinstance(cell, keras.layers.StackedRNNCells):
        raise ValueError(
            f"Argument `{name}` must not be a list with cells on images: put a layer of each cell "
            f"behind the other. Received: {name}={cell.cells!r}"
        )
    if getattr(cell, "data_format", "channels_last") != "channels_last":
        raise ValueError(
            f"Argument `{name}` must have its channels last. "
            f"Received: {name}.data_format={cell.data_format!r}"
        )
