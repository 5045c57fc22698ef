"""Attention: additive attention, and a recurrent cell that reads a memory in each of its steps."""

from typing import Any

import keras
from keras import layers, ops, tree

from . import arguments, building, cells
from .configuration import restored
from .masks import mask_or_attached
from .types import Shape, Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class BahdanauAttention(keras.layers.Layer):
    """Additive attention of one query over a memory.

    With a query d and the memory h_1 … h_n it returns the mean of the h_i, weighted by the softmax
    over i of v · tanh(W_1 h_i + W_2 d).

    Args:
        units: integer >= 1, the size of v.
        **kwargs: arguments of `keras.layers.Layer`.

    Call arguments:
        query: `(batch, features)`.
        memory: `(batch, time, size)`.
        keys: `(batch, time, units)`, the result of `keys(memory)`; computed here by default. Pass
            it to read the same memory several times; the memory must then be finite where masked.
        mask: boolean `(batch, time)`; false marks elements that are not read. Defaults to the mask
            that a layer attached to the memory.

    Returns:
        A tuple: the weighted mean, `(batch, size)`, and the weights, `(batch, time)`.

    Raises:
        ValueError: if `units` is below 1.

    Example:

    >>> attention = BahdanauAttention(4)
    >>> read, weights = attention(np.ones((2, 3)), np.ones((2, 5, 6)))
    >>> read.shape == (2, 6), weights.shape == (2, 5)
    (True, True)

    Source: Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2015), arXiv:1409.0473, section 3.1 and appendix A.1.2; in the form of Vinyals,
    Kaiser et al., "Grammar as a Foreign Language" (2015), arXiv:1412.7449, section 2.1, which has
    no biases.
    """

    def __init__(self, units: int, **kwargs: Any):
        super().__init__(**kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.supports_masking = True

    def build(
        self, query_shape: Shape, memory_shape: Shape, keys_shape: Shape | None = None
    ) -> None:
        """Creates W_1, W_2 and v."""
        self.memory_kernel = self.add_weight(
            shape=(memory_shape[-1], self.units), name="memory_kernel"
        )
        self.query_kernel = self.add_weight(
            shape=(query_shape[-1], self.units), name="query_kernel"
        )
        self.score_kernel = self.add_weight(shape=(self.units,), name="score_kernel")

    def keys(self, memory: Tensor) -> Tensor:
        """W_1 h_i for each i, `(batch, time, units)`."""
        return ops.matmul(memory, self.memory_kernel)

    def call(
        self, query: Tensor, memory: Tensor, keys: Tensor | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Reads the memory; see the class."""
        mask = mask_or_attached(mask, memory)
        if keys is None:
            if mask is not None:
                present = ops.cast(mask, "bool")[..., None]
                memory = ops.where(present, memory, ops.zeros_like(memory))
            keys = self.keys(memory)
        hidden = ops.tanh(keys + ops.matmul(query, self.query_kernel)[:, None])
        # Not a matrix product: XLA cannot compile TensorFlow's gradient of it inside a loop.
        scores = ops.sum(hidden * self.score_kernel, axis=-1)
        if mask is not None:
            # Finite, because a row may be masked everywhere.
            least = -6e4 if self.compute_dtype == "float16" else -1e30
            scores = ops.where(ops.cast(mask, "bool"), scores, ops.cast(least, scores.dtype))
        if scores.shape[-1] == 1:  # Keras warns of the softmax of a single number.
            weights = ops.exp(ops.log_softmax(scores, axis=-1))
        else:
            weights = ops.softmax(scores, axis=-1)
        return ops.squeeze(ops.matmul(weights[:, None], memory), 1), weights

    def compute_mask(
        self, query: Tensor, memory: Tensor, keys: Tensor | None = None, mask: Tensor | None = None
    ) -> None:
        """Neither the mean nor the weights are a sequence."""
        return None

    def compute_output_shape(
        self, query_shape: Shape, memory_shape: Shape, keys_shape: Shape | None = None
    ) -> tuple[Shape, Shape]:
        """The shapes of the mean and of the weights."""
        return (memory_shape[0], memory_shape[-1]), tuple(memory_shape[:2])

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AttentionCell(layers.Layer):
    """A recurrent cell that reads a memory at each step.

    At each step it attends to the memory with the state as the query, and appends the result, the
    context, to the input of the wrapped cell. In `ACTRNN` the memory is an argument of the call,
    `layer(sequences, memory=memory)`: all steps use the same memory, which is not part of the
    state and is neither copied nor averaged.

    The query is the first tensor of the state, for an LSTM and a GRU h, and of stacked cells that
    of the last.

    Args:
        cell: any Keras RNN cell, or a list of cells, which are stacked.
        attention: `keras.layers.Attention`, `keras.layers.AdditiveAttention` (both need a memory as
            wide as the query), or a layer that is called as `BahdanauAttention` is,
            `attention(query, memory, mask=mask)`, and returns what was read, `(batch, size)`, or a
            tuple that begins with it. If it has a method `keys(memory)`, its result is computed
            once for each call of `ACTRNN`, and passed as `keys=` in every step.
        **kwargs: arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, features)`.
        states: the states of the cell.
        memory: what `prepare_memory` returned.
        training: boolean.

    Returns:
        A tuple: the output of the cell, and its new states.

    Raises:
        ValueError: if an argument has another value, or there is no memory to read.

    Example: a decoder that looks at the outputs of an encoder up to ten times for each symbol.

    >>> attention = keras_adaptive.layers.BahdanauAttention(8)
    >>> cell = AttentionCell(keras.layers.LSTMCell(8), attention)
    >>> decoder = keras_adaptive.layers.ACTRNN(cell, max_ponder=10, return_sequences=True)
    >>> symbols, memory = np.ones((2, 3, 4), "float32"), np.ones((2, 7, 5), "float32")
    >>> decoder(symbols, memory=memory).shape == (2, 3, 8)
    True

    Source: Graves, Vinyals, Figurnov & Jozefowicz, "Learning When to Halt With Adaptive Computation
    Time" (slides, about 2016), put ACT around pointer networks and translation with attention;
    they do not say how. Here each step of ACT is a step of a decoder as in Bahdanau, Cho & Bengio
    (2015), arXiv:1409.0473, appendix A.2.2: context from the last state, then the new state.
    """

    def __init__(self, cell: Any, attention: keras.layers.Layer, **kwargs: Any):
        super().__init__(**kwargs)
        cell = arguments.cell("cell", cell)
        self.cell = layers.StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if cells.is_image_like(self.cell) or cells.reads(self.cell):
            arguments.refuse("cell", cell, "a cell on vectors that does not read itself")
        self.attention = arguments.instance("attention", attention, layers.Layer, "a layer")
        if isinstance(attention, layers.Attention) and attention.dropout > 0:
            raise ValueError(
                "Argument `attention` must be without dropout, which cannot be drawn inside a loop."
                f" Received: attention.dropout={attention.dropout}"
            )
        if isinstance(attention, layers.MultiHeadAttention):
            arguments.refuse("attention", attention, "a layer called as `attention(query, memory)`")

    @property
    def state_size(self) -> Any:
        """The sizes of the states of the wrapped cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> int | None:
        """The size of the output of the wrapped cell."""
        return cells.output_shape(self.cell, (None,))[-1]

    def get_initial_state(self, batch_size: Any = None) -> Any:
        """The states of the wrapped cell to begin with."""
        return cells.initial_states(self.cell, batch_size)

    def build(self, input_shape: Shape, memory_shape: Shape | None = None) -> None:
        """Creates the weights of the attention and of the cell."""
        if memory_shape is None:
            raise ValueError(
                f"Cell '{self.name}' reads a memory, and none was given. Use it in `ACTRNN`, and "
                "call that as `layer(sequences, memory=memory)`."
            )
        self._check_memory(memory_shape)
        self._memory_features = memory_shape[-1]
        query, memory = (None, self._query_size()), tuple(memory_shape)
        if self._is_of_keras and query[-1] != memory[-1]:
            raise ValueError(
                f"Cell '{self.name}' has a Keras attention, which wants a memory as wide as the "
                f"query, {query[-1]}. Put a Dense layer after the memory, or use "
                f"BahdanauAttention. Received: memory of shape {memory}"
            )
        if not self.attention.built:
            if self._is_of_keras:
                self.attention.build([(None, 1, query[-1]), memory])
            else:
                self.attention.build(query, memory)
            self.attention.built = True
        context_size: Any = memory[-1]
        if not self._is_of_keras:
            specs = keras.KerasTensor(query), keras.KerasTensor(memory)
            context_size = tree.flatten(self.attention(*specs))[0].shape[-1]
        self.context_size = context_size
        width = arguments.integer("input_shape[-1]", input_shape[-1], least=1)
        cells.build(self.cell, (*input_shape[:-1], width + context_size))

    def _check_memory(self, shape):
        if len(shape) != 3 or shape[-1] is None:
            raise ValueError(
                f"Cell '{self.name}' expects a memory of shape (batch, positions, features) with a "
                f"fixed number of features. Received: shape={tuple(shape)}"
            )

    @property
    def _is_of_keras(self):
        return isinstance(self.attention, layers.Attention)

    def _query_size(self):
        sizes = self.cell.state_size
        if isinstance(self.cell, layers.StackedRNNCells):
            sizes = sizes[-1]
        return tree.flatten(sizes)[0]

    def _query(self, states):
        if isinstance(self.cell, layers.StackedRNNCells) and len(self.cell.cells) > 1:
            states = states[-1]
        return tree.flatten(states)[0]

    def prepare_memory(self, memory: Tensor, memory_mask: Tensor | None = None) -> Any:
        """What all steps read: the memory, its mask, and its keys if the attention has any."""
        memory = building.with_features(memory, self._memory_features)
        self._check_memory(memory.shape)
        prepared = {"values": memory}
        if memory_mask is not None:
            prepared["mask"] = memory_mask
        if hasattr(self.attention, "keys"):
            prepared["keys"] = self.attention.keys(memory)
        return prepared

    def call(
        self, inputs: Tensor, states: Any, memory: Any = None, training: bool = False
    ) -> tuple[Tensor, Any]:
        """Reads the memory, and takes one step of the cell; see the class."""
        if memory is None:
            raise ValueError(f"Cell '{self.name}' expects a memory. Received: memory=None")
        context = self._read(self._query(states), **memory)
        inputs = ops.concatenate([inputs, ops.cast(context, inputs.dtype)], axis=-1)
        return cells.apply(self.cell, inputs, states, training=training)

    def _read(self, query, values, mask=None, **keys):
        if self._is_of_keras:
            masks = None if mask is None else [None, mask]
            return self.attention([query[:, None], values], mask=masks)[:, 0]
        return tree.flatten(self.attention(query, values, mask=mask, **keys))[0]

    def with_empty_context(self, inputs: Tensor) -> Tensor:
        """The inputs of the wrapped cell before anything was read; dropout needs their width."""
        context = ops.zeros((ops.shape(inputs)[0], self.context_size), inputs.dtype)
        return ops.concatenate([inputs, context], axis=-1)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this cell again."""
        return {
            **super().get_config(),
            "cell": cells.config(self.cell),
            "attention": keras.saving.serialize_keras_object(self.attention),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentionCell":
        """A cell from `get_config`."""
        return cls(**restored(config, ("cell", "attention")))
