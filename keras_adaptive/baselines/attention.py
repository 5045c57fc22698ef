"""Additive attention, as sequence-to-sequence networks read their encoder's outputs."""

from typing import Any

import keras
from keras import ops

from .. import arguments
from ..masks import mask_or_attached
from ..types import Shape, Tensor


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
