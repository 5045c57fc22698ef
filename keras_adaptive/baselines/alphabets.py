"""The elements of sequences: symbols of an alphabet, or vectors of bits.

A model knows its sequences only through one of these classes. Each defines the padding, the vector
that represents an element, the probabilities that a network predicts for an element, the element to
choose from these, and the end symbol.
"""

from typing import Any, Self, TypeAlias

import keras
import numpy as np
from keras import ops

from .. import arguments, backend
from ..masks import differs
from ..types import Shape, Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Symbols:
    """Sequences of integers from `0` to `size - 1`.

    Args:
        size: integer >= 1, the number of symbols.
        end: the symbol that ends a generated sequence. Defaults to `0`.
        padding: an integer that is not a symbol; it marks positions outside an input
            sequence. Defaults to `-1`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> symbols = Symbols(3)
    >>> print(ops.convert_to_numpy(symbols.vectors(np.array([[2, -1]]), "float32")))
    [[[0. 0. 1.]
      [0. 0. 0.]]]
    """

    kind = "symbols"
    activation = "softmax"
    dtype = "int32"
    rank = 2

    def __init__(self, size: int, end: int = 0, padding: int = -1):
        self.size = arguments.integer("size", size, least=1)
        self.end = arguments.integer("end", end, 0, self.size - 1)
        self.padding = arguments.integer("padding", padding)
        if 0 <= padding < size:
            arguments.refuse("padding", padding, f"no symbol, that is none of 0 … {size - 1}")

    @property
    def width(self) -> int:
        """The size of a vector, and of the probabilities of an element."""
        return self.size

    @property
    def shape(self) -> Shape:
        """The shape of a batch of sequences; None for any size."""
        return (None, None)

    def check(self, name: str, tokens: Tensor) -> None:
        """Raises a ValueError if `tokens` are not such sequences, as far as can be checked."""
        if len(tokens.shape) != 2 or "int" not in keras.backend.standardize_dtype(tokens.dtype):
            raise ValueError(
                f"Argument `{name}` must be integers of shape (batch, time). "
                f"Received: shape={tuple(tokens.shape)}, dtype={tokens.dtype}"
            )
        _check_length(name, tokens)
        values = backend.concrete(tokens)
        if values is None:
            return
        wrong = values[((values < 0) | (values >= self.size)) & (values != self.padding)]
        if wrong.size:
            raise ValueError(
                f"Argument `{name}` must hold symbols from 0 to {self.size - 1}, or "
                f"{self.padding} for padding. Received: {wrong[0]}"
            )

    def present(self, tokens: Tensor) -> Tensor:
        """Boolean `(batch, time)`, false at padding."""
        return ops.not_equal(tokens, self.padding)

    def vectors(self, tokens: Tensor, dtype: Any) -> Tensor:
        """Each symbol one-hot, `(…, size)`; all zeros for padding."""
        return ops.cast(ops.equal(tokens[..., None], ops.arange(self.size, dtype="int32")), dtype)

    def choose(self, probabilities: Tensor) -> Tensor:
        """The most probable symbol, `(…,)`."""
        return ops.cast(ops.argmax(probabilities, axis=-1), "int32")

    def is_end(self, tokens: Tensor) -> Tensor:
        """Boolean `(…,)`: which are the end symbol."""
        return ops.equal(tokens, self.end)

    def after_end(self) -> np.ndarray:
        """The probabilities after the end, `(size,)`: the end symbol again."""
        return np.eye(self.size, dtype="float32")[self.end]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this object again."""
        return {"size": self.size, "end": self.end, "padding": self.padding}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """An object from `get_config`."""
        return cls(**config)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Vectors:
    """Sequences of vectors: of bits as outputs, of any numbers as inputs.

    Args:
        width: integer >= 1, the size of a vector.
        end: the coordinate that is 1 in the vector that ends a generated sequence; a
            negative index counts from the last. Defaults to `-1`.
        padding: a vector in which every element is this number marks a position outside an
            input sequence. Defaults to `-1.0`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> bits = Vectors(3)
    >>> [bool(x) for x in bits.is_end(np.array([[1, 0, 1], [1, 1, 0]]))]
    [True, False]
    """

    kind = "vectors"
    activation = "sigmoid"
    dtype = "float32"
    rank = 3

    def __init__(self, width: int, end: int = -1, padding: float = -1.0):
        self.width = arguments.integer("width", width, least=1)
        self.end = arguments.integer("end", end, -width, width - 1)
        self.padding = arguments.number("padding", padding)

    @property
    def shape(self) -> Shape:
        """The shape of a batch of sequences; None for any size."""
        return (None, None, self.width)

    def check(self, name: str, tokens: Tensor) -> None:
        """Raises a ValueError if `tokens` are not such sequences, as far as can be checked."""
        if len(tokens.shape) != 3 or tokens.shape[-1] != self.width:
            raise ValueError(
                f"Argument `{name}` must be of shape (batch, time, {self.width}). "
                f"Received: shape={tuple(tokens.shape)}"
            )
        _check_length(name, tokens)

    def present(self, tokens: Tensor) -> Tensor:
        """Boolean `(batch, time)`, false at padding."""
        return differs(tokens, self.padding)

    def vectors(self, tokens: Tensor, dtype: Any) -> Tensor:
        """The vectors as numbers of that dtype."""
        return ops.cast(tokens, dtype)

    def choose(self, probabilities: Tensor) -> Tensor:
        """The most probable bits, `(…, width)` as 0.0 and 1.0; 1 from a probability of 0.5 on."""
        return ops.cast(probabilities >= 0.5, "float32")

    def is_end(self, tokens: Tensor) -> Tensor:
        """Boolean `(…,)`: which vectors have the bit of the end."""
        return ops.greater_equal(tokens[..., self.end], 0.5)

    def after_end(self) -> np.ndarray:
        """The probabilities after the end, `(width,)`: only the bit of the end."""
        return np.eye(self.width, dtype="float32")[self.end]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this object again."""
        return {"width": self.width, "end": self.end, "padding": self.padding}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """An object from `get_config`."""
        return cls(**config)


# What a sequence may consist of.
Alphabet: TypeAlias = Symbols | Vectors


def _check_length(name, tokens):
    if tokens.shape[1] == 0:
        raise ValueError(
            f"Argument `{name}` must hold at least one position. "
            f"Received: shape={tuple(tokens.shape)}"
        )
