"""The halting units of ACT and SACT: what says after a residual unit whether to stop."""

from typing import Any

import keras
from keras import ops

from ..types import Shape, Tensor
from .norm import BatchNormalization
from .positions import Positions


class HaltingUnit(keras.layers.Layer):
    """σ(w · BN(GAP(x)) + b) of an image; with `spatial`, conv3×3(BN(x)) is added at each position.

    Args:
        bias: float, b at first.
        spatial: whether each position has an activation, or each image.
        global_logit: whether w · BN(GAP(x)) is part of the logit.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, …, channels)`; with `spatial` `(batch, height, width, channels)`.
        training: boolean.

    Returns:
        `(batch,)`; with `spatial` `(batch, height, width)`.

    Source: Figurnov et al. (2017), arXiv:1612.02297, Equations 7 and 12, and their code.
    """

    def __init__(self, bias: float, spatial: bool, global_logit: bool = True, **kwargs: Any):
        super().__init__(**kwargs)
        self.spatial, self.global_logit = spatial, global_logit
        self.bias_initializer = keras.initializers.Constant(bias)
        if global_logit:
            self.pooled_norm = keras.layers.BatchNormalization(
                momentum=0.9, dtype=self.dtype_policy, name="pooled_norm"
            )
            self.pooled_weight = keras.layers.Dense(
                1,
                bias_initializer=self.bias_initializer,
                dtype=self.dtype_policy,
                name="pooled_weight",
            )
        if spatial:
            self.norm = BatchNormalization(momentum=0.9, dtype=self.dtype_policy, name="norm")
            self.convolution = keras.layers.Conv2D(
                1,
                3,
                padding="same",
                data_format="channels_last",
                use_bias=False,
                dtype=self.dtype_policy,
                name="convolution",
            )

    def build(self, input_shape: Shape) -> None:
        """Creates the weights."""
        if self.global_logit:
            pooled = (input_shape[0], input_shape[-1])
            self.pooled_norm.build(pooled)
            self.pooled_weight.build(pooled)
        else:
            self.bias = self.add_weight(
                shape=(), initializer=self.bias_initializer, dtype=self.variable_dtype, name="bias"
            )
        if self.spatial:
            self.norm.build(input_shape)
            self.convolution.build(input_shape)

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        """The halting activations; see the class."""
        inputs = ops.cast(inputs, self.compute_dtype)
        logits = 0.0
        if self.spatial:
            scores = ops.reshape(self._scores(inputs, training), (9, *ops.shape(inputs)[:3]))
            logits = _sum_of_neighbours(ops.pad(scores, [[0, 0], [0, 0], [1, 1], [1, 1]]))
        if not self.global_logit:
            return ops.sigmoid(logits + ops.cast(self.bias, self.compute_dtype))
        middle = tuple(range(1, len(inputs.shape) - 1))
        pooled = ops.mean(inputs, axis=middle) if middle else inputs
        of_image = self.of_pooled(pooled, training)
        return ops.sigmoid(logits + (of_image[:, None, None] if self.spatial else of_image))

    def of_pooled(self, pooled: Tensor, training: bool = False) -> Tensor:
        """The logits `(batch,)` of images that are averaged over their positions."""
        return self.pooled_weight(self.pooled_norm(pooled, training=training))[..., 0]

    def at_positions(self, features: Tensor, positions: Positions) -> Tensor:
        """The local logits `(positions.counts[0],)` at some positions of images, in inference.

        Without the global logit, with b.

        Args:
            features: `(rows, channels)`, of the positions and of those around them.
            positions: the `Positions`.
        """
        features = ops.cast(features[: positions.counts[1]], self.compute_dtype)
        logits = positions.sum_of_neighbours(self._scores(features, training=False))
        return logits if self.global_logit else logits + ops.cast(self.bias, logits.dtype)

    def _scores(self, features, training):
        """What each position adds to the logits of its 9 neighbours: `(9, positions)`.

        A convolution with one output takes longer on a CPU than this product and nine additions.
        """
        kernel = ops.reshape(ops.cast(self.convolution.kernel, features.dtype), (9, -1))
        if training:
            return _product(kernel, self.norm(features, training=True))
        # The normalization is a part of the product.
        norm = self.norm
        scale = norm.gamma * ops.rsqrt(norm.moving_variance + norm.epsilon)
        shift = ops.cast(norm.beta - norm.moving_mean * scale, kernel.dtype)
        of_shift = ops.sum(kernel * shift, axis=1, keepdims=True)
        return _product(kernel * ops.cast(scale, kernel.dtype), features) + of_shift


def _product(kernel, features):
    """Of `(9, channels)` and the features `(…, channels)` of each position: `(9, positions)`."""
    return ops.matmul(kernel, ops.transpose(ops.reshape(features, (-1, kernel.shape[1]))))


def _sum_of_neighbours(scores):
    """A convolution's sum over 3×3, without padding: `(batch, height - 2, width - 2)`."""
    height, width = (size - 2 for size in ops.shape(scores)[2:])
    return sum(
        scores[3 * row + column, :, row : row + height, column : column + width]
        for row in range(3)
        for column in range(3)
    )
