"""The stack RNN: a recurrent network whose memory is differentiable stacks."""

import inspect
from typing import Any, Self

import keras
from keras import ops, tree

from .. import arguments, cells
from ..configuration import restored
from ..masks import mask_or_attached
from ..types import Shape, Tensor

EMPTY = -1.0


@keras.saving.register_keras_serializable(package="keras_adaptive")
class StackRNNCell(keras.layers.Layer):
    """A simple recurrent cell with differentiable stacks of numbers.

    The input x and the topmost `read_depth` numbers of all stacks give the hidden units h, and
    these give, for every stack, a number d to push and the probabilities a of three actions:

        h = σ(U x + P top)        d = σ(D h)        a = softmax(A h)

    The new stack is the mean of the results of the actions, weighted by a: PUSH puts d on top, POP
    removes the top, and NO-OP changes nothing. Below its last number a stack holds -1 ("empty").

    Args:
        units: integer >= 1, the number of hidden units.
        num_stacks: integer >= 1. Defaults to `10`.
        stack_depth: integer >= `read_depth`, how many numbers a stack holds before it loses the
            lowest; or `None` for unlimited stacks, which need a layer that knows the length of its
            sequences (`StackRNN`, `NextSymbolRNN`). Defaults to `200`.
        read_depth: integer >= 1, how many numbers from the top are read. Defaults to `2`.
        recurrent: whether the hidden units are also fed back directly (R h in the sum for h), not
            only through the stacks. Defaults to `False`.
        action_sharpness: float > 0; a factor of the logits of the actions outside of training.
            Above 1 the stacks blur less in sequences that are longer than those of the training.
            Defaults to `1.0`.
        hard_actions: whether to take only the most probable action outside of training.
            Defaults to `False`.
        kernel_initializer: of U. With larger weights than Keras's default the hidden units
            distinguish the symbols of a one-hot input from the first step on. Defaults to
            `"glorot_uniform"`.
        action_initializer: of A. Defaults to `"glorot_uniform"`.
        **kwargs: arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, features)`.
        states: list of the hidden units, `(batch, units)`, and the stacks, flat:
            `(batch, num_stacks * depth)`, each stack from its top down.
        training: boolean.

    Returns:
        A tuple: the hidden units, and the list of the new states.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> layer = keras.layers.RNN(StackRNNCell(8, num_stacks=2))
    >>> layer(np.ones((3, 5, 4))).shape == (3, 8)
    True

    Source: Joulin & Mikolov, "Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets"
    (2015), arXiv:1503.01007, section 3.2, Equations 3-7; defaults of the published program for
    addition.
    """

    def __init__(
        self,
        units: int,
        num_stacks: int = 10,
        stack_depth: int | None = 200,
        read_depth: int = 2,
        recurrent: bool = False,
        action_sharpness: float = 1.0,
        hard_actions: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        action_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.num_stacks = arguments.integer("num_stacks", num_stacks, least=1)
        self.read_depth = arguments.integer("read_depth", read_depth, least=1)
        self.stack_depth = arguments.integer("stack_depth", stack_depth, self.read_depth, none=True)
        self.recurrent = arguments.boolean("recurrent", recurrent)
        self.action_sharpness = arguments.number("action_sharpness", action_sharpness, above=0)
        self.hard_actions = arguments.boolean("hard_actions", hard_actions)
        self.kernel_initializer = _initializer("kernel_initializer", kernel_initializer)
        self.action_initializer = _initializer("action_initializer", action_initializer)

    @property
    def state_size(self) -> list[int | None]:
        """Sizes of the states; the second is None for unlimited stacks."""
        has_limit = self.stack_depth is not None
        return [self.units, self.num_stacks * self.stack_depth if has_limit else None]

    @property
    def output_size(self) -> int:
        """The number of hidden units."""
        return self.units

    @property
    def needs_length(self) -> bool:
        """Whether `get_initial_state` needs the number of steps."""
        return self.stack_depth is None

    def build(self, input_shape: Shape) -> None:
        """Creates U, P, D, A, and R if the cell is recurrent."""
        read = self.num_stacks * self.read_depth
        inputs, units, stacks = input_shape[-1], self.units, self.num_stacks
        self.kernel = self.add_weight((inputs, units), self.kernel_initializer, name="kernel")
        self.stack_kernel = self.add_weight((read, units), name="stack_kernel")
        self.push_kernel = self.add_weight((units, stacks), name="push_kernel")
        self.action_kernel = self.add_weight(
            (units, 3 * stacks), self.action_initializer, name="action_kernel"
        )
        if self.recurrent:
            self.recurrent_kernel = self.add_weight((units, units), name="recurrent_kernel")

    def get_initial_state(
        self, batch_size: Tensor | None = None, length: Tensor | None = None
    ) -> list[Tensor]:
        """Hidden units of zero and empty stacks.

        Args:
            batch_size: the number of rows.
            length: the number of steps that will follow, for unlimited stacks.

        Raises:
            ValueError: if the length is missing for unlimited stacks.
        """
        if self.needs_length and length is None:
            raise ValueError(
                "Argument `length` must be given for stacks without limit (`stack_depth=None`); "
                "`StackRNN` and `NextSymbolRNN` do so, `keras.layers.RNN` does not. "
                f"Received: length={length!r}"
            )
        h = ops.zeros((batch_size, self.units), dtype=self.compute_dtype)
        depth = self.read_depth if self.needs_length else self.stack_depth
        stacks = ops.full((batch_size, self.num_stacks * depth), EMPTY, dtype=self.compute_dtype)
        return self.make_room([h, stacks], length)

    def make_room(self, states: list[Tensor], length: Tensor) -> list[Tensor]:
        """The states, with room at the bottom of each stack for `length` more steps."""
        if not self.needs_length:
            return states
        h, stacks = states
        stacks = ops.reshape(stacks, (ops.shape(h)[0], self.num_stacks, -1))
        room = ops.full((ops.shape(h)[0], self.num_stacks, length), EMPTY, dtype=stacks.dtype)
        stacks = ops.concatenate([stacks, room], axis=-1)
        return [h, ops.reshape(stacks, (ops.shape(h)[0], -1))]

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        """One step; see the class."""
        h, flat = states
        # With -1 a batch size that is known would be lost, which a loop refuses.
        batch, width = ops.shape(flat)
        stacks = ops.reshape(flat, (batch, self.num_stacks, width // self.num_stacks))
        read = self.num_stacks * self.read_depth
        top = ops.reshape(stacks[:, :, : self.read_depth], (batch, read))
        total = ops.matmul(inputs, self.kernel) + ops.matmul(top, self.stack_kernel)
        if self.recurrent:
            total = total + ops.matmul(h, self.recurrent_kernel)
        h = ops.sigmoid(total)
        pushed = ops.sigmoid(ops.matmul(h, self.push_kernel))[:, :, None]
        actions = ops.reshape(ops.matmul(h, self.action_kernel), (batch, self.num_stacks, 3))
        if training:
            actions = ops.softmax(actions, axis=-1)
        elif self.hard_actions:
            actions = ops.one_hot(ops.argmax(actions, axis=-1), 3, dtype=h.dtype)
        else:
            actions = ops.softmax(self.action_sharpness * actions, axis=-1)
        push, pop, no_op = (actions[:, :, i : i + 1] for i in range(3))
        bottom = ops.full_like(pushed, EMPTY)
        stacks = (
            push * ops.concatenate([pushed, stacks[:, :, :-1]], axis=-1)
            + pop * ops.concatenate([stacks[:, :, 1:], bottom], axis=-1)
            + no_op * stacks
        )
        return h, [h, ops.reshape(stacks, ops.shape(flat))]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this cell again."""
        return {
            **super().get_config(),
            "units": self.units,
            "num_stacks": self.num_stacks,
            "stack_depth": self.stack_depth,
            "read_depth": self.read_depth,
            "recurrent": self.recurrent,
            "action_sharpness": self.action_sharpness,
            "hard_actions": self.hard_actions,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "action_initializer": keras.initializers.serialize(self.action_initializer),
        }


@keras.saving.register_keras_serializable(package="keras_adaptive")
class StackRNN(keras.layers.RNN):
    """A recurrent layer with differentiable stacks: `StackRNNCell` over a sequence.

    Args:
        cell: a `StackRNNCell`; or its `units`, and then, by position or name, its other arguments,
            of which `stack_depth` is `None` by default: the stacks grow with the length of the
            sequence.
        **kwargs: arguments of `keras.layers.RNN`, or of the cell.

    Call arguments:
        sequences: `(batch, time, features)`.
        initial_state: list of the hidden units and the stacks, as in `StackRNNCell`.
        mask: boolean `(batch, time)`; false marks time steps to skip.
        training: boolean.

    Returns:
        The last hidden units, `(batch, units)`, or with `return_sequences` all of them; with
        `return_state` also the two states, in one tuple.

    Raises:
        ValueError: if an argument is out of its range, or goes with `units` and not with a cell.

    Example:

    >>> layer = StackRNN(StackRNNCell(8, num_stacks=2, stack_depth=None), return_sequences=True)
    >>> layer(np.ones((3, 5, 4))).shape == (3, 5, 8)
    True
    >>> StackRNN(8, num_stacks=2).cell.stack_depth is None
    True

    Source: Joulin & Mikolov (2015), arXiv:1503.01007, section 3.2.
    """

    def __init__(self, cell: Any = None, *args: Any, **kwargs: Any):
        names = inspect.signature(StackRNNCell).parameters.keys() - {"kwargs"}
        of_cell = {name: kwargs.pop(name) for name in names & kwargs.keys()}
        if not isinstance(cell, keras.layers.Layer):
            args = args if cell is None else (cell, *args)
            of_cell = {"dtype": kwargs.get("dtype"), "name": "cell", **of_cell}
            if len(args) < 3:
                of_cell.setdefault("stack_depth", None)
            cell = StackRNNCell(*args, **of_cell)
        elif not isinstance(cell, StackRNNCell) or args or of_cell:
            arguments.refuse("cell", cell, "`units`, or a `StackRNNCell` with all its arguments")
        if cell.needs_length and kwargs.get("stateful"):
            raise ValueError(
                "Argument `stateful` needs stacks with a limit, as the state's size is fixed. "
                "Received: stateful=True, stack_depth=None"
            )
        super().__init__(cell, **kwargs)

    def call(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        """Runs the cell over the sequences; see the class."""
        mask = mask_or_attached(mask, arguments.one_tensor("sequences", sequences))
        if initial_state is not None:
            cells.check_states(self.cell, initial_state, sequences.shape[0])
        if self.cell.needs_length:
            batch_size, length = ops.shape(sequences)[0], ops.shape(sequences)[1]
            if initial_state is None:
                initial_state = self.cell.get_initial_state(batch_size, length)
            else:
                initial_state = self.cell.make_room(initial_state, length)
        return super().call(sequences, initial_state, mask, training)

    def reset_state(self) -> None:
        """Empties the stacks, if the layer is stateful."""
        super().reset_state()
        states = tree.flatten(self.states or [])
        if self.stateful and states:
            for state, first in zip(states, self.cell.get_initial_state(states[0].shape[0])):
                state.assign(first)

    def compute_output_shape(self, sequences_shape: Shape, initial_state_shape: Any = None) -> Any:
        """The shapes of what `call` returns."""
        shape = super().compute_output_shape(sequences_shape, initial_state_shape)
        if not (self.return_state and self.cell.needs_length):
            return shape
        batch_size, length = sequences_shape[:2]
        stacks = None
        if length is not None and initial_state_shape is None:
            stacks = self.cell.num_stacks * (self.cell.read_depth + length)
        return *shape[:2], (batch_size, stacks)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`, of older versions too, which had the cell's arguments."""
        return cls(**restored(config, ["cell"]))


def _initializer(name, value):
    return arguments.interpreted(
        name, value, keras.initializers.get, "an initializer or the name of one"
    )
