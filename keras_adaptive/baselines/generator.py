"""The base of models that read a sequence and generate another, up to their own end symbol."""

from typing import Any

import keras
from keras import ops

from .. import arguments, backend
from ..dtypes import at_least_float32
from ..empty_batch import accepts_empty_batch
from ..masks import mask_or_attached
from ..max_outputs import check_max_outputs, output_count
from ..teacher_forcing import TeacherForced
from ..types import Shape, Tensor
from .alphabets import Alphabet


class SequenceGenerator(TeacherForced):
    """A model that reads a sequence and then generates one, element by element.

    Each generated element is fed back to generate the next, until the end symbol. The length of the
    *input* limits the length of the output; the length of a target has no influence on what is
    generated.

    In training (`fit`) the true element is fed back instead ("teacher forcing"), for loss and
    metrics; the targets need not be given twice: `fit(inputs, targets)`. Elements of a target after
    its first end symbol count neither in the loss nor in weighted metrics. `predict`, `evaluate`,
    and a call without targets generate. In `evaluate` the metrics are those of the generated
    sequence, cut or padded with the end symbol to the length of the targets; the loss is that of
    the true sequence.

    Subclasses implement `encode` and `decode`, and create their layers in `build`.

    Args:
        source: `Symbols` or `Vectors`, the kind of inputs.
        target: `Symbols` or `Vectors`, the kind of outputs.
        max_outputs: a number a and an integer b, both >= 0: for an input of n positions at most
            a n + b elements (rounded down) are generated, including the end symbol. Defaults to
            `(1, 0)`.
        reverse_inputs: whether to read the inputs from the last to the first. Defaults to `False`.
        **kwargs: arguments of `keras.Model`: `name`, `dtype`.

    Call arguments:
        inputs: sequences of `source`.
        targets: sequences of `target` to feed back; optional.
        mask: boolean `(batch, time)`, false outside the inputs, in addition to the padding of
            `source`.
        training: boolean.

    Returns:
        Probabilities, `(batch, steps, target.width)`: of each element of the targets, if they are
        given. Else of the generated elements, with a n + b steps for the longest n of the batch;
        after the end of a row the end symbol has probability 1.

    Raises:
        ValueError: if an argument is out of its range, or inputs or targets do not match `source`
            or `target`.
    """

    serialized = ("source", "target", "cell")

    def __init__(
        self,
        source: Alphabet,
        target: Alphabet,
        max_outputs: tuple[float, int] = (1, 0),
        reverse_inputs: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        for name, value in (("source", source), ("target", target)):
            if isinstance(value, type) or not hasattr(value, "vectors"):
                arguments.refuse(name, value, "`Symbols` or `Vectors`")
        self.source = source
        self.target = target
        self.max_outputs = check_max_outputs(max_outputs)
        self.reverse_inputs = arguments.boolean("reverse_inputs", reverse_inputs)
        self.supports_masking = True

    def encode(
        self, vectors: Tensor, present: Tensor, steps: Tensor, training: bool
    ) -> tuple[Any, Any]:
        """Reads the inputs.

        Args:
            vectors: `(batch, time, source.width)`.
            present: boolean `(batch, time)`.
            steps: the maximum number of elements to generate.
            training: boolean.

        Returns:
            A tuple: the state before the first step, and the memory that every step reads; both
            are nests of tensors.
        """
        raise NotImplementedError

    def decode(
        self, vectors: Tensor, state: Any, memory: Any, training: bool
    ) -> tuple[Tensor, Any]:
        """One step.

        Args:
            vectors: `(batch, target.width + 1)`, the element that is fed back; the last number is 1
                for the start symbol, all others are then 0.
            state: that of `encode`, or of the previous step.
            memory: that of `encode`.
            training: boolean.

        Returns:
            A tuple: the input of the output layer, `(batch, features)`, and the new state.
        """
        raise NotImplementedError

    def build_head(self, features: int) -> None:
        """Creates the output layer, at the end of `build`."""
        self.head = keras.layers.Dense(
            self.target.width,
            activation=self.target.activation,
            dtype=at_least_float32(self.compute_dtype),
            name="head",
        )
        self.head.build((None, None, features))
        self.freeze_parts()

    @accepts_empty_batch
    def call(
        self,
        inputs: Tensor,
        targets: Tensor | None = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Tensor:
        """Generates a sequence for each row of the inputs; see the class."""
        self.source.check("inputs", inputs)
        mask = mask_or_attached(mask, inputs)
        targets = self.given_targets(targets)
        present = self.source.present(inputs)
        if mask is not None:
            present = ops.logical_and(present, ops.cast(mask, "bool"))
        vectors = self.source.vectors(inputs, self.compute_dtype)
        vectors = ops.where(present[..., None], vectors, ops.zeros_like(vectors))
        if targets is not None:
            self.target.check("targets", targets)
            steps = ops.shape(targets)[1]
        else:
            steps = output_count(self.max_outputs, ops.shape(inputs)[1])
        if self.reverse_inputs:
            vectors, present = ops.flip(vectors, axis=1), ops.flip(present, axis=1)
        state, memory = self.encode(vectors, present, steps, training)
        if targets is not None:
            return self._follow(targets, state, memory, training)
        length = ops.sum(ops.cast(present, "int32"), axis=1)
        stop = output_count(self.max_outputs, length)
        return self._generate(steps, stop, state, memory)

    def _follow(self, targets, state, memory, training):
        """Probabilities of each target, given those before it."""
        vectors = self.target.vectors(targets, self.compute_dtype)[:, :-1]
        start = self._start(ops.shape(targets)[0])
        fed_back = ops.concatenate([start[:, None], _not_start(vectors)], axis=1)

        def step(state, vectors):
            hidden, state = self.decode(vectors, state, memory, training)
            return state, hidden

        _, hidden = backend.scan(step, state, ops.swapaxes(fed_back, 0, 1))
        return self.head(ops.swapaxes(hidden, 0, 1))

    def _generate(self, steps, stop, state, memory):
        """Probabilities of the generated elements, at most `stop` (batch,) of them."""
        places = ops.arange(steps, dtype="int32")
        batch_size = ops.shape(stop)[0]

        def step(t, vectors, running, outputs, state):
            hidden, state = self.decode(vectors, state, memory, training=False)
            probabilities = self.head(hidden)
            here = ops.logical_and(ops.equal(places, t), running[:, None])
            outputs = ops.where(here[..., None], probabilities[:, None], outputs)
            chosen = self.target.choose(probabilities)
            ended = ops.logical_or(self.target.is_end(chosen), t + 1 >= stop)
            running = ops.logical_and(running, ops.logical_not(ended))
            vectors = _not_start(self.target.vectors(chosen, self.compute_dtype))
            return t + 1, vectors, running, outputs, state

        outputs = self._after_end(batch_size, steps)
        loop = (ops.zeros((), "int32"), self._start(batch_size), stop > 0, outputs, state)
        return ops.while_loop(lambda t, vectors, running, *_: ops.any(running), step, loop)[3]

    def _start(self, batch_size):
        zeros = ops.zeros((batch_size, self.target.width), self.compute_dtype)
        return ops.concatenate([zeros, ops.ones_like(zeros[:, :1])], axis=-1)

    def _after_end(self, batch_size, steps):
        end = ops.convert_to_tensor(self.target.after_end(), self.head.compute_dtype)
        return ops.broadcast_to(end, (batch_size, steps, self.target.width))

    def compute_output_shape(
        self, inputs_shape: Shape, targets_shape: Shape | None = None
    ) -> Shape:
        """The shape of the probabilities."""
        length = inputs_shape[1]
        steps = None if length is None else output_count(self.max_outputs, length)
        steps = steps if targets_shape is None else targets_shape[1]
        return inputs_shape[0], steps, self.target.width

    def present(self, targets: Tensor) -> Tensor:
        """Which elements of the targets count: those up to the first end symbol."""
        ends = ops.cast(self.target.is_end(targets), "int32")
        return ops.equal(ops.cumsum(ends, axis=1), ends)

    def padding(self, outputs: Tensor, steps: Any) -> Tensor:
        """The end symbol, with probability 1."""
        return self._after_end(ops.shape(outputs)[0], steps)

    def signature(self) -> keras.InputSpec:
        """Inputs of any length."""
        return keras.InputSpec(dtype=self.source.dtype, shape=self.source.shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {
            **super().get_config(),
            "source": keras.saving.serialize_keras_object(self.source),
            "target": keras.saving.serialize_keras_object(self.target),
            "max_outputs": list(self.max_outputs),
            "reverse_inputs": self.reverse_inputs,
        }


def _not_start(vectors):
    return ops.concatenate([vectors, ops.zeros_like(vectors[..., :1])], axis=-1)
