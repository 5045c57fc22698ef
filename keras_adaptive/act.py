"""ACTRNN: a recurrent layer that learns how many steps to spend on each input."""

from typing import Any, Self

import keras
from keras import ops, tree

from . import arguments, cells
from .attention import AttentionCell
from .configuration import restored
from .dtypes import as_added
from .empty_batch import accepts_empty_batch
from .freezing import KeepsFrozenParts
from .halting import ACT, Fixed, report
from .halting.loop import symbolic_outputs
from .halting.over_time import over_time
from .halting.rules import rule_named
from .halting_unit import HaltingUnit
from .masks import mask_or_attached
from .time_penalty import HasTimePenalty
from .types import Rule, Shape, Tensor

_SWITCHES = {
    "go_backwards",
    "return_sequences",
    "return_state",
    "stateful",
    "unroll",
    "zero_output_for_mask",
}


def _untracked(states):
    """The nest with plain lists in place of the tracked lists that Keras makes."""
    return [_untracked(x) if isinstance(x, list) else x for x in states]


@keras.saving.register_keras_serializable(package="keras_adaptive")
class ACTRNN(HasTimePenalty, KeepsFrozenParts, keras.layers.RNN):
    """A recurrent layer with Adaptive Computation Time.

    At each time step the cell is applied repeatedly to the same input, to which a flag is appended
    that is 1 at the first of these steps, until the sum of a sigmoidal halting unit's activations
    reaches `1 - epsilon`. The next state and the output are the means of the states and outputs of
    these steps, weighted by the halting activations, the last step by the remainder. The layer adds
    the ponder cost `time_penalty * mean over the batch of the sum over time of (N + R)` to the
    losses, so that a plain `fit` trains it.

    Masked time steps take no steps, have no cost and do not change the state.

    Args:
        cell: any Keras RNN cell, or a list of cells (they are stacked and ponder together).
        max_ponder: integer >= 1, M, the largest number of steps an input may take. Can be changed
            later (`layer.max_ponder = 5`), before a model's functions are traced, or by
            `halting.limits`. Defaults to `100`.
        epsilon: float in [0, 1). See `halting.ACT`. Defaults to `0.01`.
        time_penalty: float >= 0, τ, the price of one step in units of the loss. A property that
            can be set while training without retracing. Defaults to `1e-3`.
        halting_bias: float, initial bias of the halting unit. A positive value halts early and
            keeps the first steps of training short; a negative one ("deep start") helps if
            a network stays at one or two steps. Defaults to `1.0`.
        halting: `"act"`, `"fixed"` (every input gets `steps` steps, without halting unit and
            ponder cost), `"sampled"` (the last step is drawn, see `halting.Sampled`), or a rule
            object (see `halting`), which has limits of its own: `max_ponder` and `epsilon` are not
            read then. Defaults to `"act"`.
        steps: integer >= 1, the number of steps for `halting="fixed"`.
        target_ponder: float >= 1 or a `control.TargetPonder`; adapts the time penalty in training
            so that the mean number of steps settles there. Defaults to `None`.
        return_ponder: whether to return, as last element, a dict of `steps` N and `remainder` R,
            each `(batch, time)` and at least float32, zero where masked, in the order of the
            outputs. Keras applies an `activity_regularizer` to all that a layer returns, to states
            and this too; `halting.record` leaves the ponder out of it. Not possible inside
            `keras.layers.Bidirectional`. Defaults to `False`.
        return_sequences: whether to return all outputs or the last. Defaults to `False`.
        return_state: whether to return the last state too. Defaults to `False`.
        **kwargs: arguments of `keras.layers.RNN`: `go_backwards`, `stateful`, `unroll`,
            `zero_output_for_mask`, `name`, `dtype`.

    Call arguments:
        sequences: `(batch, time, features)`.
        initial_state: list of initial state tensors of the cell, with a row for each sequence.
        mask: boolean `(batch, time)`; false marks time steps to skip.
        memory: `(batch, positions, features)`, what a cell that reads looks at in every step, such
            as the outputs of an encoder; see `AttentionCell`. It is not part of the state.
        memory_mask: boolean `(batch, positions)`; false marks positions not to read. Defaults to
            the mask that a layer attached to the memory.
        training: boolean.

    Returns:
        The output, `(batch, units)` or with `return_sequences` `(batch, time, units)`; then, if
        requested, the state tensors and the ponder dict, all in one tuple.

    Raises:
        ValueError: if an argument is out of its range, or the input has the wrong rank or width, or
            no time step.

    Example:

    >>> layer = ACTRNN(
    ...     keras.layers.LSTMCell(16), max_ponder=20, return_sequences=True, return_ponder=True
    ... )
    >>> outputs, ponder = layer(np.random.default_rng(0).normal(size=(2, 5, 3)))
    >>> outputs.shape == (2, 5, 16), ponder["steps"].shape == (2, 5)
    (True, True)

    Differences from the paper: the halting unit sees the cell's output (for an LSTM h, not the
    memory cells c), which Equation 5 allows; with a mask there may be time steps without ponder.

    Source: Graves, "Adaptive Computation Time for Recurrent Neural Networks" (2016),
    arXiv:1603.08983, Equations 1-20.
    """

    reports_ponder = True

    def __init__(
        self,
        cell: Any,
        max_ponder: int = 100,
        epsilon: float = 0.01,
        time_penalty: float = 1e-3,
        halting_bias: float = 1.0,
        halting: str | Rule = "act",
        steps: int | None = None,
        target_ponder: Any = None,
        return_ponder: bool = False,
        return_sequences: bool = False,
        return_state: bool = False,
        **kwargs: Any,
    ):
        if return_ponder and str(kwargs.get("name")).startswith(("forward_", "backward_")):
            raise ValueError(
                "Argument `return_ponder` cannot be True inside `keras.layers.Bidirectional` "
                "(which names its layers `forward_…` and `backward_…`), because it merges outputs "
                "only. Use two ACTRNN layers, one with `go_backwards=True`, or read the ponder "
                f"with `halting.record`. Received: name={kwargs['name']!r}"
            )
        options = {"return_sequences": return_sequences, "return_state": return_state, **kwargs}
        for name in _SWITCHES & options.keys():
            arguments.boolean(name, options[name])
        super().__init__(arguments.cell("cell", cell), **options)
        is_image_like = cells.is_image_like(self.cell)
        if is_image_like:
            cells.check_image_like("cell", self.cell)
        if is_image_like or cells.reads(self.cell):
            # In a loop of TensorFlow, XLA takes minutes for the gradient of a convolution, and on a
            # CPU attention takes longer when XLA compiles it.
            self.supports_jit = keras.config.backend() != "tensorflow"
        self.rule = rule_named(halting, max_ponder, epsilon, steps)
        self.halting_bias = arguments.number("halting_bias", halting_bias)
        self.return_ponder = arguments.boolean("return_ponder", return_ponder)
        self.set_time_penalty(time_penalty, target_ponder, self.rule.has_ponder_cost, halting)
        # What a rule draws is drawn before the loop over time, which can have no state on JAX.
        self.draws = hasattr(self.rule, "drawn")
        if self.draws:
            self.seed_generator = keras.random.SeedGenerator(self.rule.seed)
        self.halting_unit = None
        if not isinstance(self.rule, Fixed):
            self.halting_unit = HaltingUnit(self.halting_bias, self.compute_dtype)

    @property
    def max_ponder(self) -> int:
        """M, the largest number of steps; set it before a model's functions are traced."""
        return self.rule.max_ponder

    @max_ponder.setter
    def max_ponder(self, value: int) -> None:
        self.rule.max_ponder = arguments.integer("max_ponder", value, least=1)

    @property
    def epsilon(self) -> float | None:
        """How much halting mass may be missing from 1 at the last step (`None` if no such)."""
        return getattr(self.rule, "epsilon", None)

    @epsilon.setter
    def epsilon(self, value: float) -> None:
        if self.epsilon is None:
            raise ValueError(
                f"Layer '{self.name}' has no `epsilon`, as its rule `{type(self.rule).__name__}` "
                f"has none. Received: epsilon={value!r}"
            )
        self.rule.epsilon = value

    def build(
        self,
        sequences_shape: tuple[Any, ...],
        initial_state_shape: Any = None,
        memory_shape: Shape | None = None,
    ) -> None:
        """Creates the weights of the cell, the halting unit and τ."""
        if len(sequences_shape) < 3 or sequences_shape[-1] is None:
            raise ValueError(
                f"Layer '{self.name}' expects sequences of shape (batch, time, features) with a "
                f"fixed number of features. Received: shape={tuple(sequences_shape)}"
            )
        batch_size, _, *middle, features = sequences_shape
        cells.check_vectors(self.name, self.cell, (batch_size, *middle, features), "time, ")
        cells.check_memory(self, memory_shape)
        cells.build(self.cell, (batch_size, *middle, features + 1), memory_shape)
        if self.halting_unit is not None and not self.halting_unit.built:
            self.halting_unit.build(self._shape_of_output(sequences_shape))
        self.build_time_penalty(self.rule.has_ponder_cost)
        self.freeze_parts()
        super().build(sequences_shape)
        self.input_spec = keras.layers.InputSpec(ndim=len(sequences_shape), axes={-1: features})

    def _shape_of_output(self, sequences_shape):
        """`(batch, …)`, the shape of the output at one time step."""
        batch_size, _, *middle, features = sequences_shape
        return cells.output_shape(self.cell, (batch_size, *middle, features + 1))

    @accepts_empty_batch
    def call(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Any = None,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """Runs the cell over the sequences; see the class."""
        self._check(sequences)
        memory = cells.prepared_memory(self, memory, memory_mask, sequences.shape[0])
        states = self._initial_states(sequences, initial_state)
        # Keras draws a cell's dropout masks before the loop, which can have no state on JAX.
        self._maybe_config_dropout_masks(self.cell, sequences[:, 0], states)
        mask = mask_or_attached(mask, sequences)
        result = self._over_time(sequences, states, mask, memory, training)
        self._maybe_reset_dropout_masks(self.cell)
        states = tree.map_structure(lambda x: ops.cast(x, self.compute_dtype), result.states)
        if self.stateful:
            for variable, state in zip(tree.flatten(self.states), tree.flatten(states)):
                variable.assign(state)
        entry = report(self, result.steps, result.remainder, self.charged_time_penalty())
        if self.rule.has_ponder_cost:
            self.add_loss(as_added(entry.cost))
        if training:
            self.adapt_time_penalty(entry.mean_steps)
        output = result.outputs if self.return_sequences else result.output
        results = [ops.cast(output, self.compute_dtype)]
        if self.return_state:
            results += states
        if self.return_ponder:
            results.append({"steps": result.steps, "remainder": result.remainder})
        return tuple(results) if len(results) > 1 else results[0]

    def _check(self, sequences):
        batch_size, time, *_ = shape = tuple(sequences.shape)
        rows = tree.flatten(self.states)[0].shape[0] if self.stateful else None
        if time == 0:
            expected = "sequences of shape (batch, time, features) with at least one time step"
        elif time is None and self.unroll:
            expected = "a fixed number of time steps, as unroll=True"
        elif None not in (rows, batch_size) and rows != batch_size:
            expected = f"batches of {rows} sequences, for which it was built, as stateful=True"
        else:
            return
        raise ValueError(f"Layer '{self.name}' expects {expected}. Received: shape={shape}")

    def _initial_states(self, sequences, initial_state):
        """The states to begin with, a list of tensors in the dtype of the cell."""
        is_given = initial_state is not None
        if not is_given:
            initial_state = self.states or self.get_initial_state(ops.shape(sequences)[0])
        states = initial_state if tree.is_nested(initial_state) else [initial_state]
        # Keras keeps the states of a stateful layer as variables, which no loop can carry, and
        # which are assigned before the gradient asks for their values.
        values = [
            ops.copy(x.value) if isinstance(x, keras.Variable) else x for x in tree.flatten(states)
        ]
        values = [ops.convert_to_tensor(x, self.cell.compute_dtype) for x in values]
        if is_given:
            cells.check_states(self.cell, values, sequences.shape[0])
        return tree.pack_sequence_as(_untracked(states), values)

    def _over_time(self, sequences, states, mask, memory, training):
        """The loop over time, each of whose steps is a loop of the halting rule."""

        def step(n, states, inputs):
            now, read = inputs if memory is not None else (inputs, None)
            output, states = cells.advance(self.cell, _with_flag(now, n), states, training, read)
            halting = self.halting_unit(output) if self.halting_unit is not None else None
            return output, halting, states

        chance = None
        if self.draws:
            chance = self.rule.draw(ops.shape(sequences)[:2], training, self.seed_generator)
        shape = self._shape_of_output(ops.shape(sequences))
        return over_time(
            step,
            states,
            ops.zeros(shape, dtype=tree.flatten(states)[0].dtype),
            self.rule,
            sequences,
            mask,
            chance,
            memory,
            training=bool(training),
            return_sequences=self.return_sequences,
            go_backwards=self.go_backwards,
            zero_output_for_mask=self.zero_output_for_mask,
            unroll=self.unroll,
            compiled=all(layer.supports_jit for layer in self._flatten_layers()),
        )

    def _maybe_config_dropout_masks(self, cell, input_sequence, input_state):
        # Keras draws a cell's dropout masks before the loop, in the width of what the cell sees.
        if cell is self.cell:
            input_sequence = _with_flag(input_sequence, 1)
        if isinstance(cell, AttentionCell):
            cell, input_sequence = cell.cell, cell.with_empty_context(input_sequence)
        super()._maybe_config_dropout_masks(cell, input_sequence, input_state)

    def _maybe_reset_dropout_masks(self, cell):
        super()._maybe_reset_dropout_masks(cell.cell if isinstance(cell, AttentionCell) else cell)

    def compute_output_shape(
        self,
        sequences_shape: Shape,
        initial_state_shape: Any = None,
        memory_shape: Shape | None = None,
    ) -> Any:
        """The shapes of what `call` returns, in the same structure."""
        shape = super().compute_output_shape(sequences_shape, initial_state_shape)
        if cells.is_image_like(self.cell):
            element = self._shape_of_output(sequences_shape)
            shape = (*sequences_shape[:2], *element[1:]) if self.return_sequences else element
            shape = (shape, element, element) if self.return_state else shape
        if not self.return_ponder:
            return shape
        ponder_shape = tuple(sequences_shape[:2])
        shape = shape if self.return_state else (shape,)
        return *shape, {"steps": ponder_shape, "remainder": ponder_shape}

    def compute_output_spec(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Any = None,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """Symbolic outputs; the ponder is at least float32 whatever the compute dtype."""
        return symbolic_outputs(self, self.compute_output_shape(sequences.shape))

    def compute_mask(self, sequences: Tensor, mask: Tensor | None = None) -> Any:
        """The mask of the outputs: that of the sequences, if sequences are returned."""
        masks = super().compute_mask(sequences, mask)
        if not self.return_ponder:
            return masks
        masks = masks if self.return_state else [masks]
        return [*masks, None, None]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        halting = {ACT: "act", Fixed: "fixed"}.get(type(self.rule))
        halting = halting or keras.saving.serialize_keras_object(self.rule)
        return {
            **super().get_config(),
            "cell": cells.config(self.cell),
            "max_ponder": self.max_ponder,
            "epsilon": self.epsilon if halting == "act" else 0.01,
            "time_penalty": self._initial_time_penalty,
            "halting_bias": self.halting_bias,
            "halting": halting,
            "steps": self.max_ponder if halting == "fixed" else None,
            "target_ponder": keras.saving.serialize_keras_object(self.target_ponder),
            "return_ponder": self.return_ponder,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return super().from_config(restored(config, ("halting", "target_ponder")))


def _with_flag(inputs, n):
    """Appends δ_{n,1}: 1 at the first step on an input, 0 at the others (Equation 3)."""
    flag = ops.cast(ops.equal(n, 1), inputs.dtype)
    flag = ops.broadcast_to(flag, (*ops.shape(inputs)[:-1], 1))
    return ops.concatenate([inputs, flag], axis=-1)
