"""What HAM and DHAM share: the phases of an access, and the loop over accesses."""

from typing import Any, Self

import keras
from keras import ops

from .. import arguments, backend, building, cells
from ..configuration import restored
from ..dtypes import at_least_float32
from ..freezing import KeepsFrozenParts
from ..masks import differs, mask_or_attached
from ..max_outputs import check_max_outputs, output_count
from ..types import Shape, Tensor
from .memory import Memory, pad_time
from .perceptrons import MLP


class TreeAttention(KeepsFrozenParts):
    """A memory and its controller. Subclasses define how leaves are attended and written.

    They implement two methods. `attend(nodes, query, now)` returns h_a `(batch, d)` and a dict of
    details, of which the names in `traced` are returned; `update(nodes, attended, details,
    writer, present)` returns the new nodes.
    """

    traced: tuple[str, ...] = ()

    def __init__(
        self,
        outputs: int,
        controller: Any = None,
        memory: Any = None,
        accesses_per_output: int = 1,
        max_outputs: tuple[float, int] = (1, 0),
        num_leaves: int | None = None,
        padding: float | None = -1.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.outputs = arguments.integer("outputs", outputs, least=1)
        self.accesses_per_output = arguments.integer(
            "accesses_per_output", accesses_per_output, least=1
        )
        self.max_outputs = _max_outputs(max_outputs, controller is None)
        self.num_leaves = num_leaves
        self._built_length: int | None = None
        self.padding = arguments.number("padding", padding, none=True)
        if memory is None:
            memory = Memory(dtype=self.dtype_policy)
        self.memory = arguments.instance("memory", memory, Memory, "a `ham.Memory` or None")
        self.controller = arguments.cell("controller", controller, none=True)
        self.supports_masking = True
        if controller is None:
            sizes = (self.memory.hidden_units, self.memory.depth)
            self.head = MLP(
                outputs, *sizes, "sigmoid", dtype=at_least_float32(self.compute_dtype), name="head"
            )
        else:
            # Knows how all kinds of cells start, and how their dropout is drawn.
            self._rnn = keras.layers.RNN(controller, dtype=self.dtype_policy, name="controller")
            self.head = keras.layers.Dense(
                outputs,
                activation="sigmoid",
                dtype=at_least_float32(self.compute_dtype),
                name="head",
            )

    @property
    def num_leaves(self) -> int | None:
        """n, or None for the next power of two; set it before a model's functions are traced."""
        return self._num_leaves

    @num_leaves.setter
    def num_leaves(self, value: int | None) -> None:
        if value is not None:
            value = arguments.integer("num_leaves", value, least=2)
            if value & (value - 1):
                arguments.refuse("num_leaves", value, "a power of two from 2 on, or None")
        self._num_leaves = value

    @property
    def supports_jit(self) -> bool:
        """Whether XLA may compile a model with the layer: on TensorFlow if n is known."""
        return self._supports_jit and (
            keras.config.backend() != "tensorflow"
            or self.num_leaves is not None
            or self._built_length is not None
        )

    @supports_jit.setter
    def supports_jit(self, value: bool) -> None:
        self._supports_jit = value

    def build(self, inputs_shape: Shape) -> None:
        """Creates the weights of the memory, the controller and the head."""
        self._check_shape(inputs_shape)
        self._built_length = inputs_shape[1]
        self._features: Any = inputs_shape[-1]
        if self.controller is None:
            self.memory.prepare(self._features, writer_width=self.writer_width)
            self.head.build((None, self.memory.units))
        else:
            if not self._rnn.built:
                self._rnn.build((None, None, self.memory.units))
                cells.build_parts(self._rnn.cell, (None, self.memory.units))
            self.memory.prepare(self.query_width, self._features, self.writer_width)
            self.head.build((None, self.query_width))
        self.freeze_parts()

    @property
    def writer_width(self) -> int | None:
        """Width of the input of WRITE beside a leaf; `None` if it is that of SEARCH."""
        return None

    @property
    def input_width(self) -> int:
        """How many numbers an input vector has; of a layer that is built."""
        return self._features

    @property
    def query_width(self) -> int:
        """Width of the input of SEARCH beside a node: that of h_LSTM, or of an operation."""
        if self.controller is None:
            return self._features
        return self._rnn.compute_output_shape((None, None, self.memory.units))[-1]

    def _run(self, inputs, mask, training, per_access=None, return_nodes=False):
        """Outputs, and the details of each access: a dict of `(accesses, …)`."""
        self._check_shape(inputs.shape)
        present = self._present(inputs, mask)
        inputs = building.with_features(inputs, self._features)
        vectors = ops.cast(inputs, self.compute_dtype)
        vectors = ops.where(present[..., None], vectors, ops.zeros_like(vectors))
        batch_size = ops.shape(inputs)[0]
        num_leaves, _ = self._sizes(inputs)
        eta = self.accesses_per_output
        steps = self._steps(inputs)
        now = {"access": ops.arange(eta * steps, dtype="int32"), **(per_access or {})}
        states, query = [], ()
        if self.controller is None:
            start = ops.zeros((1, num_leaves, self.memory.units), self.compute_dtype)
            nodes = self.memory.plant(start, ops.zeros_like(start[..., 0], dtype="bool"))
            nodes = ops.broadcast_to(nodes, (batch_size, *ops.shape(nodes)[1:]))
            now["inputs"] = ops.repeat(ops.swapaxes(vectors, 0, 1), eta, axis=0)
            now["present"] = ops.repeat(ops.swapaxes(present, 0, 1), eta, axis=0)
        else:
            leaves = self.memory.leaves(vectors, present, num_leaves)
            nodes = self._planted(leaves, pad_time(present, num_leaves), training)
            states = self._rnn.get_initial_state(batch_size)
            self._rnn._maybe_config_dropout_masks(self._rnn.cell, nodes[:, 0], states)
            query = ops.zeros((batch_size, self.query_width), self.compute_dtype)
        trace = self._all_accesses((nodes, states, query), now, training, return_nodes)
        if self.controller is not None:
            self._rnn._maybe_reset_dropout_masks(self._rnn.cell)
        answers = ops.swapaxes(trace.pop("answer")[eta - 1 :: eta], 0, 1)
        probabilities = self.head(answers)
        trace["reached"] = reached = self._reached(present)
        zeros = ops.zeros_like(probabilities)
        return ops.where(reached[..., None], probabilities, zeros), trace

    def _planted(self, leaves, used, training):
        """The first values of all nodes."""
        return self.memory.plant(leaves, used)

    def _all_accesses(self, carry, now, training, return_nodes):
        """Details of each access; the carry is the first nodes, states and query."""

        def step(carry, now):
            """Attention, output and update phase (Figures 3, 4 and 5)."""
            nodes, states, query = carry
            asked = self._asked(query, now)
            attended, details = self.attend(nodes, asked, now)
            answer, states, query = self._control(attended, states, query, training)
            writer = self._asked(query, now)
            nodes = self.update(nodes, attended, details, writer, now.get("present"))
            trace = {name: details[name] for name in self.traced}
            if return_nodes:
                trace["nodes"] = nodes
            return (nodes, states, query), {"answer": answer, "query": asked, **trace}

        _, trace = self._scan(training)(step, carry, now)
        if return_nodes:
            trace["nodes"] = ops.concatenate([carry[0][None], trace["nodes"]], axis=0)
        return trace

    def _scan(self, training):
        """The function that runs the steps."""
        return backend.scan

    def _asked(self, query, now):
        """The input of SEARCH and WRITE beside a node: h_LSTM, or the operation."""
        return now["inputs"] if self.controller is None else query

    def _control(self, attended, states, query, training):
        """The features of the output, and the controller's new states and h_LSTM."""
        if self.controller is None:
            return attended, states, query
        answer, states = cells.advance(self._rnn.cell, attended, states, training)
        return answer, states, ops.cast(answer, query.dtype)

    def _present(self, inputs, mask):
        """Boolean `(batch, m)`: which input vectors belong to an example."""
        mask = mask_or_attached(mask, inputs)
        if self.padding is None:
            present = ops.ones_like(inputs[..., 0], dtype="bool")
        else:
            present = differs(inputs, self.padding)
        return present if mask is None else ops.logical_and(present, ops.cast(mask, "bool"))

    def _reached(self, present):
        """Boolean `(batch, outputs)`: which outputs the length of the example's input allows."""
        if self.controller is None:
            return present
        most = output_count(self.max_outputs, ops.sum(ops.cast(present, "int32"), axis=1))
        return ops.arange(self._steps(present), dtype="int32")[None] < most[:, None]

    def _steps(self, inputs):
        return output_count(self.max_outputs, inputs.shape[1] or ops.shape(inputs)[1])

    def _sizes(self, inputs):
        """n and log2 n: integers if they can be known, else tensors."""
        if self.num_leaves is not None:
            return self.num_leaves, self.num_leaves.bit_length() - 1
        length = inputs.shape[1]
        if length is not None:
            levels = max(levels_over(length), 1)
            return 2**levels, levels
        if backend.compiles():
            raise ValueError(
                "XLA compiles trees of a known number of leaves only. Give argument `num_leaves`, "
                "or compile the model with jit_compile=False. Received: num_leaves=None, and "
                f"inputs of shape {tuple(inputs.shape)}"
            )
        levels = ops.maximum(levels_over(ops.shape(inputs)[1]), 1)
        return ops.left_shift(1, levels), levels

    def compute_output_spec(self, inputs: Tensor) -> keras.KerasTensor:
        """Shape and dtype of the outputs."""
        self._check_shape(inputs.shape)
        steps = None if inputs.shape[1] is None else self._steps(inputs)
        shape = (inputs.shape[0], steps, self.outputs)
        return keras.KerasTensor(shape, at_least_float32(self.compute_dtype))

    def compute_output_shape(self, inputs_shape: Shape) -> Shape:
        """The shape of the outputs alone."""
        return TreeAttention.compute_output_spec(self, keras.KerasTensor(inputs_shape)).shape

    def shape_of_paths(self, inputs: Tensor) -> Shape:
        """`(batch, accesses, levels)`, None where a size is unknown."""
        steps = None if inputs.shape[1] is None else self._steps(inputs)
        accesses = None if steps is None else self.accesses_per_output * steps
        known = self.num_leaves is not None or inputs.shape[1] is not None
        return inputs.shape[0], accesses, self._sizes(inputs)[1] if known else None

    def shape_of_nodes(self, inputs: Tensor) -> Shape:
        """`(batch, accesses + 1, 2n, d)`, None where a size is unknown."""
        batch_size, accesses, levels = self.shape_of_paths(inputs)
        accesses = None if accesses is None else accesses + 1
        twice = None if levels is None else 2 ** (levels + 1)
        return batch_size, accesses, twice, self.memory.units

    def compute_mask(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor | None:
        """True for the outputs that the length of the example's input allows."""
        if isinstance(inputs, keras.KerasTensor):
            return None  # Skipped while only shapes are computed.
        return self._reached(self._present(inputs, mask))

    def _check_shape(self, shape):
        unknown = len(shape) == 3 and shape[2] is None
        if len(shape) != 3 or shape[1] == 0 or (unknown and not self.built):
            raise ValueError(
                "`inputs` must be vectors of shape (batch, m, b) with m of at least 1 and a fixed "
                f"b. Received: shape={tuple(shape)}"
            )
        too_long = None not in (self.num_leaves, shape[1]) and shape[1] > self.num_leaves
        if too_long and self.controller is not None:
            raise ValueError(
                f"`inputs` may have as many vectors as the memory has leaves, {self.num_leaves}. "
                f"Received: shape={tuple(shape)}"
            )
        if self.built and not unknown and shape[2] != self._features:
            raise ValueError(
                f"`inputs` must be vectors of width {self._features}. "
                f"Received: shape={tuple(shape)}"
            )

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "outputs": self.outputs,
            "controller": serialize(self.controller),
            "memory": serialize(self.memory),
            "accesses_per_output": self.accesses_per_output,
            "max_outputs": list(self.max_outputs),
            "num_leaves": self.num_leaves,
            "padding": self.padding,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return super().from_config(restored(config, ("controller", "memory")))


def levels_over(length: Any) -> Any:
    """The smallest number of levels above `length` leaves: an integer, or a scalar tensor."""
    if isinstance(length, int):
        return (length - 1).bit_length()
    return ops.sum(ops.cast(2 ** ops.arange(31, dtype="int32") < length, "int32"))


def _max_outputs(value, is_raw):
    value = check_max_outputs(value)
    if is_raw and value != (1, 0):
        raise ValueError(
            "Without a controller there is one output for each operation: argument `max_outputs` "
            f"must be (1, 0). Received: max_outputs={value!r}"
        )
    return value
