"""One recurrent network that reads a sequence and continues it."""

from typing import Any

import keras
from keras import ops, tree

from .. import arguments, backend, cells
from ..halting.loop import expand
from ..types import Shape, Tensor
from .alphabets import Alphabet
from .generator import SequenceGenerator


@keras.saving.register_keras_serializable(package="keras_adaptive")
class NextSymbolRNN(SequenceGenerator):
    """A recurrent cell that predicts the next symbol, from a start symbol on.

    The cell reads the input, then the start symbol (the "=" of "a + b ="), and then each generated
    element. Inputs and outputs share their symbols, and so their weights: 1 as input and 1 as
    output are the same symbol. The loss covers what follows the start symbol, not the input.

    How it trains, generates, evaluates and exports: see `SequenceGenerator`.

    Args:
        cell: any Keras RNN cell; a `StackRNNCell` makes it the stack RNN of the papers.
        source: `Symbols` or `Vectors`, the kind of inputs.
        target: the same class, the kind of outputs.
        max_outputs: as in `SequenceGenerator`. Defaults to `(1, 0)`.
        reverse_inputs: as in `SequenceGenerator`. The stack RNN reads the highest digit of a number
            first, and writes the lowest first. Defaults to `False`.
        **kwargs: arguments of `keras.Model`: `name`, `dtype`.

    Call arguments:
        inputs: sequences of `source`.
        targets: sequences of `target` to feed back; optional.
        mask: boolean `(batch, time)`, in addition to the padding of `source`.
        training: boolean.

    Returns:
        Probabilities, `(batch, steps, target.width)`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> cell = StackRNNCell(8, num_stacks=2, stack_depth=None)
    >>> model = NextSymbolRNN(cell, Symbols(5), Symbols(3), reverse_inputs=True)
    >>> model.compile("sgd", "sparse_categorical_crossentropy")
    >>> x, y = np.array([[1, 4, 2], [2, 4, 2]]), np.array([[2, 0, 0], [1, 2, 0]])
    >>> sorted(model.fit(x, y, verbose=0).history)
    ['loss']
    >>> model.predict(x, verbose=0).shape
    (2, 3, 3)

    Differences from the paper: every sequence begins with empty stacks, where the published program
    empties them after ten; the output layer has biases.

    Source: Joulin & Mikolov (2015), arXiv:1503.01007, sections 3.2 and 4.2 (binary addition).
    """

    def __init__(
        self,
        cell: Any,
        source: Alphabet,
        target: Alphabet,
        max_outputs: tuple[float, int] = (1, 0),
        reverse_inputs: bool = False,
        **kwargs: Any,
    ):
        super().__init__(source, target, max_outputs, reverse_inputs, **kwargs)
        if source.kind != target.kind:
            raise ValueError(
                "Argument `target` must be of the kind of `source`, as both are read by the same "
                f"weights. Received: target={target!r}, source={source!r}"
            )
        if isinstance(cell, (list, tuple)):
            arguments.refuse("cell", cell, "one RNN cell; `keras.layers.StackedRNNCells` is one")
        self.cell = arguments.cell("cell", cell)

    @property
    def _width(self):
        return max(self.source.width, self.target.width)

    def build(self, inputs_shape: Shape | None = None, targets_shape: Shape | None = None) -> None:
        """Creates the weights of the cell and of the output layer."""
        if not self.cell.built:
            self.cell.build((None, self._width + 1))
            self.cell.built = True
        size = getattr(self.cell, "output_size", None)
        self.build_head(tree.flatten(self.cell.state_size)[0] if size is None else size)

    def encode(
        self, vectors: Tensor, present: Tensor, steps: Tensor, training: bool
    ) -> tuple[Any, Any]:
        """Runs the cell over the inputs."""
        batch_size, length = ops.shape(vectors)[0], ops.shape(vectors)[1]
        arguments = {}
        if getattr(self.cell, "needs_length", False):
            arguments["length"] = length + steps
        state = self.cell.get_initial_state(batch_size=batch_size, **arguments)
        no_start = ops.zeros_like(vectors[..., :1])
        vectors = self._wide(vectors, no_start)
        if training:
            cells.draw_dropout_masks(self.cell, vectors[:, 0], state)

        def step(state, now):
            vectors, present = now
            _, new = self._step(vectors, state, training)
            choose = lambda n, o: ops.where(expand(present, ops.ndim(n)), n, o)  # noqa: E731
            return tree.map_structure(choose, new, state), ()

        in_time = (ops.swapaxes(vectors, 0, 1), ops.swapaxes(present, 0, 1))
        state, _ = backend.scan(step, state, in_time)
        return state, ()

    def decode(
        self, vectors: Tensor, state: Any, memory: Any, training: bool
    ) -> tuple[Tensor, Any]:
        """One step of the cell."""
        return self._step(self._wide(vectors[..., :-1], vectors[..., -1:]), state, training)

    def _wide(self, vectors, start):
        """`vectors` and the flag of the start symbol, in the width of the cell's input."""
        room = [(0, 0)] * (len(vectors.shape) - 1) + [(0, self._width - vectors.shape[-1])]
        return ops.concatenate([ops.pad(vectors, room), start], axis=-1)

    def _step(self, vectors, state, training):
        return cells.advance(self.cell, vectors, state, training)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
        }
