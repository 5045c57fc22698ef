"""A residual unit of a ResNet for small images."""

from typing import Any

import keras
from keras import ops

from .. import arguments
from ..freezing import KeepsFrozenParts
from ..types import Shape, Tensor
from .norm import BatchNormalization
from .positions import Positions


@keras.saving.register_keras_serializable(package="keras_adaptive")
class ResidualUnit(KeepsFrozenParts):
    """Two convolutions of 3×3, each after batch normalization and a leaky ReLU, and a shortcut.

    `x + conv(lrelu(BN(conv(lrelu(BN(x))))))`, the pre-activated unit. Where the number of channels
    or the resolution changes, the shortcut is a convolution of 1×1 that reads `lrelu(BN(x))`.

    Args:
        filters: integer >= 1, the number of channels of the output.
        strides: integer >= 1, by how much height and width shrink. Defaults to `1`.
        negative_slope: float >= 0, of the leaky ReLU. Defaults to `0.1`.
        momentum: float in [0, 1), of the running statistics of the batch normalization. Defaults to
            `0.9`.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, height, width, channels)`.
        training: boolean.

    Returns:
        `(batch, height / strides, width / strides, filters)`.

    Raises:
        ValueError: if an argument is out of its range, or the input is not a batch of images.

    Example:

    >>> ResidualUnit(8, strides=2)(np.ones((1, 6, 6, 4), "float32")).shape == (1, 3, 3, 8)
    True

    Source: He et al., "Identity Mappings in Deep Residual Networks" (2016), arXiv:1603.05027;
    Figurnov et al. (2017), arXiv:1612.02297, whose code has a leaky ReLU.
    """

    # How many positions to each side an output depends on, see `ResidualACT`.
    halo = 2

    def __init__(
        self,
        filters: int,
        strides: int = 1,
        negative_slope: float = 0.1,
        momentum: float = 0.9,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = arguments.integer("filters", filters, least=1)
        self.strides = arguments.integer("strides", strides, least=1)
        self.negative_slope = arguments.number("negative_slope", negative_slope, least=0)
        self.momentum = arguments.number("momentum", momentum, least=0, below=1)
        self.norms = [self._norm("norm_1"), self._norm("norm_2")]
        self.convolutions = [
            self._convolution("convolution_1", 3, strides=self.strides),
            self._convolution("convolution_2", 3),
        ]
        self.projection: keras.layers.Conv2D | None = None

    def _norm(self, name):
        return BatchNormalization(momentum=self.momentum, dtype=self.dtype_policy, name=name)

    def _convolution(self, name, size, strides=1):
        return keras.layers.Conv2D(
            self.filters,
            size,
            strides,
            padding="same",
            data_format="channels_last",
            use_bias=False,
            kernel_initializer="he_normal",
            dtype=self.dtype_policy,
            name=name,
        )

    def build(self, input_shape: Shape) -> None:
        """Creates the convolutions, and the shortcut's where it needs one."""
        if len(input_shape) != 4 or input_shape[-1] is None:
            raise ValueError(
                f"Layer '{self.name}' expects images of shape (batch, height, width, channels) "
                f"with a fixed number of channels. Received: shape={tuple(input_shape)}"
            )
        middle = self.compute_output_shape(input_shape)
        self.norms[0].build(input_shape)
        self.convolutions[0].build(input_shape)
        self.norms[1].build(middle)
        self.convolutions[1].build(middle)
        if not self.keeps_shape(input_shape):
            self.projection = self._convolution("projection", 1, self.strides)
            self.projection.build(input_shape)
        self.freeze_parts()

    def keeps_shape(self, input_shape: Shape) -> bool:
        """Whether the output has the shape of the input, so that the shortcut is the identity."""
        return self.strides == 1 and input_shape[-1] == self.filters

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        """Applies the unit; see the class."""
        active = self._activate(0, inputs, training)
        shortcut = inputs if self.projection is None else self.projection(active)
        middle = self._activate(1, self.convolutions[0](active), training)
        return shortcut + self.convolutions[1](middle)

    def at_positions(self, features: Tensor, positions: Positions) -> Tensor:
        """The outputs at some positions of images, in inference.

        Args:
            features: `(rows, filters)`, of the positions and of those at most `halo` away.
            positions: the `Positions`.

        Returns:
            `(positions.counts[0], filters)`.
        """
        added = features
        for number, convolution in enumerate(self.convolutions):
            # Its own normalization takes maps, which are of one position here.
            maps = ops.reshape(added, (-1, 1, 1, added.shape[-1]))
            active = ops.reshape(self._activate(number, maps, training=False), (-1, maps.shape[-1]))
            added = positions.convolve(active, convolution.kernel, distance=1 - number)
        return features[: positions.counts[0]] + added

    def _activate(self, number, x, training):
        x = self.norms[number](x, training=training)
        return ops.leaky_relu(x, negative_slope=self.negative_slope)

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        """The shape of what `call` returns."""
        size = (None if n is None else -(-n // self.strides) for n in input_shape[1:3])
        return (input_shape[0], *size, self.filters)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "filters": self.filters,
            "strides": self.strides,
            "negative_slope": self.negative_slope,
            "momentum": self.momentum,
        }
