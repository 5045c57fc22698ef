"""The tree of the hierarchical attentive memory, and the four transformations on it."""

from collections.abc import Callable
from typing import Any, Self

import keras
from keras import ops

from .. import arguments, building
from ..configuration import restored
from ..dtypes import at_least_float32
from ..types import Tensor
from .perceptrons import MLP, HighwayWrite, join_ends

_TRANSFORMATIONS = ("embed", "join", "search", "write")


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Memory(keras.layers.Layer):
    """A full binary tree whose leaves are the memory's cells, with its four transformations.

    The nodes are numbered as in the paper: the root is 1, the children of e are 2e and 2e + 1, and
    the leaves n … 2n − 1. There is no node 0.

    Args:
        units: integer >= 1, d, the size of each node. Defaults to `20`.
        hidden_units: integer >= 1, of the perceptrons. Defaults to `20`.
        depth: integer >= 1, layers of the perceptrons. Defaults to `2`.
        empty: the first values of inner nodes without an input below them, `"joined"` (JOIN of
            zeros, bottom-up) or `"zeros"`. An access joins the nodes on its path in either case.
            Defaults to `"joined"`.
        embed: layer from an input vector to a leaf, `(…, b)` to `(…, d)`.
        join: layer from two siblings to their parent, `(…, 2d)` to `(…, d)`.
        search: layer from a node and h_LSTM to the probability of going right, `(…, d + l)` to
            `(…, 1)`.
        write: layer from a leaf and h_LSTM to the new leaf, `(…, d + l)` to `(…, d)`. The four are
            the paper's perceptrons by default: `MLP` with ReLU everywhere but at the end of
            `search`, a sigmoid; `HighwayWrite`.
        **kwargs: of `keras.layers.Layer`.

    Raises:
        ValueError: an argument out of its range, or a layer with a wrong output width.

    Example: a memory whose JOIN is a single layer.

    >>> memory = Memory(units=8, join=keras.layers.Dense(8, activation="relu"))
    >>> layer = keras_adaptive.layers.HAM(3, keras.layers.LSTMCell(16), memory)
    >>> layer(np.ones((2, 5, 4))).shape == (2, 5, 3)
    True

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 3.2, Figures 2, 3 and 5.
    """

    def __init__(
        self,
        units: int = 20,
        hidden_units: int = 20,
        depth: int = 2,
        empty: str = "joined",
        embed: keras.layers.Layer | None = None,
        join: keras.layers.Layer | None = None,
        search: keras.layers.Layer | None = None,
        write: keras.layers.Layer | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.hidden_units = arguments.integer("hidden_units", hidden_units, least=1)
        self.depth = arguments.integer("depth", depth, least=1)
        self.empty = arguments.choice("empty", empty, ("joined", "zeros"))
        sizes = (hidden_units, depth)
        dtype = {"dtype": self.dtype_policy}
        in_float32 = at_least_float32(self.compute_dtype)
        self._given = {"embed": embed, "join": join, "search": search, "write": write}
        for name, layer in self._given.items():
            if not isinstance(layer, (keras.layers.Layer, type(None))):
                arguments.refuse(name, layer, "a Keras layer or None")
        self.embed = embed or MLP(units, *sizes, name="embed", **dtype)
        self.join = join or MLP(units, *sizes, name="join", **dtype)
        self.search = search or MLP(1, *sizes, "sigmoid", name="search", dtype=in_float32)
        self.write = write or HighwayWrite(units, *sizes, name="write", **dtype)

    def prepare(
        self, query_width: int, input_width: int | None = None, writer_width: int | None = None
    ) -> None:
        """Creates the weights, for vectors of these widths; without inputs there is no EMBED.

        `query_width` is the width of the input of SEARCH beside a node, `writer_width` that of the
        input of WRITE beside a leaf, if it differs.
        """
        d = self.units
        shapes = {
            "join": (2 * d, d),
            "search": (d + query_width, 1),
            "write": (d + (writer_width or query_width), d),
        }
        if input_width is not None:
            shapes["embed"] = (input_width, d)
        for name, (width, wanted) in shapes.items():
            layer = getattr(self, name)
            building.build(layer, (None, width))
            received = building.output_shape(layer, (None, width))[-1]
            if received != wanted:
                raise ValueError(
                    f"Argument `{name}` must be a layer from {width} numbers to {wanted}. "
                    f"Received: {name}={layer!r}, which gives {received}"
                )
        self.built = True

    def leaves(self, vectors: Tensor, present: Tensor, num_leaves: Tensor) -> Tensor:
        """EMBED of the vectors `(batch, m, b)` that are present, and zeros, `num_leaves` in all."""
        embedded = _of_each(self.embed, vectors)
        embedded = ops.where(present[..., None], embedded, ops.zeros_like(embedded))
        return pad_time(embedded, num_leaves)

    def plant(self, leaves: Tensor, used: Tensor | None = None) -> Tensor:
        """The values of all nodes over leaves `(batch, n, d)`: `(batch, 2n, d)` (Figure 2).

        Args:
            leaves: the values of the leaves, n a power of two.
            used: boolean `(batch, n)`, which of them hold an input; without it all nodes are
                joined, whatever `empty` is.
        """
        if used is None or self.empty == "joined":
            used = ops.ones_like(leaves[..., 0], dtype="bool")

        rows = ops.shape(leaves)[0]

        def up(level, used, nodes):
            half = _length(level) // 2
            pairs = ops.reshape(level, (rows, half, 2 * self.units))
            joined = _of_each(self.join, pairs)
            used = ops.any(ops.reshape(used, (rows, half, 2)), axis=-1)
            joined = ops.where(used[..., None], joined, ops.zeros_like(joined))
            return joined, used, ops.concatenate([joined, nodes], axis=1)

        *_, nodes = grow(up, (leaves, used, leaves), lambda level, *_: _length(level) > 1)
        return ops.concatenate([ops.zeros_like(nodes[:, :1]), nodes], axis=1)

    def probability(self, node: Tensor, query: Tensor) -> Tensor:
        """SEARCH: the probability of going right, `(…,)`, at least float32."""
        dtype = at_least_float32(self.compute_dtype)
        return _of_each(self.search, join_ends(node, query), dtype)[..., 0]

    def parent(self, pair: Tensor) -> Tensor:
        """JOIN of a pair row: the value of the node above it."""
        return _of_each(self.join, pair)

    def written(self, leaf: Tensor, query: Tensor) -> Tensor:
        """WRITE: the new value of a leaf."""
        return _of_each(self.write, join_ends(leaf, query))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        given = {
            name: keras.saving.serialize_keras_object(layer)
            for name, layer in self._given.items()
            if layer is not None
        }
        return {
            **super().get_config(),
            "units": self.units,
            "hidden_units": self.hidden_units,
            "depth": self.depth,
            "empty": self.empty,
            **given,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return super().from_config(restored(config, _TRANSFORMATIONS))


def pad_time(x: Tensor, length: Tensor) -> Tensor:
    """`x` padded with zeros at the end of axis 1, to that length."""
    rest = length - _length(x)
    padded = ops.pad(x, ((0, 0), (0, rest), *[(0, 0)] * (len(x.shape) - 2)))
    # So that the length is known if `x` had another unknown one.
    known = isinstance(length, int) and padded.shape[1] is None
    return ops.reshape(padded, (ops.shape(x)[0], length, *x.shape[2:])) if known else padded


def _of_each(layer, vectors, dtype=None):
    """Applies a layer to vectors with any leading axes; not every layer takes more than one."""
    outputs = layer(ops.reshape(vectors, (-1, vectors.shape[-1])))
    outputs = ops.reshape(outputs, (*ops.shape(vectors)[:-1], outputs.shape[-1]))
    return ops.cast(outputs, dtype or vectors.dtype)


def _length(nodes):
    """The size of axis 1: an integer if it is known, else a tensor."""
    return nodes.shape[1] or ops.shape(nodes)[1]


def grow(body: Callable[..., Any], carry: Any, goes_on: Callable[..., Any]) -> Any:
    """Repeats `body`, which may change the length of axis 1 of its tensors, while `goes_on`."""
    going = goes_on(*carry)
    if isinstance(going, bool):
        while going:
            carry = body(*carry)
            going = goes_on(*carry)
        return carry
    import tensorflow as tf  # Only its graphs have axes of unknown size.

    any_length = tuple(tf.TensorShape([x.shape[0], None, *x.shape[2:]]) for x in carry)
    return tf.while_loop(goes_on, lambda *carry: body(*carry), carry, shape_invariants=any_length)
