"""What is asked of an RNN cell: a step, and the shapes of what comes out of it."""

import inspect
from typing import Any

import keras
from keras import ops, tree

from . import arguments, building
from .masks import attached_mask
from .types import Shape, Tensor


def apply(layer: Any, *inputs: Any, training: bool, **kwargs: Any) -> Any:
    """Calls a layer or a cell, with `training` if its `call` has that argument."""
    if isinstance(layer, keras.layers.Layer) and layer._call_has_training_arg:
        kwargs["training"] = training
    return layer(*inputs, **kwargs)


def reads(cell: Any, name: str = "memory") -> bool:
    """Whether a cell's `call` has the argument `memory`, or that of another name."""
    return name in inspect.signature(getattr(cell, "call", cell)).parameters


def prepared_memory(
    layer: Any, memory: Tensor | None, mask: Tensor | None, rows: int | None
) -> dict[str, Any] | None:
    """What the cell of a layer is called with beside inputs and states, as a dict, or None.

    Args:
        layer: the layer, whose `cell` is built.
        memory: what the layer was called with, a tensor `(batch, positions, …)` or None.
        mask: boolean `(batch, positions)` or None.
        rows: the number of sequences, or None.
    """
    check_memory(layer, None if memory is None else memory.shape, rows)
    if memory is None:
        return None
    mask = attached_mask(memory) if mask is None else mask
    prepare = getattr(layer.cell, "prepare_memory", None)
    if arguments.mask_of(mask, memory, "memory_mask", "memory's") is not None:
        if prepare is None and not reads(layer.cell, "memory_mask"):
            raise ValueError(
                f"Layer '{layer.name}' got a memory with a mask, but its cell has neither a method "
                "`prepare_memory` nor the argument `memory_mask` in `call`. "
                f"Received: cell={layer.cell!r}"
            )
        mask = ops.cast(mask, "bool")
        positions = ops.reshape(mask, (*ops.shape(mask), *[1] * (ops.ndim(memory) - 2)))
        memory = ops.where(positions, memory, ops.zeros_like(memory))
    if prepare is not None:
        return {"memory": prepare(memory, mask)}
    return {"memory": memory} if mask is None else {"memory": memory, "memory_mask": mask}


def check_memory(layer: Any, shape: Shape | None, rows: int | None = None) -> None:
    """Refuses a memory that is missing, or not wanted, or of a shape that cannot be."""
    if not reads(layer.cell):
        if shape is None:
            return
        raise ValueError(
            f"Layer '{layer.name}' got a memory, but its cell does not read one: its `call` has no "
            "argument `memory`. Wrap the cell, as in `AttentionCell(cell, attention)`. "
            f"Received: cell={layer.cell!r}"
        )
    expected = "(batch, positions, features) with at least one position"
    if shape is None:
        raise ValueError(
            f"Layer '{layer.name}' has a cell that reads a memory, and none was given. Call "
            f"`layer(sequences, memory=memory)` with a memory of shape {expected}."
        )
    shape = tuple(shape)
    if len(shape) < 3 or shape[1] == 0:
        problem = f"a memory of shape {expected}"
    elif None not in (rows, shape[0]) and rows != shape[0]:
        problem = f"a memory of as many rows as there are sequences, {rows}"
    else:
        return
    raise ValueError(f"Layer '{layer.name}' expects {problem}. Received: shape={shape}")


def build(cell: Any, inputs_shape: Shape, memory_shape: Shape | None = None) -> None:
    """Builds a cell, if it is a layer that is not built yet."""
    if not isinstance(cell, keras.layers.Layer):
        return
    if not cell.built and building.builds_itself(cell):
        takes_memory = "memory_shape" in inspect.signature(cell.build).parameters
        cell.build(inputs_shape, **({"memory_shape": memory_shape} if takes_memory else {}))
    build_parts(cell, inputs_shape, memory_shape)
    cell.built = True


def build_parts(cell: Any, inputs_shape: Shape, memory_shape: Shape | None = None) -> None:
    """Builds the layers inside a cell that its `build` has not built, by a symbolic call."""
    if not isinstance(cell, keras.layers.Layer) or not building.has_unbuilt_parts(cell):
        return
    states = tree.map_structure(
        lambda x: building.symbolic((inputs_shape[0], *x.shape[1:]), cell),
        initial_states(cell, inputs_shape[0] or 1),
    )
    memory = {}
    if memory_shape is not None and reads(cell):
        memory = {"memory": building.symbolic(memory_shape, cell)}
    cell(building.symbolic(inputs_shape, cell), states, **memory)


def initial_states(cell: Any, batch_size: Any) -> Any:
    """The states of a cell to begin with: its own, or zeros if it has none, as in `RNN`."""
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(batch_size=batch_size)
    dtype = getattr(cell, "compute_dtype", keras.config.floatx())
    return [ops.zeros((batch_size, size), dtype) for size in tree.flatten(cell.state_size)]


def check_states(cell: Any, states: Any, rows: int | None) -> None:
    """Refuses states to begin with that are not as many, or of other shapes, than a cell's own.

    Args:
        cell: of the layer.
        states: a nest of tensors.
        rows: the number of sequences, or None.
    """
    received = [tuple(x.shape) for x in tree.flatten(states)]
    if getattr(cell, "needs_length", False):  # It has stacks without limit.
        own = [(rows, size) for size in cell.state_size]
    else:
        own = [tuple(x.shape) for x in tree.flatten(initial_states(cell, rows or 1))]
    wanted = [(rows, *shape[1:]) for shape in own]
    if len(received) != len(wanted) or any(map(_differ, received, wanted)):
        raise ValueError(
            f"Argument `initial_state` must have the shapes {wanted} of the cell's states, with a "
            f"row for each sequence. Received: initial_state of shapes {received}"
        )


def _differ(one, other):
    """Whether two shapes, of which sizes may be None, cannot be the same."""
    return len(one) != len(other) or any(
        None not in sizes and sizes[0] != sizes[1] for sizes in zip(one, other)
    )


def draw_dropout_masks(cell: Any, inputs: Tensor, states: Any) -> None:
    """Draws the masks of a cell of Keras for a whole sequence, before the loop over time.

    Args:
        cell: it may be of `StackedRNNCells`.
        inputs: those of one time step, for their shape.
        states: of the cell, for theirs.
    """
    # With a name, as Keras counts the layers that it names.
    layer = keras.layers.RNN(cell, name="masks")
    layer._maybe_reset_dropout_masks(cell)
    layer._maybe_config_dropout_masks(cell, inputs, states)


def check_vectors(name: str, cell: Any, shape: Shape, time: str = "") -> None:
    """Refuses inputs that are not vectors; Keras's own cells would accept them and be wrong.

    Args:
        name, cell: of the layer.
        shape: what the cell is called with.
        time: `"time, "` if the layer has further axes between batch and features.
    """
    first = cell.cells[0] if isinstance(cell, keras.layers.StackedRNNCells) else cell
    kinds = keras.layers.SimpleRNNCell, keras.layers.GRUCell, keras.layers.LSTMCell
    if isinstance(first, kinds) and (len(shape) != 2 or shape[-1] is None):
        raise ValueError(
            f"Layer '{name}' expects inputs of shape (batch, {time}features) with a fixed number "
            f"of features for its {type(first).__name__}. Received: shape={tuple(shape)}"
        )


def advance(
    cell: Any, inputs: Any, states: Any, training: bool, memory: dict[str, Any] | None = None
) -> tuple[Tensor, Any]:
    """One step: the cell's output, and its new states, in structure and dtype like the old.

    `memory` is what `prepared_memory` made of it.

    Some cells change the dtype: in float64 on JAX, Keras's tanh gives float32.
    """
    output, new = apply(cell, inputs, states, training=training, **(memory or {}))
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
    config = keras.saving.serialize_keras_object(cell)
    if is_image_like(cell):
        config["config"].setdefault("rank", getattr(cell, "rank", None))
        config.pop("build_config", None)
    return config


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
