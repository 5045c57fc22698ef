"""Recall: a recurrence of convolutions that reads its input again at every step."""

import itertools
from contextlib import AbstractContextManager
from numbers import Integral
from typing import Any, Self

import keras
from keras import ops

from . import arguments
from .configuration import restored
from .halting import Decision, Fixed, ponder, report
from .halting.loop import symbolic_outputs, without_masked
from .reporting import ThreadValue
from .types import Rule, Shape, Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Recall(keras.layers.Layer):
    """A deep thinking network with recall: convolutions that are repeated on their own features.

    A convolution embeds the input. Then a recurrent block is applied again and again, always with
    the same weights: it reads its features together with the input (the recall), by a convolution
    and residual blocks of two convolutions each. A head of three convolutions reads the answer off
    the last features. All convolutions keep the size of their input and have no bias, so one
    trained layer takes any size, sequences or images, and larger ones need more steps.

    In training every example takes `steps` steps; in inference it may take as many more as
    `halting` says. Train it in a `models.RecallModel`, whose loss is made for networks that
    keep the right answer with any number of steps.

    Positions outside the mask are kept zero and never influence others, so an example's result is
    the same alone and in any padded batch.

    Args:
        filters: integer >= 2, channels of the features.
        outputs: integer >= 1, channels of the answer, mostly one for each class.
        steps: integer >= 1, m, the number of steps in training.
        halting: what stops the loop in inference: an integer number of steps, or a rule without
            ponder cost, such as `halting.Converged()`. It can be changed later
            (`layer.halting = 600`), before a model's functions are traced. By default `steps`.
        num_blocks: integer >= 1, residual blocks in each step. Defaults to `2`.
        kernel_size: odd integer >= 1, of all convolutions. Defaults to `3`.
        return_ponder: whether to return also a dict of `steps` N and `remainder` R, each `(batch,)`
            and at least float32. Defaults to `False`.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, length, channels)` or `(batch, height, width, channels)`.
        mask: boolean `(batch, length)` or `(batch, height, width)`, true inside each example. The
            values outside do not matter. By default everything is inside.
        training: boolean.

    Returns:
        Logits, `(batch, length, outputs)` or `(batch, height, width, outputs)`, zero outside the
        mask; with `return_ponder` a tuple of them and the dict.

    Raises:
        ValueError: if an argument is out of its range, or the input or its mask has another rank.

    Example:

    >>> rule = keras_adaptive.halting.Converged(max_ponder=50)
    >>> layer = Recall(filters=8, outputs=2, steps=5, halting=rule, return_ponder=True)
    >>> logits, ponder = layer(np.ones((3, 7, 1), "float32"))
    >>> logits.shape == (3, 7, 2), ponder["steps"].shape == (3,)
    (True, True)

    `halting` compares the answer with that of the step before: at each position the channel with
    the largest logit, or the sign of a single channel.

    Differences from the paper: images and sequences are padded by zeros as in the authors' code,
    but examples of different sizes may share a batch, and the number of steps may be chosen by a
    rule. The convolutions look to both sides, also for prefix sums, as the authors' do.

    Source: Bansal, Schwarzschild, Borgnia, Emam, Huang, Goldblum, Goldstein (2022), "End-to-end
    Algorithm Synthesis with Recurrent Networks", arXiv:2202.05826, sections 3.1 and 3.2.
    """

    reports_ponder = True

    def __init__(
        self,
        filters: int,
        outputs: int,
        steps: int,
        halting: int | Rule | None = None,
        num_blocks: int = 2,
        kernel_size: int = 3,
        return_ponder: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = arguments.integer("filters", filters, least=2)
        self.outputs = arguments.integer("outputs", outputs, least=1)
        self.steps = steps
        self.num_blocks = arguments.integer("num_blocks", num_blocks, least=1)
        self.kernel_size = arguments.integer("kernel_size", kernel_size, least=1)
        if self.kernel_size % 2 == 0:
            arguments.refuse("kernel_size", kernel_size, "an odd integer")
        self.halting = halting
        self.return_ponder = arguments.boolean("return_ponder", return_ponder)
        self.supports_masking = True
        # XLA takes minutes for the gradient of a convolution in a TensorFlow loop.
        self.supports_jit = keras.config.backend() != "tensorflow"

    @property
    def steps(self) -> int:
        """m, the number of steps in training; set it before a model's functions are traced."""
        return self._steps

    @steps.setter
    def steps(self, value: int) -> None:
        self._steps = arguments.integer("steps", value, least=1)

    @property
    def halting(self) -> Rule:
        """The rule that stops the loop in inference."""
        return self._halting

    @halting.setter
    def halting(self, value: int | Rule | None) -> None:
        self._halting = _rule(self.steps if value is None else value)

    def build(self, input_shape: Shape) -> None:
        """Creates the convolutions, in one dimension or two."""
        _check_rank(input_shape)
        channels, wide = input_shape[-1], self.filters
        self.input_spec = keras.layers.InputSpec(ndim=len(input_shape), axes={-1: channels})
        size = (self.kernel_size,) * (len(input_shape) - 2)

        def kernel(name, before, filters):
            return self.add_weight(name=name, shape=(*size, before, filters))

        self.embedding = kernel("embedding", channels, wide)
        self.recall = kernel("recall", wide + channels, wide)
        self.blocks = [
            [kernel(f"block_{i}_{part}", wide, wide) for part in (1, 2)]
            for i in range(self.num_blocks)
        ]
        self.head = [
            kernel("head_1", wide, wide),
            kernel("head_2", wide, wide // 2),
            kernel("head_3", wide // 2, self.outputs),
        ]

    def call(self, inputs: Any, mask: Tensor | None = None, training: bool = False) -> Any:
        """Thinks about a batch, and answers."""
        arguments.one_tensor("inputs", inputs)
        _check_rank(inputs.shape, None if mask is None else mask.shape)
        inputs = ops.cast(inputs, self.compute_dtype)
        inside = None
        if mask is not None:
            mask = ops.cast(mask, "bool")
            inputs = without_masked(inputs, mask)
            inside = ops.cast(mask, self.compute_dtype)[..., None]
        features = ops.relu(_convolve(inputs, self.embedding, inside))
        rule, drawn = self.halting, _drawn_steps.value if training else None
        if training:
            rule = Fixed(self.steps)
        if drawn is not None:
            begin, rule = (_Drawn(steps, self.steps) for steps in drawn)
            # A rule takes one step at least.
            first_thoughts = self._think(features, inputs, inside, begin, False).states[0]
            features = ops.where(drawn[0] > 0, ops.stop_gradient(first_thoughts), features)
        result = self._think(features, inputs, inside, rule, training)
        logits = self._answer(result.states[0], inside)
        report(self, result.steps, result.remainder)
        if not self.return_ponder:
            return logits
        return logits, {"steps": result.steps, "remainder": result.remainder}

    def _think(self, features, inputs, inside, rule, training):
        """The halting loop around the recurrent block, whose first state is the features."""
        states, given = (features,), {"inputs": inputs}
        if inside is not None:
            given["inside"] = inside
        if not isinstance(rule, Fixed):
            states = (features, ops.full(ops.shape(features)[:-1], -1, "int32"))

        def step(n, states, given):
            inside = given.get("inside")
            features = self._block(states[0], given["inputs"], inside)
            if len(states) == 1:
                return features, None, (features,)
            answer = _choice(self._answer(features, inside), inside)
            same = ops.all(answer == states[1], axis=tuple(range(1, len(answer.shape))))
            return features, ops.cast(same, features.dtype), (features, answer)

        mask = None
        if inside is not None:
            mask = ops.any(inside > 0, axis=tuple(range(1, len(inside.shape))))
        return ponder(step, states, rule, given, mask, training=training)

    def _block(self, features, inputs, inside):
        """One step: the features and the input, through a convolution and residual blocks."""
        features = ops.relu(_convolve(ops.concatenate([features, inputs], -1), self.recall, inside))
        for first, second in self.blocks:
            change = ops.relu(_convolve(features, first, inside))
            features = ops.relu(_convolve(change, second, inside) + features)
        return features

    def _answer(self, features, inside):
        """The logits that the head reads off the features."""
        first, second, last = self.head
        features = ops.relu(_convolve(features, first, inside))
        features = ops.relu(_convolve(features, second, inside))
        return _convolve(features, last, inside)

    def compute_output_shape(self, input_shape: Shape, mask: Tensor | None = None) -> Any:
        """The shapes of what `call` returns, in the same structure."""
        _check_rank(input_shape)
        logits = (*input_shape[:-1], self.outputs)
        if not self.return_ponder:
            return logits
        return logits, {"steps": input_shape[:1], "remainder": input_shape[:1]}

    def compute_output_spec(
        self, inputs: Any, mask: Tensor | None = None, training: bool = False
    ) -> Any:
        """Symbolic outputs; the ponder is at least float32 whatever the compute dtype."""
        _check_rank(inputs.shape, None if mask is None else mask.shape)
        return symbolic_outputs(self, self.compute_output_shape(tuple(inputs.shape)))

    def compute_mask(self, inputs: Any, mask: Tensor | None = None) -> Any:
        """The mask of the answer, that of the input."""
        return [mask, None, None] if self.return_ponder else mask

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "filters": self.filters,
            "outputs": self.outputs,
            "steps": self.steps,
            "halting": keras.saving.serialize_keras_object(self.halting),
            "num_blocks": self.num_blocks,
            "kernel_size": self.kernel_size,
            "return_ponder": self.return_ponder,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return cls(**restored(config, ["halting"]))


_drawn_steps = ThreadValue()


def drawn_steps(without_gradient: Tensor, with_gradient: Tensor) -> AbstractContextManager[None]:
    """Lets every `Recall` that is called in training inside the context take other steps.

    The steps without a gradient are taken first: what the loss is made of knows the features that
    they lead to, and not how.

    Args:
        without_gradient: scalar integer tensor >= 0, n.
        with_gradient: scalar integer tensor >= 1, k. n + k is at most the layer's `steps`.

    Returns:
        A context manager.

    Source: Bansal et al. (2022), arXiv:2202.05826, Algorithm 1.
    """
    return _drawn_steps.holding((without_gradient, with_gradient))


class _Drawn(Fixed):
    """`Fixed`, whose number of steps is a tensor, of at most `most`."""

    def __init__(self, steps, most):
        super().__init__(most)
        self.drawn = steps

    def start(self, batch_size, dtype):
        return ops.broadcast_to(ops.cast(self.drawn, dtype), (batch_size,))

    def __call__(self, step, halting, memory):
        halts = ops.cast(step, memory.dtype) >= memory
        return Decision(ops.cast(halts, memory.dtype), ops.zeros_like(memory), halts, memory)


def _rule(halting):
    if isinstance(halting, Integral) and not isinstance(halting, bool):
        return Fixed(arguments.integer("halting", halting, least=1))
    parts = ("max_ponder", "start", "__call__")
    is_rule = not isinstance(halting, type) and all(hasattr(halting, part) for part in parts)
    # The layer has no halting unit, which such a rule would teach.
    if not is_rule or getattr(halting, "has_ponder_cost", False):
        allowed = "an integer of at least 1, or a rule without ponder cost such as `Converged()`"
        arguments.refuse("halting", halting, allowed)
    return halting


def _check_rank(inputs, mask=None):
    if len(inputs) not in (3, 4) or inputs[-1] is None:
        raise ValueError(
            "`inputs` must have the shape (batch, length, channels) or (batch, height, width, "
            f"channels). Received: {tuple(inputs)}"
        )
    if mask is not None and (
        len(mask) != len(inputs) - 1
        or any(None not in pair and pair[0] != pair[1] for pair in zip(mask, inputs))
    ):
        raise ValueError(
            f"`mask` must have the shape {tuple(inputs[:-1])} of the positions. "
            f"Received: {tuple(mask)}"
        )


def _convolve(features, kernel, inside):
    """A convolution that keeps the size, zero outside the examples.

    XLA on CPU is far slower with the gradient of a convolution in a loop than with that of a matrix
    product (https://github.com/jax-ml/jax/issues/12868), so on JAX it is one.
    """
    kernel = ops.cast(kernel, features.dtype)
    if keras.config.backend() == "jax":
        *size, _, filters = kernel.shape
        margin = [(k // 2, k // 2) for k in size]
        padded = ops.pad(features, [(0, 0), *margin, (0, 0)])
        views = [
            padded[:, *(slice(i, i + n) for i, n in zip(place, features.shape[1:-1]))]
            for place in itertools.product(*map(range, size))
        ]
        kernel = ops.reshape(kernel, (-1, filters))
        result = ops.matmul(ops.concatenate(views, axis=-1), kernel)
    else:
        result = ops.conv(features, kernel, padding="same")
        # TensorFlow gives a convolution of nothing as many channels as it reads.
        result = ops.reshape(result, (*ops.shape(features)[:-1], kernel.shape[-1]))
    return result if inside is None else result * inside


def _choice(logits, inside):
    """The answer at each position as an integer: the largest channel, or the sign of the one."""
    largest = logits[..., 0] > 0 if logits.shape[-1] == 1 else ops.argmax(logits, axis=-1)
    largest = ops.cast(largest, "int32")
    # Outside, logits are 0.0 or -0.0, which argmax does not treat alike.
    return largest if inside is None else ops.where(inside[..., 0] > 0, largest, -1)
