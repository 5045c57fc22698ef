"""PonderNet: a network that learns the probability to halt after each step."""

from typing import Any

import keras
from keras import ops

from . import arguments, building, cells
from .configuration import restored
from .freezing import KeepsFrozenParts
from .halting import Expected, Sampled, ponder, report
from .halting.loop import symbolic_outputs
from .halting.max_ponder import HasMaxPonder
from .halting_unit import HaltingUnit
from .types import Shape, Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
def sine(x: Tensor) -> Tensor:
    """An activation for cells that count what repeats, as parity does."""
    return ops.sin(x)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class PonderNet(HasMaxPonder, KeepsFrozenParts):
    """A cell that is repeated on the same input until it halts, with an answer at each step.

    After every step n a head makes an answer ŷ_n of the cell's output, and a halting unit the
    probability λ_n to halt now, if the example has not halted before. So it halts at step n with
    probability `p_n = λ_n Π (1 - λ_i)` over the steps i < n; at the last step λ is 1.

    In training all `max_ponder` steps are taken. The layer returns the mean answer Σ p_n ŷ_n, and
    `models.PonderNetModel` weights the *losses* of all answers by p, so the answer of every
    step must be right. Train it in that model; memory grows with `max_ponder`.

    In inference each example halts by itself, and the output is the answer of its last step. The
    loop ends when all have halted. `halting.compaction()` drops examples from the batch when they
    halt, and `halting.limits(max_ponder=5)` sets another limit.

    Args:
        cell: a Keras RNN cell, a list of such cells, or a layer with the same interface
            (`state_size`, `call(inputs, states)`); its states are zero at first. Any step can be
            one.
        head: a layer that makes an answer of the cell's output. By default that is the answer.
        max_ponder: integer >= 1, the largest number of steps. Defaults to `20`.
        inference: `"median"`, to halt at the first step by which the probability to have halted is
            at least 1/2, or `"sample"`, to draw the step. Defaults to `"median"`.
        halting_bias: float, the halting unit's bias at first. The default, `-1.5`, makes λ 0.18, so
            that the steps after the first few count in the beginning.
        return_ponder: whether to return also a dict of `steps`, the number of steps (in training
            the mean Σ n p_n), and `remainder`, zero, each `(batch,)` and at least float32. Defaults
            to `False`.
        seed: integer or `None`, of what is drawn.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, features)`, or whatever the cell takes.
        training: boolean.

    Returns:
        The answer, with the batch as first axis; with `return_ponder` a tuple of it and the dict.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> layer = PonderNet(keras.layers.GRUCell(8), keras.layers.Dense(3), return_ponder=True)
    >>> answer, ponder = layer(np.ones((4, 5), "float32"))
    >>> answer.shape == (4, 3), ponder["steps"].shape == (4,)
    (True, True)

    Differences from the paper: λ_n is read off the cell's output at step n, not its state, which
    for a GRU is the same; and by default inference halts at the median, where the paper samples.

    Source: Banino, Balaguer, Blundell (2021), "PonderNet: Learning to Ponder", arXiv:2107.05407,
    section 2.
    """

    reports_ponder = True

    def __init__(
        self,
        cell: Any,
        head: keras.layers.Layer | None = None,
        max_ponder: int = 20,
        inference: str = "median",
        halting_bias: float = -1.5,
        return_ponder: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        cell = arguments.cell("cell", cell)
        self.cell = keras.layers.StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if head is not None:
            arguments.instance("head", head, keras.layers.Layer, "a layer or None")
        self.head = head
        self.max_ponder = max_ponder
        self.inference = arguments.choice("inference", inference, ("median", "sample"))
        self.halting_bias = arguments.number("halting_bias", halting_bias)
        self.return_ponder = arguments.boolean("return_ponder", return_ponder)
        self.seed = arguments.seed("seed", seed)
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.halting_unit = HaltingUnit(self.halting_bias, self.compute_dtype)

    def build(self, input_shape: Shape) -> None:
        """Creates the weights of the cell, the head and the halting unit."""
        cells.check_vectors(self.name, self.cell, input_shape)
        cells.build(self.cell, input_shape)
        output_shape = cells.output_shape(self.cell, input_shape)
        if self.head is not None:
            building.build(self.head, output_shape)
        self.halting_unit.build(output_shape)
        self.freeze_parts()
        self.input_spec = keras.layers.InputSpec(
            ndim=len(input_shape), axes={-1: input_shape[-1]}
        )

    def call(self, inputs: Any, training: bool = False) -> Any:
        """Thinks about a batch, and answers."""
        batch_size = ops.shape(inputs)[0]

        def step(n, states, inputs):
            output, states = cells.advance(self.cell, inputs, states, training)
            return output, self.halting_unit(output), states

        states = cells.initial_states(self.cell, batch_size)
        if training:
            cells.draw_dropout_masks(self.cell, inputs, states)
            result = ponder(step, states, Expected(self.max_ponder), inputs, history=True)
            numbers = ops.arange(1, self.max_ponder + 1, dtype=result.weights.dtype)
            steps = ops.sum(result.weights * numbers, axis=-1)
            answers = self._answers(result.outputs)
            answer = _mean(answers, result.weights)
            report(
                self,
                steps,
                ops.zeros_like(steps),
                probabilities=result.weights,
                answers=answers,
            )
        else:
            chance = ops.full((batch_size,), 0.5)
            if self.inference == "sample":
                chance = keras.random.uniform((batch_size,), seed=self.seed_generator)
            rule = Sampled(self.max_ponder).drawn(chance)
            result = ponder(step, states, rule, inputs, training=False)
            steps = result.steps
            answer = self._answer(result.output, training)
            report(self, steps, ops.zeros_like(steps))
        if not self.return_ponder:
            return answer
        return answer, {"steps": steps, "remainder": ops.zeros_like(steps)}

    def _answers(self, outputs):
        """The answers to the outputs of all steps in training, `(batch, steps, …)`.

        The head runs after the loop, where random numbers and updates of variables, as in dropout
        and normalization, are possible on every backend.
        """
        shape = ops.shape(outputs)
        answers = self._answer(ops.reshape(outputs, (-1, *shape[2:])), training=True)
        return ops.reshape(answers, (-1, self.max_ponder, *ops.shape(answers)[1:]))

    def _answer(self, output, training):
        if self.head is None:
            return output
        return cells.apply(self.head, output, training=training)

    def compute_output_shape(self, input_shape: Shape) -> Any:
        """The shapes of what `call` returns, in the same structure."""
        shape = tuple(cells.output_shape(self.cell, input_shape))
        if self.head is not None:
            shape = building.output_shape(self.head, shape)
        if not self.return_ponder:
            return shape
        return shape, {"steps": shape[:1], "remainder": shape[:1]}

    def compute_output_spec(self, inputs: Any, training: bool = False) -> Any:
        """Symbolic outputs; the ponder is at least float32 whatever the compute dtype."""
        outputs = symbolic_outputs(self, self.compute_output_shape(tuple(inputs.shape)))
        if self.head is None:
            return outputs
        answer, *ponder = outputs if self.return_ponder else [outputs]
        answer = keras.KerasTensor(answer.shape, self._dtype_of_answers())
        return (answer, *ponder) if self.return_ponder else answer

    def _dtype_of_answers(self):
        """That of the head, which may not be the layer's."""
        output = cells.output_shape(self.cell, (None,))
        return self.head.compute_output_spec(building.symbolic(output, self)).dtype

    def get_config(self) -> dict:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "cell": cells.config(self.cell),
            "head": keras.saving.serialize_keras_object(self.head),
            "max_ponder": self.max_ponder,
            "inference": self.inference,
            "halting_bias": self.halting_bias,
            "return_ponder": self.return_ponder,
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config: dict) -> "PonderNet":
        """A layer from `get_config`."""
        return super().from_config(restored(config, ("cell", "head")))


def _mean(answers, weights):
    """Σ p_n ŷ_n of answers `(batch, steps, …)` and probabilities `(batch, steps)`."""
    weights = ops.reshape(weights, (*ops.shape(weights), *[1] * (ops.ndim(answers) - 2)))
    return ops.cast(ops.sum(ops.cast(answers, weights.dtype) * weights, axis=1), answers.dtype)
