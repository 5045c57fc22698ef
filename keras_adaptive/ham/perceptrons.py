"""The perceptrons of the paper, the defaults of EMBED, JOIN, SEARCH and WRITE."""

from typing import Any

import keras
from keras import ops

from .. import arguments
from ..types import Shape, Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class MLP(keras.layers.Layer):
    """A multilayer perceptron with ReLU in its hidden layers.

    Args:
        units: integer >= 1, size of the output.
        hidden_units: integer >= 1, size of each hidden layer. Defaults to `20`.
        depth: integer >= 1, number of layers, including the last. Defaults to `2`.
        activation: of the last layer. Defaults to `"relu"`.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(…, features)`.

    Returns:
        `(…, units)`.

    Example:

    >>> MLP(3)(np.ones((2, 5))).shape == (2, 3)
    True

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 3.2.
    """

    def __init__(
        self,
        units: int,
        hidden_units: int = 20,
        depth: int = 2,
        activation: Any = "relu",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.hidden_units = arguments.integer("hidden_units", hidden_units, least=1)
        self.depth = arguments.integer("depth", depth, least=1)
        self.activation = arguments.interpreted(
            "activation", activation, keras.activations.get, "an activation or the name of one"
        )
        self.layers = [
            keras.layers.Dense(
                units if i == depth - 1 else hidden_units,
                activation=self.activation if i == depth - 1 else "relu",
                dtype=self.dtype_policy,
                name=f"dense_{i}",
            )
            for i in range(depth)
        ]

    def build(self, input_shape: Shape) -> None:
        """Creates the weights."""
        for layer in self.layers:
            layer.build(input_shape)
            input_shape = layer.compute_output_shape(input_shape)

    def call(self, inputs: Tensor) -> Tensor:
        """All layers, one after the other."""
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        """The shape of the inputs, with `units` as the last axis."""
        return *input_shape[:-1], self.units

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "units": self.units,
            "hidden_units": self.hidden_units,
            "depth": self.depth,
            "activation": keras.activations.serialize(self.activation),
        }


@keras.saving.register_keras_serializable(package="keras_adaptive")
class HighwayWrite(keras.layers.Layer):
    """WRITE = T · H + (1 − T) · h: a perceptron H, gated by a perceptron T.

    Both end in sigmoids.

    Args:
        units: integer >= 1, d, the size of a leaf.
        hidden_units, depth: of H and T, as in `MLP`.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(…, d + l)`, the leaf h_a followed by h_LSTM.

    Returns:
        The new leaf, `(…, d)`.

    Example:

    >>> HighwayWrite(3)(np.ones((2, 5))).shape == (2, 3)
    True

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 3.2, after Srivastava et al.,
    "Highway Networks" (2015), arXiv:1505.00387.
    """

    def __init__(self, units: int, hidden_units: int = 20, depth: int = 2, **kwargs: Any):
        super().__init__(**kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.hidden_units = arguments.integer("hidden_units", hidden_units, least=1)
        self.depth = arguments.integer("depth", depth, least=1)
        self.candidate, self.gate = (
            MLP(units, hidden_units, depth, "sigmoid", dtype=self.dtype_policy, name=name)
            for name in ("candidate", "gate")
        )

    def build(self, input_shape: Shape) -> None:
        """Creates the weights of both perceptrons."""
        self.candidate.build(input_shape)
        self.gate.build(input_shape)

    def call(self, inputs: Tensor) -> Tensor:
        """The new leaf."""
        gate = self.gate(inputs)
        return gate * self.candidate(inputs) + (1.0 - gate) * inputs[..., : self.units]

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        """The shape of a leaf."""
        return *input_shape[:-1], self.units

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "units": self.units,
            "hidden_units": self.hidden_units,
            "depth": self.depth,
        }


def join_ends(*parts: Tensor) -> Tensor:
    """Concatenates the parts along the last axis, in the dtype of the first part."""
    return ops.concatenate([ops.cast(part, parts[0].dtype) for part in parts], axis=-1)
